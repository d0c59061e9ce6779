"""TensorFlow's start-up chatter is dropped, its errors are not."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import npu_lab
from npu_lab._tensorflow import held_back_stderr, worth_showing

ROOT = Path(npu_lab.__file__).resolve().parents[1]


def run(source, *paths, stderr=subprocess.PIPE, before="", **environment):
    clean = {k: v for k, v in os.environ.items() if not k.startswith("TF_")}
    search = os.pathsep.join([*map(str, paths), str(ROOT)])
    command = f'{before} exec "$0" -c "$1"'
    return subprocess.run(
        ["/bin/sh", "-c", command, sys.executable, textwrap.dedent(source)],
        env={**clean, "PYTHONPATH": search, **environment},
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
        timeout=200,
        check=False,
    )


def fake_tensorflow(folder, *lines):
    """A package `tensorflow` that prints like C++ when it is imported."""
    package = folder / "tensorflow"
    package.mkdir()
    source = """
    import os
    CHATTER = [
        b"WARNING: All log messages before absl::InitializeLog() is called are ...",
        b"I0000 00:00:1796053189.771247    7299 cudart_stub.cc:31] no cuda drivers",
        b"2026-01-31 09:30:00.123456: W tensorflow/core/some.cc:12] beware",
        b"E0000 00:00:1796053189.771247    7299 some.cc:52] broken",
        b"2026-01-31 09:30:00.123456: F tensorflow/core/some.cc:12] fatal",
        b"plain words",
    ]
    for line in CHATTER:
        try:
            os.write(2, line + b"\\n")
        except OSError:
            print("stderr is closed")

    class config:
        def list_physical_devices():
            pass
    """
    text = textwrap.dedent(source) + "\n".join(lines)
    (package / "__init__.py").write_text(text, "utf-8")
    return folder


PASSED_ON = [
    "E0000 00:00:1796053189.771247    7299 some.cc:52] broken",
    "2026-01-31 09:30:00.123456: F tensorflow/core/some.cc:12] fatal",
    "plain words",
]


def test_information_and_warnings_are_dropped_and_errors_passed_on(tmp_path):
    done = run("import npu_lab._tensorflow", fake_tensorflow(tmp_path))
    assert done.returncode == 0
    assert done.stderr.splitlines() == PASSED_ON


def test_nothing_is_lost_when_the_import_fails(tmp_path):
    fake_tensorflow(tmp_path, 'raise ImportError("no such symbol")')
    done = run("import npu_lab._tensorflow", tmp_path)
    assert done.returncode != 0
    lines = done.stderr.splitlines()
    assert lines[:3] == PASSED_ON
    assert lines[-1] == "ImportError: no such symbol"


@pytest.mark.parametrize(("level", "shown"), [("0", 6), ("1", 4), ("2", 3), ("3", 2)])
def test_a_log_level_that_the_user_set_is_respected(tmp_path, level, shown):
    fake = fake_tensorflow(tmp_path)
    done = run("import npu_lab._tensorflow", fake, TF_CPP_MIN_LOG_LEVEL=level)
    assert len(done.stderr.splitlines()) == shown


def test_it_works_where_stderr_is_closed(tmp_path):
    source = """
    import npu_lab._tensorflow
    print("imported")
    """
    done = run(source, fake_tensorflow(tmp_path), before="exec 2>&-;", stderr=None)
    assert done.returncode == 0
    assert done.stdout.splitlines() == ["stderr is closed"] * 6 + ["imported"]


def test_what_another_thread_writes_meanwhile_arrives_in_order(capfd):
    with held_back_stderr():
        thread_source = "import os; os.write(2, b'one\\n'); os.write(2, b'two\\n')"
        subprocess.run([sys.executable, "-c", thread_source], check=True)
        assert capfd.readouterr().err == ""
    assert capfd.readouterr().err == "one\ntwo\n"


def test_an_error_inside_still_restores_stderr(capfd):
    def fails():
        with held_back_stderr():
            os.write(2, b"I0000 00:00:1.5    7 x.cc:1] dropped\nkept\n")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fails()
    os.write(2, b"later\n")
    assert capfd.readouterr().err == "kept\nlater\n"


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        (b"I0000 00:00:1.5    7 x.cc:1] text\n", False),
        (b"W0000 00:00:1.5    7 x.cc:1] text\n", False),
        (b"E0000 00:00:1.5    7 x.cc:1] text\n", True),
        (
            b"E0000 00:00:1.5    7 cuda_platform.cc:52] failed call to cuInit: x\n",
            False,
        ),
        (b"In words that begin with I\n", True),
        (b"INFO:tensorflow:Restoring parameters\n", True),
        (b"\n", True),
    ],
)
def test_only_lines_in_the_format_of_a_log_are_judged(line, shown):
    assert worth_showing(line) is shown


def test_a_real_start_trains_and_reads_data_without_a_line_on_stderr():
    done = run(
        """
        from npu_lab._tensorflow import imported_late, no_deprecation_notices, tf
        assert not imported_late
        assert tf.keras.Sequential.__module__.startswith("tf_keras.")
        v1 = tf.compat.v1
        with v1.Graph().as_default(), no_deprecation_notices():
            data = v1.data.Dataset.range(8).map(lambda i: i + 1).repeat().batch(2)
            iterator = v1.data.make_initializable_iterator(data.prefetch(2))
            batch = tf.cast(iterator.get_next(), tf.float32)
            weight = v1.get_variable("weight", initializer=1.0)
            loss = tf.reduce_mean((batch * weight - 1.0) ** 2)
            train = v1.train.MomentumOptimizer(1e-3, 0.9).minimize(loss)
            with v1.Session() as session:
                session.run([v1.global_variables_initializer(), iterator.initializer])
                for _ in range(3):
                    session.run(train)
            with v1.Session() as session:
                session.run(v1.global_variables_initializer())
        """
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_errors_of_a_real_start_that_fails_are_shown():
    done = run(
        "import npu_lab._tensorflow", TF_PLUGGABLE_DEVICE_LIBRARY_PATH="/no/such/plugin"
    )
    assert done.returncode != 0
    assert "/no/such/plugin" in done.stderr
    assert "cudart_stub" not in done.stderr


def test_tensorflow_imported_before_is_taken_as_it_is():
    done = run(
        """
        import os
        import tensorflow
        print("imported", flush=True)
        from npu_lab._tensorflow import imported_late, tf
        assert imported_late
        assert tf is tensorflow
        assert "TF_USE_LEGACY_KERAS" not in os.environ
        """,
        TF_CPP_MIN_LOG_LEVEL="3",
    )
    assert done.returncode == 0, done.stderr
