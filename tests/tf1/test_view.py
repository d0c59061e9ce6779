"""The view as a whole: by name, early, late, and taken away again."""

from __future__ import annotations

import importlib
import pkgutil

import pytest

import npu_lab.tf1
from npu_lab.tf1 import face


def test_importing_by_name_puts_the_process_into_graph_mode(run):
    run(
        """
        import npu_lab.tf1 as tf
        import tensorflow
        assert not tensorflow.executing_eagerly()
        assert tensorflow.__version__.startswith("2.")
        assert tf.__version__ == tf.VERSION == tf.version.VERSION == "1.15.0"
        assert tf.compat.v1.placeholder is tf.placeholder
        assert tf.compat.v2.__version__ == tensorflow.__version__
        assert tf.compat.as_bytes("x") == b"x"
        assert isinstance(tf.data.Dataset.range(3), tensorflow.compat.v1.data.Dataset)
        """
    )


@pytest.mark.parametrize(
    "statements",
    [
        "from npu_lab.tf1 import *",
        "import npu_lab.tf1.view; import npu_lab.tf1 as tf; tf.placeholder",
    ],
)
def test_the_first_name_taken_from_it_does_the_same(run, statements):
    run(
        f"""
        {statements}
        import tensorflow
        assert not tensorflow.executing_eagerly()
        """
    )


def test_importing_a_part_changes_nothing(run):
    run(
        """
        from npu_lab.tf1 import placeholders, view
        import npu_lab.tf1.process
        import tensorflow
        assert tensorflow.executing_eagerly()
        view.uninstall()
        assert not hasattr(npu_lab.tf1, "no_such_name")
        assert not hasattr(npu_lab.tf1, "contrib")
        assert tensorflow.executing_eagerly()
        """
    )


def test_installing_and_removing_restores_everything(run):
    run(
        """
        import builtins, sys, warnings
        from npu_lab.tf1 import face, view
        modules = {n: m for n, m in sys.modules.items() if n.startswith("tensorflow")}
        before = builtins.__import__, list(warnings.filters)
        for _ in range(3):
            view.install()
            view.install()
            import tensorflow as tf
            assert tf is face.tf
            x = tf.placeholder(tf.float32, [None, 2])
            with tf.Session() as session:
                assert session.run(x + 1.0, {x: [[1.0, 2.0]]}).tolist() == [[2.0, 3.0]]
            view.uninstall()
            view.uninstall()
            assert (builtins.__import__, list(warnings.filters)) == before
            import tensorflow as tf
            assert tf is sys.modules["tensorflow"]
            assert tf.constant(1).numpy() == 1
        assert all(sys.modules[name] is module for name, module in modules.items())

        import npu_lab.tf1 as by_name
        by_name.placeholder
        view.install()
        view.uninstall()
        assert not tf.executing_eagerly()  # it is still in use by name
        """
    )


def test_names_bound_too_early_lead_to_the_view_while_it_is_installed(run, tmp_path):
    (tmp_path / "sibling.py").write_text("import tensorflow as tf", "utf-8")
    run(
        """
        import npu_lab._tensorflow
        import sibling
        import tensorflow as tf
        import tensorflow.compat.v1 as tf1
        from tensorflow import keras
        real = tf.__dict__
        other = tf
        from npu_lab.tf1 import face, view
        view.install()
        assert tf is tf1 is other is sibling.tf is face.tf
        assert keras is face.tf.keras
        other = "mine now"
        view.uninstall()
        assert tf.__dict__ is real and sibling.tf is tf
        assert tf1 is tf.compat.v1
        assert keras is tf.keras
        assert other == "mine now"
        """
    )


@pytest.mark.parametrize("legacy", ["0", None])
def test_after_tensorflow_2_and_its_keras_were_used_keras_2_is_still_in_the_view(
    run, legacy
):
    environment = {} if legacy is None else {"TF_USE_LEGACY_KERAS": legacy}
    assert (
        run(
            """
        import os
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # TensorFlow itself is not quiet
        import numpy as np
        import tensorflow as tf
        from tensorflow.keras.layers import Dense
        version = tf.keras.version() if hasattr(tf.keras, "version") else "2"
        print(version[0], Dense.__module__.partition(".")[0])
        assert tf.constant([1.0]).numpy() == 1.0
        early = Dense(2)(tf.ones([1, 2]))

        import npu_lab.tf1.view as view
        view.install()
        assert tf.__version__ == "1.15.0"
        from tensorflow.keras.layers import Dense
        assert Dense.__module__.startswith("tf_keras.")
        images = tf.placeholder(tf.float32, [None, 4])
        hidden = tf.layers.batch_normalization(tf.layers.dense(images, 3))
        cell = tf.nn.rnn_cell.LSTMCell(2)
        tf.nn.dynamic_rnn(cell, tf.zeros([1, 3, 2]), dtype=tf.float32)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            assert session.run(hidden, {images: np.ones([2, 4])}).shape == (2, 3)
        model = tf.keras.Sequential([Dense(1, input_shape=(4,))])
        model.compile("sgd", "mse")
        model.fit(np.ones([4, 4]), np.ones([4, 1]), verbose=0)
        view.uninstall()
        from tensorflow.keras.layers import Dense
        assert (Dense(2)(tf.ones([1, 2])) + early).numpy().shape == (1, 2)
        """,
            **environment,
        )
        == "3 keras\n"
    )


def test_eager_execution_cannot_be_turned_on_in_the_view(run):
    run(
        """
        import npu_lab.tf1 as tf
        for function in (tf.enable_eager_execution, tf.enable_v2_behavior):
            try:
                function()
            except RuntimeError as error:
                assert "runs graphs only" in str(error)
            else:
                raise AssertionError
        assert not tf.executing_eagerly()
        """
    )


def test_no_module_of_the_package_hides_a_name_of_tensorflow():
    names = {module.name for module in pkgutil.iter_modules(npu_lab.tf1.__path__)}
    assert names & set(dir(face.tf)) == {"estimator"}  # which is tf.estimator
    assert "face" in names


def test_dir_lists_what_can_be_taken():
    for module in (face.tf, face.tf.compat, face.tf.keras, face.tf.nn, face.tf.python):
        missing = [name for name in dir(module) if not hasattr(module, name)]
        assert missing == []
    assert {"Session", "keras", "layers", "examples"} <= set(dir(face.tf))
    assert importlib.import_module("npu_lab.tf1").__dir__() == dir(face.tf)
