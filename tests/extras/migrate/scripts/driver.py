"""Runs the scripts of a folder, each in a graph of its own, and prints their losses."""

import json
import runpy
import sys
from pathlib import Path

import tensorflow.compat.v1 as tf

for path in sorted(Path(sys.argv[1]).glob("*.py")):
    tf.reset_default_graph()
    tf.keras.backend.clear_session()
    losses = runpy.run_path(str(path), run_name="__main__")["losses"]
    print("LOSSES", path.name, json.dumps([float(loss) for loss in losses]), flush=True)
