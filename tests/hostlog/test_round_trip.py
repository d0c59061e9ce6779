"""Whatever is written to the host log is read back as it was."""

from __future__ import annotations

import re
import tempfile

from hypothesis import given
from hypothesis import strategies as st

from npu_lab import hostlog
from npu_lab.hostlog.writer import EVENT, SEVERITY, HostLog, Line
from tests.properties import generated

lines = st.builds(
    Line,
    level=st.sampled_from([*SEVERITY, EVENT]),
    module=st.sampled_from(["GE", "FMK", "RUNTIME"]),
    source=st.from_regex(r"[a-z_/]{1,12}\.cc:(0|[1-9][0-9]{0,4})", fullmatch=True),
    message=st.text(max_size=60),
)


@generated(100)
@given(st.lists(lines, max_size=6))
def test_lines_are_read_back_as_they_were_written(written):
    with tempfile.TemporaryDirectory() as folder:
        environ = {"ASCEND_PROCESS_LOG_PATH": folder, "ASCEND_GLOBAL_LOG_LEVEL": "0"}
        log = HostLog(environ)
        log.write_block(written)
        log.close()
        read = list(hostlog.read(log.folder))
    found = [
        (r.level, r.module, f"{r.source}:{r.line_number_in_source}", r.message)
        for r in read
    ]
    # A line break in a message would make two lines of one.
    assert found == [
        (one.level, one.module, one.source, re.sub(r"[\r\n]", " ", one.message))
        for one in written
    ]


@generated(50)
@given(
    st.integers(0, 10**6),
    st.integers(1, 10**9),
    st.lists(st.from_regex(r"[A-Za-z0-9.][A-Za-z0-9_.\\/>-]{0,20}", fullmatch=True)),
    st.booleans(),
)
def test_operators_of_a_compiled_graph_are_read_back(graph_id, n, get_next, loop):
    graph = hostlog.CompiledGraph(
        graph_id,
        iterations_per_loop=n,
        mix_compile_mode=False,
        need_iteration=True,
        training_mode=True,
        known_shapes=True,
        loop=loop,
        get_next=tuple(get_next),
    )
    with tempfile.TemporaryDirectory() as folder:
        environ = {"ASCEND_PROCESS_LOG_PATH": folder, "ASCEND_GLOBAL_LOG_LEVEL": "1"}
        log = HostLog(environ)
        hostlog.compiled(log, graph)
        log.close()
        read = list(hostlog.read(log.folder))
    operators = hostlog.lines.flow_control_operators(get_next) if loop else []
    found = [record.inserted for record in read if record.inserted]
    assert found == [hostlog.lines.GLOBAL_STEP, *operators]
    assert hostlog.judge(read).answer == ("built" if loop else "not built")
