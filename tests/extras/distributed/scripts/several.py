"""Runs other scripts in this process, one after the other, each in its own folder."""

import contextlib
import runpy
import sys
from pathlib import Path

import tensorflow as tf

HERE = Path.cwd()
for line in sys.argv[1:]:
    name, *arguments = line.split()
    folder = HERE / Path(name).stem
    folder.mkdir()
    sys.argv[:] = [name, *arguments]
    tf.reset_default_graph()
    tf.keras.backend.clear_session()
    with contextlib.chdir(folder):
        runpy.run_path(str(Path(__file__).with_name(name)), run_name="__main__")
