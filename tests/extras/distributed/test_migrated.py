"""Scripts for several GPUs, migrated by the tool, train on two ranks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.extras.distributed.conftest import SCRIPTS, Launch, Rank, succeeded
from tests.extras.distributed.test_numbers import weights

pytest.importorskip("libcst")

from npu_lab.extras.migrate.command import main

STEPS = 20
HOOKS = "    hooks = [\n"
MINIMISED = "        train_op = optimizer.minimize(loss, global_step=step)\n"
OPTION = 'custom_op.parameter_map["use_off_line"].b = True\n'


def migrated(script: str, mode: str, profile: str, folder: Path) -> Path:
    """The script as the tool writes it; nothing may be left to do by hand."""
    given = ["-i", SCRIPTS / script, "-o", folder / "out", "-r", folder / "report"]
    told = [*map(str, given), "-d", mode, "--profile", profile]
    assert main(told) == 0
    (made,) = (folder / "out").glob("*/*.py")
    return made


def trained_alike(ranks: list[Rank]) -> None:
    first, second = map(weights, ranks)
    assert first.keys() == second.keys()
    assert len(first) >= 4
    for name, value in first.items():
        assert np.abs(value - second[name]).max() == 0
    assert any(np.abs(value).max() > 0.1 for value in first.values())


def test_a_horovod_script_trains_as_it_did(launch: Launch, tmp_path: Path):
    made = migrated("horovod_mnist.py", "horovod", "auto", tmp_path)
    assert "horovod" not in made.read_text("utf-8").partition('"""\n')[2]
    ranks = succeeded(launch(2, made, "--steps", STEPS))
    trained_alike(ranks)
    for number, rank in enumerate(ranks):
        assert f"rank {number} of 2 loss" in rank.out
        # The tool does not ask for a loop.
        assert {x["in_effect"] for x in rank.report["loops"]} == {False}
        assert rank.report["training_calls"] == STEPS
        assert "may differ between the ranks: batch_normalization/moving_" in rank.err
    first, second = (rank.folder / "checkpoints" for rank in ranks)
    assert (first / f"model.ckpt-{STEPS}.index").exists()
    assert not second.exists()


def test_a_horovod_script_is_sunk_where_it_asks_for_it(launch: Launch, tmp_path: Path):
    made = migrated("horovod_mnist.py", "horovod", "manual", tmp_path)
    text = made.read_text("utf-8")
    # What the documentation adds by hand to sink 10 steps into each call.
    for line, changed in (
        (HOOKS, f"{HOOKS}        SetIterationsVarHook(10),\n"),
        (
            MINIMISED,
            f'{MINIMISED}    train_op = tf.group(train_op, name="IterationOp")\n',
        ),
        (
            OPTION,
            f'{OPTION}    custom_op.parameter_map["iterations_per_loop"].i = 10\n'
            '    custom_op.parameter_map["enable_data_pre_proc"].b = True\n',
        ),
        ("make_one_shot_iterator(dataset)", "make_initializable_iterator(dataset)"),
        (
            "iterator(dataset).get_next()",
            "iterator(dataset)\n    tf.add_to_collection("
            "tf.GraphKeys.TABLE_INITIALIZERS, iterator.initializer)\n"
            "    return iterator.get_next()",
        ),
        ("    return tf.data.make_init", "    iterator = tf.data.make_init"),
    ):
        assert text.count(line) == 1, line
        text = text.replace(line, changed)
    made.write_text(text, "utf-8")
    ranks = succeeded(launch(2, made, "--steps", STEPS))
    trained_alike(ranks)
    for rank in ranks:
        assert {x["in_effect"] for x in rank.report["loops"]} == {True}
        assert rank.report["training_calls"] == STEPS // 10
        assert rank.report["device_iterations"] == STEPS
        assert rank.report["batches_pulled"] == STEPS


@pytest.mark.parametrize(
    "profile", ["auto", pytest.param("manual", marks=pytest.mark.slow)]
)
def test_a_script_of_mirrored_strategy_trains_alike(
    launch: Launch, tmp_path: Path, profile: str
):
    made = migrated("mirrored_mnist.py", "tf_strategy", profile, tmp_path)
    assert "MirroredStrategy" not in made.read_text("utf-8").partition('"""\n')[2]
    ranks = succeeded(launch(2, made, "--steps", STEPS))
    trained_alike(ranks)
    for rank in ranks:
        assert rank.report["training_calls"] == STEPS
