"""Answers to the exercises of lesson 15: right ones, and the known wrong ones."""

from __future__ import annotations

import importlib

_bundled = importlib.import_module("npu_lab.extras.capstone.bundled")
RIGHT: dict[str, str] = dict(_bundled.SCRIPTS["one_shot"].edits)
_ITERATOR, _SESSION, _LOOP = RIGHT
# Another N is as good, where it stands in all three places.
ANOTHER_N = {
    piece: mended.replace(".i = 10", ".i = 20")
    .replace("train_op, 10)", "train_op, 20)")
    .replace("// 10", "// 20")
    for piece, mended in RIGHT.items()
}
ONE_SHOT_LEFT = {
    _SESSION: RIGHT[_SESSION],
    _LOOP: RIGHT[_LOOP].replace("    sess.run(iterator.initializer)\n", ""),
}
UNDIVIDED = {**RIGHT, _LOOP: RIGHT[_LOOP].replace(" // 10", "")}
NOT_ON_THE_DEVICE = {
    **RIGHT,
    _SESSION: RIGHT[_SESSION].replace(
        'custom_op.parameter_map["enable_data_pre_proc"].b = True\n', ""
    ),
}
NO_SUCH_PIECE = {"with tf.Session() as sess:": "with tf.Session(config) as sess:"}
BROKEN = {_LOOP: "    for step in range(STEPS // 10)"}
