"""What the adapter prints and the engine logs, and the files that NPU_DUMP_GRAPH makes.

The names in the lines are documented; the places in the vendor's source that head them
change with every version, so here they are made up and constant.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from npu_lab import files, hostlog
from npu_lab.device import Device
from npu_lab.extras.tf2.judging import NO_LOOP, NPU_LOOP, Graph

if TYPE_CHECKING:
    from npu_lab.extras.tf2.calls import Queue

PERF, DUMP, DEBUG = "NPU_ENABLE_PERF", "NPU_DUMP_GRAPH", "NPU_DEBUG"


def start(
    queues: Mapping[int, Queue], pushed: int, graph_id: int, size: int, mode: str
) -> list[str]:
    """The lines before a run; none but where a loop is active."""
    if mode == NO_LOOP:
        return []
    found = [
        f"Start consume iterator resource {queue.name} {pushed} times"
        for queue in queues.values()
    ]
    found.append(f"Start run ge graph {graph_id} pin to cpu, loop size {size}")
    return [_line(one) for one in found]


def end(
    queues: Mapping[int, Queue],
    pushed: int,
    graph_id: int,
    size: int,
    begun: float,
    mode: str,
) -> list[str]:
    """The lines after a run that went well."""
    found = []
    if mode != NO_LOOP:
        found += [
            f"Iterator resource {queue.name} consume {pushed} times done with status OK"
            for queue in queues.values()
        ]
    if _on(PERF):
        spent = (time.time() - begun) * 1e6
        times = 1 if mode == NO_LOOP else size
        found.append(
            f"Graph engine run {times} times for graph {graph_id} cost {spent:.0f} us"
        )
    return [_line(one) for one in found]


def compiled(device: Device, graph: Graph, mode: str, graph_id: int) -> Iterator[str]:
    """Log a compiled graph; the lines that are printed for it."""
    loop = mode == NPU_LOOP
    device.log.start()
    device.log.write_block(
        hostlog.lines.engine_lines(
            hostlog.CompiledGraph(
                graph_id=graph_id,
                iterations_per_loop=1,
                mix_compile_mode=bool(graph.unsupported),
                need_iteration=loop,
                training_mode=True,
                known_shapes=not graph.unknown_shapes,
                loop=loop,
                get_next=tuple(p.node.name for p in graph.pulls) if loop else (),
            )
        )
    )
    if graph.unsupported:
        yield _line(f"{graph.name} compiled in mix mode on npu")
    if _on(DEBUG):
        yield _line(f"{graph.name} ge graph {graph_id} execute in {mode}")
    if _on(DUMP):
        name = re.sub(r"\W+", "_", graph.name)
        files.replace(Path(f"TF_{name}_{graph_id}.pbtxt"), str(graph.definition))


def _on(name: str) -> bool:
    return os.environ.get(name, "").strip().lower() in {"1", "true"}


def _line(content: str) -> str:
    moment = f"{datetime.now():%Y-%m-%d %H:%M:%S.%f}"  # noqa: DTZ005  (as a log)
    return f"{moment}: I npu_device/core/npu_graph.cpp:100] {content}"
