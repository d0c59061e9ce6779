"""The receipt of a capstone: an HTML page of the learner's own run."""

from __future__ import annotations

import ast
import base64
import html
import platform
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

from npu_lab import files, hostlog, language, trace_files
from npu_lab.extras.capstone import running
from npu_lab.extras.capstone._texts import text
from npu_lab.extras.capstone.stages import SIGNS, Standing
from npu_lab.lab import pages

if TYPE_CHECKING:
    from npu_lab.extras.capstone.project import Project

FILE = "receipt.html"
PACKAGES = ("npu_lab", "tensorflow", "tf_keras", "numpy")
FIGURES = ("session_runs", "training_calls", "device_iterations", "batches_pulled")
WIDTH, BAR, CALLS = 640, 26, 3
SEEDS = ("set_random_seed", "seed")


@dataclass(frozen=True)
class Receipt(pages.Shown):
    """Where it was written; or why it was not, and `path` is None."""

    path: Path | None
    said: str

    def __str__(self) -> str:
        return self.said

    @property
    def html(self) -> pages.Html:
        """A link with the whole page in it, wherever the folder is; or the reason."""
        if self.path is None:
            return pages.Html(f"<p>{html.escape(self.said)}</p>")
        content = base64.b64encode(self.path.read_bytes()).decode()
        link = f'<a download="{FILE}" href="data:text/html;base64,{content}">'
        return pages.Html(f'<p role="status">✓ {link}{html.escape(self.said)}</a></p>')


def make(project: Project, standing: Standing) -> Receipt:
    """Write the receipt into the project's folder, if all stages are passed.

    Raises:
        OSError: it cannot be written; one that was there is as it was.
    """
    missing = standing.next
    if missing is not None:
        why = missing.seen
        return Receipt(None, text("no receipt", stage=missing.title, why=why))
    before, after = project.run_before(), project.run()
    page = Template(Path(__file__).with_name("receipt.html").read_text("utf-8"))
    counts = [one.report["session_runs"] for one in (before, after)]
    content = page.substitute(
        language=language.current(),
        title=html.escape(text("receipt")),
        about=_rows(_about(project)),
        stages_title=html.escape(text("stages")),
        stages=_rows([(s.title, SIGNS[s.passed], s.seen) for s in standing.stages]),
        ledger_title=html.escape(text("ledger")),
        ledger=_ledger(before, after),
        trips_title=html.escape(text("trips")),
        trips=_bars([text("before"), text("after")], counts),
        timeline_title=html.escape(text("timeline")),
        timeline=_timeline(after.folder / "trace.json"),
        lines_title=html.escape(text("lines")),
        lines=html.escape("\n".join(_markers(after.folder / "plog"))),
        true=html.escape(text("true")),
    )
    path = project.folder / FILE
    files.replace(path, content)
    return Receipt(path, text("made", path=path.name))


def _about(project: Project) -> list[tuple[str, str]]:
    known = [f"{name} {version(name)}" for name in PACKAGES]
    return [
        (text("script"), project.name),
        (text("hash"), running.digest(project.script)),
        (text("seeds"), ", ".join(_seeds(project.script)) or "-"),
        (text("versions"), ", ".join([f"Python {platform.python_version()}", *known])),
        (text("time"), time.strftime("%Y-%m-%d %H:%M:%S %z")),
    ]


def _seeds(script: str) -> Iterable[str]:
    """Each place that sets a seed, as it is written."""
    for node in ast.walk(ast.parse(script)):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", "")
            if name in SEEDS or "random_seed" in name:
                yield ast.unparse(node)
            for one in node.keywords:
                if one.arg and "seed" in one.arg:
                    yield f"{one.arg}={ast.unparse(one.value)}"


def _ledger(before: running.Ran, after: running.Ran) -> str:
    header = [text("figure"), text("before"), text("after")]
    runs = (before, after)
    rows = [
        [text(name), *(f"{one.report[name]:,}" for one in runs)] for name in FIGURES
    ]
    waits = [running.DELAY * one.report["session_runs"] for one in runs]
    rows.append([text("injected"), *(f"{wait:.3f}" for wait in waits)])
    rows.append([text("seconds"), *(f"{one.seconds:.1f}" for one in runs)])
    return _rows(rows, header, text("counted"))


def _rows(
    rows: Iterable[Sequence[str]], header: Sequence[str] = (), caption: str = ""
) -> str:
    told = f"<caption>{html.escape(caption)}</caption>" if caption else ""
    if header:
        cells = "".join(f'<th scope="col">{html.escape(one)}</th>' for one in header)
        told += f"<tr>{cells}</tr>"
    for first, *others in rows:
        cells = "".join(f"<td>{html.escape(one)}</td>" for one in others)
        told += f'<tr><th scope="row">{html.escape(first)}</th>{cells}</tr>'
    return f"<table>{told}</table>"


def _bars(names: Sequence[str], counts: Sequence[int]) -> str:
    scale, pieces = (WIDTH - 200) / max(counts), []
    for place, (name, count) in enumerate(zip(names, counts, strict=True)):
        y = place * (BAR + 10)
        pieces.append(f'<text x="0" y="{y + 18}">{html.escape(name)}</text>')
        wide = max(1.0, count * scale)
        box = f'x="100" y="{y}" width="{wide:.1f}" height="{BAR}"'
        pieces.append(f'<rect class="host" {box}/>')
        pieces.append(f'<text x="{108 + wide:.1f}" y="{y + 18}">{count:,}</text>')
    told = ", ".join(f"{n} {c:,}" for n, c in zip(names, counts, strict=True))
    return _drawn(pieces, len(names) * (BAR + 10), told)


def _timeline(path: Path) -> str:
    """The first training calls of a trace: when each was, and its iterations."""
    slices = trace_files.read(path)
    calls = [
        one
        for one in slices
        if one["name"].startswith("host call") and one["args"].get("iterations")
    ][1 : 1 + CALLS]  # the first compiles
    if not calls:
        return "<p>-</p>"
    begin, end = calls[0]["ts"], calls[-1]["ts"] + calls[-1]["dur"]
    scale = WIDTH / (end - begin)
    steps = [
        one
        for one in slices
        if one["name"].startswith("iteration") and begin <= one["ts"] <= end
    ]
    pieces = [_box(one, "host", 0, begin, scale) for one in calls]
    pieces += [_box(one, "device", BAR + 4, begin, scale) for one in steps]
    n, spent = calls[0]["args"]["iterations"], (end - begin) / 1000
    told = f"{len(calls)} x {n}: {spent:.1f} ms"
    height = 2 * BAR + 24
    pieces.append(f'<text x="0" y="{height - 4}">{told}</text>')
    return _drawn(pieces, height, told)


def _box(one: dict[str, Any], kind: str, y: float, begin: float, scale: float) -> str:
    x, wide = (one["ts"] - begin) * scale, max(1.0, one["dur"] * scale - 1)
    place = f'x="{x:.1f}" y="{y}" width="{wide:.1f}" height="{BAR}"'
    return f'<rect class="{kind}" {place}><title>{one["name"]}</title></rect>'


def _drawn(pieces: Sequence[str], height: float, told: str) -> str:
    size = f'viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
    label = html.escape(told, quote=True)
    return f'<svg role="img" aria-label="{label}" {size}>{"".join(pieces)}</svg>'


def _markers(folder: Path) -> list[str]:
    found: dict[str, None] = {}
    for record in hostlog.read(folder):
        if record.inserted and hostlog.is_marker(record.inserted[0]):
            name, kind = record.inserted[:2]
            found[f"Insert op success, name:{name}, type:{kind}."] = None
    return list(found)
