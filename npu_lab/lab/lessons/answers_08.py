"""Answers to the exercises of lesson 08: right ones, and the known wrong ones."""

from __future__ import annotations

from npu_lab.lab.lessons.scripts_08 import LOOP, ONLY_TRAINS

RIGHT_LOOPS = (
    ONLY_TRAINS,
    "for _ in range(60):\n    sess.run([train_op, loss])\n",
    "    for step in range(STEPS):\n        value = sess.run([train_op, loss])",
    ONLY_TRAINS + 'print("trained", STEPS)\n',
)
WRONG_LOOPS = (
    ("refused", LOOP),
    ("refused", "step = 0\nwhile step < STEPS:\n    sess.run(train_op)\n    step += 1"),
    ("refused", "for _ in range(65):\n    sess.run(train_op)"),
    ("refused", "for _ in range(STEPS // 10):\n    sess.run(train_op)"),
    (
        "refused",
        "for _ in range(6):\n    for _ in range(10):\n        sess.run(train_op)",
    ),
    ("steps", "for _ in range(120):\n    sess.run(train_op)"),
    ("no training", "for _ in range(STEPS):\n    sess.run(loss)"),
    (
        "by hand",
        "op = util.set_iteration_per_loop(sess, train_op, 10)\n"
        "for _ in range(6):\n    sess.run(op)",
    ),
    ("syntax", "for _ in range(STEPS)\n    sess.run(train_op)"),
    ("no text", 60),
)

_ONE = (
    'custom_op.parameter_map["iterations_per_loop"].i = 10\n'
    'custom_op.parameter_map["enable_data_pre_proc"].b = True'
)
_TWO = "train_op = util.set_iteration_per_loop(sess, train_op, 10)"
_THREE = "for _ in range(STEPS // 10):"
RIGHT_LINES = (
    [_ONE, _TWO, _THREE],
    ("    " + _ONE.replace("\n", "\n    "), _TWO, "for _ in range(6):"),
)
_UNMENDED = (
    'custom_op.parameter_map["iterations_per_loop"].i = 10',
    "util.set_iteration_per_loop(sess, train_op, 10)",
    "for _ in range(STEPS):",
)
WRONG_LINES = (
    ("found", _UNMENDED),
    ("found", [_ONE, _TWO, _UNMENDED[2]]),
    ("found", [_UNMENDED[0], _TWO, _THREE]),
    ("found", [_ONE, _UNMENDED[1], _THREE]),
    ("not sunk", [_ONE.replace("= 10", "= 1"), "pass", _UNMENDED[2]]),
    ("steps", [_ONE, _TWO, "for _ in range(12):"]),
    ("syntax", [_ONE, _TWO, "for _ in range(STEPS // 10)"]),
    ("no lines", _TWO),
    ("no lines", [_ONE, _TWO]),
)
