"""Make the lessons: notebooks/src/*.md become executed notebooks.

    python tools/lessons.py [NAME ...]          all of them, or the named ones
    python tools/lessons.py --check             only say which are out of date

A source is Markdown. A line `<!-- cell: ID TAG ... -->` begins a cell; a cell that is
one fenced Python block is a code cell. The outputs stored are those of a fresh kernel,
without what differs from run to run: times of execution, the state of widgets.
"""

from __future__ import annotations

import argparse
import base64
import os
import re
import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = ROOT / "notebooks"
SOURCES = NOTEBOOKS / "src"
CELL = re.compile(r"^<!-- cell: (\S+)((?: \S+)*) -->$", re.MULTILINE)
CODE = re.compile(r"```python\n(.*)\n```", re.DOTALL)
# Pictures shown elsewhere, each from a cell of a lesson.
PICTURES = {
    ROOT / "docs" / "images" / "round_trips.png": ("00_start_here", "round-trips")
}
WIDGET = "application/vnd.jupyter.widget-view+json"


def cells(text: str) -> list[nbformat.NotebookNode]:
    """The cells of a source, without outputs."""
    before, *parts = CELL.split(text)
    if before.strip() or len(parts) % 3:
        raise ValueError("A lesson begins with <!-- cell: ID -->.")
    made = []
    for number in range(0, len(parts), 3):
        name, tags, body = parts[number], parts[number + 1].split(), parts[number + 2]
        body = body.strip()
        code = CODE.fullmatch(body)
        cell = new_code_cell(code[1]) if code else new_markdown_cell(body)
        cell.id = name
        if tags:
            cell.metadata["tags"] = tags
        made.append(cell)
    return made


def notebook(source: Path) -> nbformat.NotebookNode:
    """The notebook of a source, without outputs."""
    metadata = {
        "kernelspec": {
            "display_name": "Python 3 (ipykernel)",
            "language": "python",
            "name": "python3",
        },
        "language_info": {"name": "python"},
    }
    return new_notebook(
        cells=cells(source.read_text(encoding="utf-8")),
        metadata=metadata,
        nbformat_minor=5,
    )


def execute(lesson: nbformat.NotebookNode) -> None:
    """Run all cells in a fresh kernel and keep what is worth keeping."""
    environment = {
        **os.environ,
        "NPU_LAB_LANG": "en",
        "PYTHONPATH": os.pathsep.join(
            filter(None, [str(ROOT), os.environ.get("PYTHONPATH")])
        ),
    }
    for name in ("ASCEND_GLOBAL_LOG_LEVEL", "ASCEND_PROCESS_LOG_PATH"):
        environment.pop(name, None)
    metadata = dict(lesson.metadata)
    client = NotebookClient(
        lesson,
        timeout=300,
        record_timing=False,
        store_widget_state=False,
        resources={"metadata": {"path": str(NOTEBOOKS)}},
    )
    client.execute(env=environment)
    lesson.metadata = nbformat.from_dict(metadata)
    for cell in lesson.cells:
        for output in cell.get("outputs", ()):
            # Without its kernel a widget would only show an error.
            output.get("data", {}).pop(WIDGET, None)


def write(lesson: nbformat.NotebookNode, path: Path) -> None:
    """Write a notebook."""
    nbformat.validate(lesson)
    replace(path, nbformat.writes(lesson).encode("utf-8") + b"\n")


def replace(path: Path, content: bytes) -> None:
    """Write a file, whole or not at all."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def picture(path: Path, cell_id: str) -> bytes:
    """The image that a cell of a notebook shows."""
    lesson = nbformat.read(path, as_version=4)
    (cell,) = [cell for cell in lesson.cells if cell.id == cell_id]
    (image,) = [o for o in cell.outputs if "image/png" in o.get("data", {})]
    return base64.b64decode(image.data["image/png"])


def is_current(source: Path, path: Path) -> bool:
    """Whether a notebook has the cells of its source."""
    if not path.is_file():
        return False
    kept = [
        (c.id, c.cell_type, c.source, c.metadata.get("tags", []))
        for c in nbformat.read(path, as_version=4).cells
    ]
    wanted = [
        (c.id, c.cell_type, c.source, c.metadata.get("tags", []))
        for c in cells(source.read_text(encoding="utf-8"))
    ]
    return kept == wanted


def main() -> int:
    """Make or check the lessons; 1 if one is out of date."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="such as 00_start_here"
    )
    parser.add_argument("--check", action="store_true", help="change nothing")
    given = parser.parse_args()
    status = 0
    for source in sorted(SOURCES.glob("*.md")):
        if given.names and source.stem not in given.names:
            continue
        path = NOTEBOOKS / f"{source.stem}.ipynb"
        if given.check:
            if not is_current(source, path):
                print(f"{path.relative_to(ROOT)} is out of date: run tools/lessons.py")
                status = 1
            continue
        lesson = notebook(source)
        execute(lesson)
        write(lesson, path)
        print(f"{path.relative_to(ROOT)}: {len(lesson.cells)} cells")
        for target, (name, cell_id) in PICTURES.items():
            if name == source.stem:
                target.parent.mkdir(parents=True, exist_ok=True)
                replace(target, picture(path, cell_id))
    return status


if __name__ == "__main__":
    sys.exit(main())
