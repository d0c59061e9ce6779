"""Ranks are started, watched and ended; the one that failed first is told."""

from __future__ import annotations

import _thread
import json
import signal
import threading
import time
from pathlib import Path

import pytest

from npu_lab.extras.distributed.launcher import launch

pytestmark = pytest.mark.usefixtures("light")

SLEEP = "time.sleep(100)"


def test_each_rank_gets_its_environment_arguments_and_log(script, tmp_path: Path):
    path = script(
        "names = ('RANK_ID', 'RANK_SIZE', 'ASCEND_DEVICE_ID', 'JOB_ID')\n"
        "print([os.environ[n] for n in names], sys.argv[1:], os.getcwd())\n"
        "print(os.environ['RANK_TABLE_FILE'], file=sys.stderr)"
    )
    job = launch(path, ["--n", 10], ranks=2, folder=tmp_path / "job")
    assert (job.ok, job.status, job.first_failure) == (True, 0, None)
    assert job.message.startswith("all 2 ranks ended well, in ")
    table = tmp_path / "job" / "rank_table.json"
    for number, rank in enumerate(job.ranks):
        assert (rank.rank, rank.status, rank.error) == (number, 0, None)
        told = [[str(number), "2", str(number), "10087"], ["--n", "10"]]
        assert rank.log.read_text("utf-8").splitlines() == [
            f"{told[0]} {told[1]} {Path.cwd()}",
            str(table),
        ]
    assert len(json.loads(table.read_text("utf-8"))["server_list"][0]["device"]) == 2
    assert not list((tmp_path / "job").glob(".*"))


def test_what_an_earlier_job_left_is_gone(script, tmp_path: Path):
    path = script("print(rank)")
    launch(path, ranks=3, folder=tmp_path / "job")
    (tmp_path / "job" / "notes.txt").touch()
    launch(path, ranks=2, folder=tmp_path / "job")
    names = {p.name for p in (tmp_path / "job").iterdir()}
    assert names == {
        *("notes.txt", "rank_table.json"),
        *(f"rank_{n}.{kind}" for n in range(2) for kind in ("log", "json")),
    }


def test_the_first_failure_ends_the_others(script):
    begun = time.monotonic()
    job = launch(script(f"if rank == 1: raise ValueError('x')\n{SLEEP}"), ranks=3)
    assert time.monotonic() - begun < 15
    assert (job.status, job.first_failure.rank) == (1, 1)
    assert job.message == (
        "rank 1 failed first, before its first step was done: ValueError: x"
    )
    assert [rank.how for rank in job.ranks] == ["stopped", "status 1", "stopped"]
    assert job.first_failure.last_lines(1) == ["ValueError: x"]


def test_its_status_is_the_jobs(script):
    job = launch(script(f"if rank == 0: sys.exit(7)\n{SLEEP}"), ranks=2)
    assert (job.status, job.ok) == (7, False)
    assert "it ended with status 7" in job.message


def test_of_a_rank_without_a_report_the_last_line_is_told(script):
    text = f"if rank == 0:\n    print('no disk', flush=True)\n    os._exit(3)\n{SLEEP}"
    job = launch(script(text), ranks=2)
    assert "it ended with status 3; its last line: no disk" in job.message


def test_a_killed_rank_is_the_first_whatever_survivors_do(script):
    job = launch(
        script(
            "ready = sys.argv[0] + '.ready'\n"
            "if rank == 1:\n"
            "    while not os.path.exists(ready): time.sleep(0.01)\n"
            "    time.sleep(0.5)\n"
            "    progress._own[0].calls, progress._own[0].steps = 3, 30\n"
            "    progress._own[0].tell()\n"
            "    os.kill(os.getpid(), 9)\n"
            "try:\n"
            "    open(ready, 'w').close()\n"
            "    time.sleep(100)\n"
            "except KeyboardInterrupt:\n"
            "    os.abort()"
        ),
        ranks=2,
    )
    assert (job.status, job.first_failure.rank) == (128 + signal.SIGKILL, 1)
    assert job.message == (
        "rank 1 failed first, after step 30 at least (training calls that had ended:"
        " 3): it was killed by SIGKILL (kill -9, or the system was out of memory)"
    )
    assert (job.ranks[0].status, job.ranks[0].how) == (-signal.SIGABRT, "stopped")


def test_a_survivor_that_aborts_by_itself_is_not_the_first(script):
    text = (
        "pid = sys.argv[0] + '.pid'\n"
        "if rank == 1:\n"
        "    open(pid, 'w').write(str(os.getpid()))\n"
        "    os.rename(pid, pid + '.written')\n"
        "    time.sleep(1.5)\n"
        "    os.kill(os.getpid(), 9)\n"
        "signal.signal(2, signal.SIG_IGN)\n"
        "while not os.path.exists(pid + '.written'): time.sleep(0.01)\n"
        "while os.path.exists('/proc/' + open(pid + '.written').read()): pass\n"
        "os.abort()"
    )
    job = launch(script(text), ranks=2)
    assert (job.first_failure.rank, job.status) == (1, 137)
    assert job.ranks[0].status == -signal.SIGABRT


def test_a_script_that_failed_earlier_than_its_process_ended_is_the_first(script):
    text = (
        "failed = sys.argv[0] + '.failed'\n"
        "if rank == 1:\n"
        "    threading.Thread(target=time.sleep, args=[1.5]).start()\n"
        "    open(failed, 'w').close()\n"
        "    raise ValueError('cause')\n"
        "while not os.path.exists(failed): time.sleep(0.01)\n"
        "time.sleep(0.3)\n"
        "print('later', flush=True)\n"
        "time.sleep(0.5)\n"
        "raise RuntimeError('consequence')"
    )
    said: list[str] = []
    job = launch(script(text), ranks=2, say=said.append)
    assert not [line for line in said if "later" in line]
    assert job.message.endswith(": ValueError: cause")
    assert (job.first_failure.rank, job.first_failure.error) == (1, "ValueError: cause")


def test_a_rank_that_does_not_want_to_end_is_killed(script):
    text = (
        "if rank == 0:\n"
        "    for n in (2, 15): signal.signal(n, signal.SIG_IGN)\n"
        "    open(sys.argv[0] + '.ready', 'w').close()\n"
        "    time.sleep(100)\n"
        "while not os.path.exists(sys.argv[0] + '.ready'): time.sleep(0.01)\n"
        "sys.exit(3)"
    )
    begun = time.monotonic()
    job = launch(script(text), ranks=2)
    assert time.monotonic() - begun < 15
    assert (job.status, job.ranks[0].status) == (3, -signal.SIGKILL)


def test_a_rank_that_ends_without_the_others_is_told(script):
    job = launch(
        script(f"if rank == 0:\n    progress.reach(Stage.WAITING)\n    {SLEEP}"),
        ranks=2,
    )
    assert (job.status, job.first_failure.rank) == (1, 1)
    assert "without joining the others, which wait for it" in job.message


def test_a_rank_that_ended_well_before_is_named(script):
    text = (
        "progress.reach(Stage.TOGETHER)\n"
        "if rank == 0:\n"
        "    progress._own[0].calls = progress._own[0].steps = 13\n"
        "    progress._own[0].tell()\n"
        "    sys.exit()\n"
        "time.sleep(1)\n"
        "raise RuntimeError('no partner')"
    )
    job = launch(script(text), ranks=2)
    assert job.message.splitlines() == [
        "rank 1 failed first, before its first step was done: RuntimeError: no partner",
        "Rank 0 had ended before, with status 0, after step 13 (training calls: 13).",
    ]


def test_a_rank_that_fell_silent_is_named(script):
    text = (
        "progress.reach(Stage.TOGETHER)\n"
        f"if rank == 0: {SLEEP}\n"
        "time.sleep(1.5)\n"
        "raise TimeoutError('no partner')"
    )
    message = launch(script(text), ranks=2).message
    assert "Rank 0 was still running, before its first step was done; " in message


def test_what_a_rank_has_started_ends_as_well(script):
    launch(script("subprocess.Popen(['sleep', '100'])"), ranks=2)  # `mark` looks


def test_lines_come_with_the_rank_and_none_after_the_failure(script):
    said: list[str] = []
    text = (
        "print('begin', rank, flush=True)\n"
        "begun = sys.argv[0] + '.begun'\n"
        "if rank == 0:\n"
        "    open(begun, 'w').close()\n"
        "    try: time.sleep(100)\n"
        "    except KeyboardInterrupt: print('survivor', flush=True); time.sleep(1)\n"
        "while not os.path.exists(begun): time.sleep(0.01)\n"
        "time.sleep(1)\n"
        "sys.exit(1)"
    )
    launch(script(text), ranks=2, say=said.append)
    assert sorted(said) == ["[rank 0] begin 0", "[rank 1] begin 1"]


def test_an_error_of_the_launchers_own_ends_the_ranks(script):
    def say(line):
        raise RuntimeError(line)

    with pytest.raises(RuntimeError, match=r"\[rank 0\] begin"):
        launch(script(f"print('begin', flush=True)\n{SLEEP}"), ranks=1, say=say)


def test_it_works_in_a_thread(script):
    jobs = []
    path = script("print(rank)")
    thread = threading.Thread(target=lambda: jobs.append(launch(path, ranks=2)))
    thread.start()
    thread.join(60)
    assert jobs[0].ok


def test_an_interrupt_ends_the_ranks_and_is_raised(script):
    timer = threading.Timer(1, _thread.interrupt_main)
    timer.start()
    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        launch(script(SLEEP), ranks=2)
    assert time.monotonic() - begun < 6


def test_the_report_of_the_job_and_its_table(script):
    job = launch(script("if rank == 1: raise ValueError('x')\ntime.sleep(9)"), ranks=2)
    told = json.loads(json.dumps(job.as_dict()))
    assert (told["exit"], told["status"], told["first_failure"]) == ("error", 1, 1)
    assert [rank["rank"] for rank in told["ranks"]] == [0, 1]
    assert told["ranks"][1]["error"] == "ValueError: x"
    assert told["ranks"][0]["stopped"]
    header, first, second, total = job.table().splitlines()
    assert header.split()[:2] == ["rank", "ended"]
    assert first.split()[:2] == ["0", "stopped"]
    assert second.split()[:3] == ["1", "status", "1"]
    assert total.split()[:3] == ["job", "status", "1"]
    assert str(job) == f"{job.table()}\n{job.message}"
