"""The command line: what it takes, what it writes, and its exit status."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("libcst")

from npu_lab import cli
from npu_lab.extras.migrate.command import main

TF = "import tensorflow as tf\n"
SESSION = TF + "s = tf.Session()\n"
MIGRATED = (
    "from npu_bridge.npu_init import *\n"
    + TF
    + "s = tf.Session(config=npu_config_proto())\n"
)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NPU_LAB_LANG", "en")
    source = tmp_path / "in"
    (source / "sub" / "empty").mkdir(parents=True)
    (source / "train.py").write_text(SESSION)
    (source / "sub" / "setup.py").write_text("import os\n")
    (source / "data.bin").write_bytes(b"\0\1")
    (source / "train.py").chmod(0o755)
    return tmp_path


def the(folder, pattern):
    found = list(Path(folder).glob(pattern))
    assert len(found) == 1
    return found[0]


def test_a_folder_is_written_beside_with_all_that_was_in_it(folder):
    assert main(["-i", "in", "-o", "out", "-r", "rep"]) == 0
    out = the("out", "in_npu_" + "[0-9]" * 14)
    assert (out / "train.py").read_text() == MIGRATED
    assert (out / "train.py").stat().st_mode & 0o777 == 0o755
    assert (out / "sub" / "empty").is_dir()
    assert (out / "data.bin").read_bytes() == b"\0\1"
    assert (folder / "in" / "train.py").read_text() == SESSION
    names = {path.name for path in the("rep", "report_npu_*").iterdir()}
    assert names == {
        "report.json", "report.html", "success_report.txt", "failed_report.txt",
        "need_migration_doc.txt", "api_analysis_report.csv", "api_brief_report.txt",
    }  # fmt: skip
    assert {path.name for path in folder.iterdir()} == {"in", "out", "rep"}


def test_folders_are_named_by_the_time_when_none_is_given(folder):
    assert main(["--input", "in"]) == 0
    the(".", "output_npu_*/in_npu_*/train.py")
    the(".", "report_npu_*/report_npu_*/report.json")


def test_a_file_may_be_given():
    assert main(["-i", "in/train.py", "-o", "out", "-r", "rep"]) == 0
    out = the("out", "train_npu_*")
    assert [path.name for path in out.iterdir()] == ["train.py"]
    assert (out / "train.py").read_text() == MIGRATED


def test_something_for_a_hand_is_status_1_and_the_rest_is_done(folder, capsys):
    (folder / "in" / "old.py").write_text("import os\nprint 'x'\n")
    assert main(["-i", "in", "-o", "out", "-r", "rep"]) == 1
    assert the("out", "*/train.py").read_text() == MIGRATED
    assert the("out", "*/old.py").read_text() == "import os\nprint 'x'\n"
    assert the("rep", "*/failed_report.txt").read_text().startswith("old.py:2:1")
    assert "2to3" in capsys.readouterr().err


@pytest.mark.parametrize(
    "given",
    [
        [],
        ["-i", "absent"],
        ["-i", "in/data.bin"],
        ["-i", "in", "-m", "absent.py"],
        ["-i", "in", "-m", "outside.py"],
        ["-i", "in", "-d", "mpi"],
        ["-i", "in", "-o", "in/out"],
        ["-i", "in", "-r", "in/sub"],
        ["-i", "in", "-l", "in/data.bin"],
        ["-i", "in", "--tf", "2", "-d", "horovod"],
        ["--explain", "X99"],
        ["--unknown"],
    ],
)
def test_wrong_usage_is_status_2_and_writes_nothing(folder, given, capsys):
    (folder / "outside.py").write_text("")
    before = sorted(folder.rglob("*"))
    assert main(given) == 2
    assert sorted(folder.rglob("*")) == before
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize(
    "given", [["--distributed_mode=horovod"], ["--distributed_mode", "tf_strategy"]]
)
def test_the_long_option_works(given):
    assert main(["-i", "in", "--check", *given]) == 1


def test_a_folder_whose_name_only_begins_like_the_input_is_outside(folder):
    (folder / "x" / "in").mkdir(parents=True)
    assert main(["-i", "in", "-o", "x/in/out", "-r", "inner"]) == 0


def test_check_writes_nothing_and_says_whether_anything_would_change(folder):
    before = sorted(folder.rglob("*"))
    assert main(["-i", "in", "--check"]) == 1
    assert main(["-i", "in/sub", "--check"]) == 0
    assert sorted(folder.rglob("*")) == before


def test_a_diff_can_be_applied(folder, capsys):
    (folder / "in" / "ff.py").write_bytes((SESSION + "\f\nx = 1").encode())
    before = sorted(folder.rglob("*"))
    assert main(["-i", "in", "--diff"]) == 0
    assert sorted(folder.rglob("*")) == before
    patch = capsys.readouterr().out
    subprocess.run(["patch", "-p1"], input=patch.encode(), cwd="in", check=True)
    assert (folder / "in" / "train.py").read_text() == MIGRATED
    assert (folder / "in" / "ff.py").read_bytes() == (MIGRATED + "\f\nx = 1").encode()


def test_explain(capsys):
    assert main(["--explain", "S1"]) == 0
    said = capsys.readouterr().out
    assert "tf.Session" in said
    assert "npu_config_proto" in said


def test_the_report_as_json(capsys):
    assert main(["-i", "in", "--check", "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["schema"] == 1
    assert report["counts"]["changed"] == 1
    changed = [f for f in report["findings"] if f["rule"] == "S1"]
    assert changed == [
        {
            "rule": "S1", "level": "changed", "path": "train.py", "cell": 0, "line": 2,
            "column": 5, "place": "train.py:2:5", "reason": changed[0]["reason"],
            "before": "tf.Session()", "after": "tf.Session(config=npu_config_proto())",
        }
    ]  # fmt: skip
    assert {"place": "train.py:2:5", "api": "tf.Session", "module": "tf",
            "level": "tool_train"} in report["api"]  # fmt: skip


def test_api_levels_by_any_name(folder):
    (folder / "in" / "more.py").write_text(
        "from tensorflow import nn\nimport tensorflow.compat.v1 as t\n"
        "y = map(nn.relu, x)\nz = t.abs(x)\n"
    )
    main(["-i", "in", "-o", "out", "-r", "rep"])
    text = the("rep", "*/api_analysis_report.csv").read_text("utf-8-sig")
    rows = {(row["place"], row["api"]) for row in csv.DictReader(text.splitlines())}
    assert {("more.py:3:9", "tf.nn.relu"), ("more.py:4:5", "tf.abs")} <= rows


def test_a_table_of_ones_own(folder):
    (folder / "table.csv").write_text("api,module,level\ntf.Session,tf,unsupported\n")
    main(["-i", "in", "-o", "out", "-r", "rep", "-l", "table.csv"])
    assert "tf.Session" in the("rep", "*/need_migration_doc.txt").read_text()


def test_the_main_script_is_found_behind_a_link(folder):
    keras = TF + "m = tf.keras.Sequential([])\nm.fit(x)\n"
    (folder / "in" / "go.py").write_text(keras)
    (folder / "link").symlink_to("in")
    assert main(["-i", "link", "-m", "in/go.py", "-o", "out", "-r", "rep"]) == 0
    assert "npu_keras_sess" in the("out", "link_npu_*/go.py").read_text()


def test_horovod_is_left_in_all_files_when_one_cannot_be_converted(folder):
    hvd = "import horovod.tensorflow as hvd\n" + TF
    (folder / "in" / "a.py").write_text(hvd + "hvd.init()\n")
    (folder / "in" / "b.py").write_text(hvd + "hvd.broadcast_variables(v, 0)\n")
    assert main(["-i", "in", "-o", "out", "-r", "rep", "-d", "horovod"]) == 1
    assert the("out", "*/a.py").read_text() == hvd + "hvd.init()\n"
    assert "b.py:3:1" in the("rep", "*/failed_report.txt").read_text()


def test_many_files_give_the_same_by_several_processes(folder):
    for number in range(40):
        (folder / "in" / f"f{number}.py").write_text(SESSION)
    main(["-i", "in", "-o", "out1", "-r", "rep1", "--jobs", "1"])
    main(["-i", "in", "-o", "out2", "-r", "rep2", "--jobs", "2"])
    one, two = (the(f"rep{n}", "*/report.json").read_text() for n in (1, 2))
    assert one == two


def test_as_a_command_of_npu_lab(capsys):
    assert cli.main(["migrate", "--explain", "S1"]) == 0
    assert cli.main(["migrate"]) == 2
    assert "-i" in capsys.readouterr().err


@pytest.mark.parametrize("language", ["en", "zh"])
def test_chinese_sources_on_a_console_of_gbk(folder, language):
    (folder / "in" / "gbk.py").write_bytes(
        "# coding: gbk\n# 训练\n".encode("gbk") + SESSION.encode() + b"print('x', *a)\n"
    )
    (folder / "in" / "utf.py").write_text("# 训练 ☃\n" + SESSION)
    (folder / "in" / "old.py").write_text("# 训练 ☃\nprint '☃'\n")
    variables = {
        **os.environ, "PYTHONIOENCODING": "gbk", "NPU_LAB_LANG": language,
        "PYTHONPATH": str(Path(cli.__file__).parents[1]),
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-m", "npu_lab", "migrate", "-i", "in", "--diff", "--json"],
        env=variables, capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1, done.stderr.decode("gbk")
    done.stdout.decode("gbk")


def test_scripts_of_tensorflow_2_that_start_nowhere(folder):
    (folder / "in" / "train.py").write_text(
        TF + "m = tf.keras.Sequential([])\nm.fit(x)\ntf.random.set_seed(1)\n"
    )
    assert main(["-i", "in", "--check"]) == 1
    assert main(["-i", "in", "-m", "in/train.py", "-o", "out", "-r", "rep"]) == 0
    begin = "import npu_device as npu\nnpu.open().as_default()\n"
    assert the("out", "*/train.py").read_text().startswith(begin)


def test_nothing_that_is_not_bound_is_left_of_horovod(folder):
    """The example as Horovod's own documentation has it, in words of ours."""
    text = (
        "import horovod.tensorflow as hvd\n" + TF + "# Begin.\nhvd.init()\n"
        "config = tf.ConfigProto()\n"
        "config.gpu_options.visible_device_list = str(hvd.local_rank())\n"
        "opt = tf.train.AdagradOptimizer(0.01 * hvd.size())\n"
        "opt = hvd.DistributedOptimizer(opt)\n"
        "hooks = [hvd.BroadcastGlobalVariablesHook(0)]\nop = opt.minimize(loss)\n"
        "where = '/tmp/x' if hvd.rank() == 0 else None\n"
        "with tf.train.MonitoredTrainingSession(checkpoint_dir=where,\n"
        "                                       config=config,\n"
        "                                       hooks=hooks) as s:\n"
        "    while not s.should_stop():\n        s.run(op)\n"
    )
    (folder / "in" / "train.py").write_text(text)
    assert main(["-i", "in", "-o", "out", "-r", "rep", "-d", "horovod"]) == 0
    made = the("out", "*/train.py").read_text()
    assert "hvd" not in made
    assert "# Begin.\n" in made
    assert made.index("init_resource()") < made.index("get_npu_local_rank_id()")
    assert "config=npu_config_proto(config_proto=config),\n" in made


def test_the_page_holds_everything_and_asks_for_nothing(folder):
    (folder / "in" / "train.py").write_text(
        SESSION + "x = '<script>&'; tf.Session(x)\n"
    )
    assert main(["-i", "in", "-o", "out", "-r", "rep"]) == 0
    page = the("rep", "*/report.html").read_text()
    assert "tf.Session(config=npu_config_proto())" in page
    assert "train.py:2:5" in page
    assert "prefers-color-scheme:dark" in page
    for outside in ("http:", "https:", "src=", "href=", "@import"):
        assert outside not in page


def test_links_and_folders_that_cannot_be_written_are_no_hindrance(folder):
    (folder / "in" / "link.py").symlink_to("train.py")
    (folder / "in" / "away.py").symlink_to("nowhere.py")
    closed = folder / "in" / "closed"
    closed.mkdir()
    (closed / "a.py").write_text(SESSION)
    closed.chmod(0o555)
    try:
        assert main(["-i", "in", "-o", "out", "-r", "rep"]) == 0
    finally:
        closed.chmod(0o755)
    assert the("out", "*/closed/a.py").read_text() == MIGRATED
    assert the("out", "*/closed").stat().st_mode & 0o777 == 0o555
    the("out", "*/closed").chmod(0o755)
    assert the("out", "*/link.py").read_text() == MIGRATED
    assert the("out", "*/away.py".replace("away", "link")).exists()
    assert (folder / "in" / "train.py").read_text() == SESSION


def test_a_subclass_of_an_estimator_gives_its_base_the_configuration(folder):
    text = (
        TF + "class E(tf.estimator.Estimator):\n    def __init__(self, c):\n"
        "        super().__init__(fn, config={})\n"
    )
    (folder / "in" / "train.py").write_text(text.format("c"))
    assert main(["-i", "in", "-o", "out", "-r", "rep"]) == 0
    made = the("out", "*/train.py").read_text()
    assert text.format("npu_run_config_init(run_config=c)") in made


def test_a_name_that_is_no_utf8_is_reported(folder):
    odd = os.fsencode(folder / "in") + b"/\xff.py"
    with open(odd, "w") as file:
        file.write(SESSION)
    assert main(["-i", "in", "-o", "out", "-r", "rep"]) == 0
    made = json.loads(the("rep", "*/report.json").read_text())
    assert "\udcff.py" in {file["path"] for file in made["files"]}
    assert the("rep", "*/report.html").read_text()
