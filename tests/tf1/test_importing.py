"""Each importer gets its TensorFlow: user code 1.15, libraries 2."""

from __future__ import annotations

import builtins
import sys

import numpy as np
import pytest

from npu_lab.tf1 import face, importing


def test_every_way_to_import_leads_user_code_to_the_view(run):
    run(
        """
        from npu_lab.tf1 import face, view
        view.install()
        KERAS = "tf_keras."

        import tensorflow
        import tensorflow as tf
        import tensorflow.compat.v1 as tf1
        from tensorflow.compat import v1
        assert tensorflow is tf is tf1 is v1 is face.tf
        assert tf.__version__ == "1.15.0"
        import tensorflow.compat.v2 as tf2
        assert tf2.__version__.startswith("2.")

        from tensorflow import keras, layers, flags, compat
        import tensorflow.keras
        import tensorflow.keras.backend as K
        from tensorflow.keras.layers import Dense
        from tensorflow.keras import backend
        from tensorflow.compat.v1 import keras as keras_v1
        from tensorflow.compat.v1.keras.layers import Dense as DenseV1
        import tensorflow.keras.layers as keras_layers
        assert keras is keras_v1 is tensorflow.keras is tf.keras
        assert Dense is DenseV1 is keras_layers.Dense is tf.keras.layers.Dense
        assert K is backend and K.get_session
        assert Dense.__module__.startswith(KERAS)
        assert flags.FLAGS is tf.app.flags.FLAGS

        from tensorflow.python.keras.layers import Input, Dense as PythonDense
        from tensorflow.python.keras.models import Model
        from tensorflow.python.keras import backend as python_backend
        import tensorflow.python.keras as python_keras
        import tensorflow.python.keras.backend as PK
        from tensorflow.python.keras.engine.training import Model as EngineModel
        from tensorflow.python.keras.layers.recurrent import LSTM
        from tensorflow.python.keras.utils import np_utils, to_categorical
        from tensorflow.python.keras.applications.resnet50 import ResNet50
        from tensorflow.python.keras.optimizer_v2.adam import Adam
        from tensorflow.python.keras.callbacks import ModelCheckpoint
        from tensorflow.python import keras as keras_again
        assert PythonDense is Dense
        inputs = Input([2])
        assert isinstance(Model(inputs, Dense(1)(inputs)), tf.keras.Model)
        assert Model is tf.keras.Model and Model.__module__.startswith(KERAS)
        assert python_backend is PK and PK.get_session is K.get_session
        assert python_keras is keras_again and python_keras.Model is Model
        assert tensorflow.python.keras is python_keras
        assert EngineModel.__module__.startswith(KERAS)
        assert LSTM is tf.keras.layers.LSTM
        assert Adam is tf.keras.optimizers.Adam
        assert np_utils.to_categorical is to_categorical

        import tensorflow.python.framework.ops as ops
        from tensorflow.python.framework import dtypes, tensor_shape
        from tensorflow.python.client import device_lib
        from tensorflow.core.framework import graph_pb2
        import tensorflow.core.protobuf.config_pb2
        from tensorflow.python.layers import core, base, utils
        from tensorflow.python.ops import rnn_cell, math_ops
        from tensorflow.python.ops.rnn_cell_impl import LSTMStateTuple
        assert ops.Graph is tf.Graph and dtypes.float32 is tf.float32
        assert tensorflow.core.protobuf.config_pb2.ConfigProto is tf.ConfigProto
        assert core.dense is tf.layers.dense
        assert rnn_cell.BasicLSTMCell is tf.nn.rnn_cell.BasicLSTMCell
        assert LSTMStateTuple is tf.nn.rnn_cell.LSTMStateTuple
        assert math_ops.add.__module__ == "tensorflow.python.ops.math_ops"

        from tensorflow.examples.tutorials.mnist import input_data
        import tensorflow.examples.tutorials.mnist.input_data as input_data_too
        import input_data as bare
        assert input_data is input_data_too is bare
        assert bare.__name__ == "npu_lab.tf1.input_data" and bare.read_data_sets
        assert tf.examples.tutorials.mnist.input_data is bare

        from tensorflow.nn import rnn_cell as cells, relu
        from tensorflow.train import Saver
        import tensorflow.data as data
        assert cells is tf.nn.rnn_cell and relu is tf.nn.relu
        assert Saver is tf.train.Saver and data.Dataset is tf.data.Dataset

        namespace = {"__name__": "__main__"}
        exec("from tensorflow import *", namespace)
        assert namespace["placeholder"] is tf.placeholder
        assert namespace["keras"] is tf.keras and namespace["layers"] is tf.layers
        assert "contrib" not in namespace and namespace["estimator"] is tf.estimator

        from tensorflow import estimator
        from tensorflow.estimator import Estimator, RunConfig
        from tensorflow.estimator.inputs import numpy_input_fn
        import tensorflow.estimator.export as export
        assert estimator is tf.estimator and Estimator is estimator.Estimator
        assert export is estimator.export
        from tensorflow.contrib import summary
        from tensorflow.contrib.summary import scalar
        import tensorflow.contrib.summary as summary_too
        import tensorflow.contrib.summary
        assert summary is summary_too is tf.contrib.summary
        assert tensorflow.contrib.summary.scalar is scalar
        """
    )


def test_what_is_absent_is_an_import_error_that_tells_the_way_out(run):
    run(
        """
        from npu_lab.tf1 import view
        view.install()
        def refused(statement):
            try:
                exec(statement, {"__name__": "__main__"})
            except ImportError as error:
                return f"{type(error).__name__}: {error}"
            raise AssertionError(statement)

        for statement, start, inside in [
            ("import tensorflow.contrib.slim as slim",
             "ModuleNotFoundError: tf.contrib.slim is not in", "tf.layers"),
            ("import tensorflow.contrib", "ModuleNotFoundError: tf.contrib is", ""),
            ("from tensorflow.contrib import rnn",
             "ModuleNotFoundError: tf.contrib is not in", ""),
            ("from tensorflow.contrib.layers import xavier_initializer",
             "ModuleNotFoundError: tf.contrib.layers is not in", ""),
            ("from tensorflow import contrib", "ImportError: tf.contrib is not in", ""),
            ("from tensorflow.contrib import summary, slim",
             "ImportError: tf.contrib.slim is not in", "tf.layers"),
            ("from tensorflow.estimator import DNNClassifier",
             "ImportError: tf.estimator.DNNClassifier is", "model_fn"),
            ("import tensorflow.estimator.tpu",
             "ModuleNotFoundError: tf.estimator.tpu is", "no TPU"),
            ("from tensorflow.keras.utils import multi_gpu_model",
             "ImportError: tf.keras.utils.multi_gpu_model is not", "tf.distribute"),
            ("import tensorflow.nothing.here",
             "ModuleNotFoundError: No module named 'tensorflow.nothing'", ""),
            ("from tensorflow import nothing",
             "ImportError: cannot import name 'nothing' from 'tensorflow'", ""),
            ("from tensorflow.keras.layers import Nothing",
             "ImportError: cannot import name 'Nothing' from", ""),
            ("from tensorflow.python.keras.layers import Nothing",
             "ImportError: cannot import name 'Nothing' from", ""),
            ("import tensorflow.python.nothing",
             "ModuleNotFoundError: No module named 'tensorflow.python.nothing'", ""),
            ("import tensorflow.train.Saver",
             "ModuleNotFoundError: No module named 'tensorflow.train.Saver'", ""),
        ]:
            text = refused(statement)
            assert text.startswith(start) and inside in text, text
        """
    )


LIBRARY = """
import tensorflow
import tensorflow as tf
import tensorflow.compat.v1 as tf1
from tensorflow.compat import v1
from tensorflow import keras
import tensorflow.python.keras as python_keras

def import_later():
    import tensorflow.compat.v2.keras.layers as layers
    import tensorflow as later
    return later
"""


def test_libraries_keep_their_tensorflow_2(run, tmp_path):
    library = tmp_path / "lib" / "site-packages" / "some_library"
    library.mkdir(parents=True)
    (library / "__init__.py").write_text(LIBRARY, "utf-8")
    (library / "__main__.py").write_text("from some_library import tf", "utf-8")
    (tmp_path / "sibling.py").write_text("import tensorflow as tf", "utf-8")
    package = tmp_path / "own_package"
    package.mkdir()
    (package / "__init__.py").write_text("from . import part", "utf-8")
    (package / "part.py").write_text("import tensorflow as tf", "utf-8")
    run(
        """
        import runpy, sys
        from npu_lab.tf1 import face, view
        view.install()
        real = sys.modules["tensorflow"]
        sys.path.append("lib/site-packages")

        import own_package
        import sibling
        import tensorflow as tf
        assert sibling.tf is own_package.part.tf is tf is face.tf

        import some_library as library
        assert library.tensorflow is library.tf is library.import_later() is real
        assert library.tf1 is library.v1 and library.v1 is real.compat.v1
        assert library.v1.__version__.startswith("2.")
        assert library.keras is real.keras
        assert library.python_keras.__name__ == "tensorflow.python.keras"
        started = runpy.run_module("some_library", run_name="__main__")
        assert started["tf"] is real

        assert sys.modules["tensorflow"] is real
        assert sys.modules["tensorflow.compat.v1"] is real.compat.v1
        import tf_keras, npu_lab.device
        import importlib
        assert importlib.import_module("tensorflow") is real
        """
    )


def test_notebook_cells_are_user_code_and_ipython_is_a_library(run):
    run(
        """
        from IPython.core.interactiveshell import InteractiveShell
        import sys
        from npu_lab.tf1 import face, view
        shell = InteractiveShell.instance()
        shell.run_cell("import tensorflow as early").raise_error()
        view.install()
        shell.run_cell("import tensorflow as tf; from tensorflow import keras")
        shell.run_cell("def later():\\n    import tensorflow as tf\\n    return tf")
        names = shell.user_ns
        assert names["tf"] is names["later"]() is face.tf
        assert names["early"] is face.tf  # led to the view when that was installed
        view.uninstall()
        real = sys.modules["tensorflow"]
        assert names["early"] is names["later"]() is real
        """
    )


def test_a_module_input_data_of_the_users_own_wins(run, tmp_path):
    (tmp_path / "input_data.py").write_text("mine = True", "utf-8")
    run(
        """
        from npu_lab.tf1 import view
        view.install()
        import input_data
        assert input_data.mine
        """
    )


def test_an_error_inside_the_users_input_data_is_told(run, tmp_path):
    (tmp_path / "input_data.py").write_text("import no_such_thing", "utf-8")
    error = run(
        """
        from npu_lab.tf1 import view
        view.install()
        import input_data
        """,
        fails=True,
    )
    assert error.endswith("ModuleNotFoundError: No module named 'no_such_thing'\n")


@pytest.fixture
def _no_hook():
    stock = builtins.__import__
    yield
    importing.uninstall()
    builtins.__import__ = stock


@pytest.mark.usefixtures("_no_hook")
def test_installing_twice_and_removing_twice_is_harmless():
    stock = builtins.__import__
    importing.install()
    hook = builtins.__import__
    importing.install()
    assert builtins.__import__ is hook is not stock
    importing.uninstall()
    assert builtins.__import__ is stock
    importing.uninstall()
    assert builtins.__import__ is stock


@pytest.mark.usefixtures("_no_hook")
def test_below_another_hook_it_becomes_a_pass_through():
    importing.install()
    inner, calls = builtins.__import__, []

    def other(name, *arguments, **options):
        calls.append(name)
        return inner(name, *arguments, **options)

    builtins.__import__ = other
    user = {"__name__": "__main__"}
    exec("import tensorflow as tf", user)  # noqa: S102
    assert user["tf"] is face.tf
    importing.uninstall()
    assert builtins.__import__ is other
    exec("import tensorflow as tf", user)  # noqa: S102
    assert user["tf"] is sys.modules["tensorflow"] is not face.tf
    importing.install()
    exec("import tensorflow as tf", user)  # noqa: S102
    assert user["tf"] is face.tf
    importing.uninstall()
    exec("import tensorflow as tf", user)  # noqa: S102
    assert user["tf"] is sys.modules["tensorflow"]
    assert calls.count("tensorflow") == 3


@pytest.mark.parametrize(
    ("namespace", "user"),
    [
        ({"__name__": "__main__"}, True),
        ({"__name__": "__main__", "__file__": __file__}, True),
        ({"__name__": "made_by_exec"}, True),
        ({"__name__": "numpy.made_by_exec"}, False),
        ({"__name__": "collections.made_by_exec"}, False),
        ({"__name__": "__main__", "__file__": np.__file__}, False),
        ({"__name__": "json", "__file__": __import__("json").__file__}, False),
        ({"__name__": "face", "__file__": face.__file__}, False),
        ({"__name__": "x", "__file__": "/usr/lib/python3/dist-packages/x.py"}, False),
        ({"__name__": "x", "__file__": "script.py"}, True),
        ({}, False),
        (None, False),
    ],
)
def test_who_counts_as_user(namespace, user):
    assert importing.is_user_code(namespace) is user
