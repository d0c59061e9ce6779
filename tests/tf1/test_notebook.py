"""The view in a real kernel: cells see it, start-up chatter does not reach them."""

from __future__ import annotations

import os
import textwrap
from pathlib import Path

import nbformat
from nbclient import NotebookClient

from npu_lab.tf1 import __file__ as package

ROOT = Path(package).resolve().parents[2]

CELLS = [
    """
    import tensorflow as tf
    from npu_lab.tf1 import view
    view.install()
    print(tf.__version__)
    """,
    """
    import tensorflow as tf
    import tensorflow.compat.v1 as v1
    x = tf.placeholder(tf.float32, [None, 4])
    loss = tf.reduce_mean(tf.layers.dense(x, 1))
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(train, {x: [[1, 2, 3, 4]]})
    print(v1 is tf, loss.shape.ndims)
    """,
    """
    import os
    _ = os.write(2, b"E0000 00:00:1.5    7 some.cc:1] an error of the native part\\n")
    """,
    """
    view.uninstall()
    import tensorflow as tf
    print(tf.__version__[:2], int(tf.constant(1)))
    """,
]


def outputs(cell):
    streams = {"stdout": "", "stderr": ""}
    for output in cell.outputs:
        streams[output.name] += output.text
    return streams["stdout"], streams["stderr"]


def test_cells_see_the_view_and_only_errors_reach_the_notebook(tmp_path):
    sources = ["import npu_lab._tensorflow", *map(textwrap.dedent, CELLS)]
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(source) for source in sources]
    )
    environment = {k: v for k, v in os.environ.items() if not k.startswith("TF_")}
    # With this variable ipykernel does not capture file descriptor 2
    environment.pop("PYTEST_CURRENT_TEST", None)
    environment["PYTHONPATH"] = str(ROOT)
    NotebookClient(notebook, timeout=120, kernel_name="python3").execute(
        cwd=str(tmp_path), env=environment
    )
    start, rebound, trained, native, restored = map(outputs, notebook.cells)
    assert start == ("", "")
    assert rebound == ("1.15.0\n", "")
    assert trained == ("True 0\n", "")
    assert native[0] == ""
    assert native[1].endswith("an error of the native part\n")
    assert restored == ("2. 1\n", "")
