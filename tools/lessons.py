"""Make the lessons: notebooks/src/*.md become executed notebooks in both languages.

    python tools/lessons.py [NAME ...]          those out of date, or of the named ones
    python tools/lessons.py --force [NAME ...]  the others, too
    python tools/lessons.py --check             only say which are out of date

`npu_lab.lesson` says how a source is written. Cells are run in a fresh kernel, once for
each language, and only where code has changed: if only texts or comments have, the
stored outputs are kept. Nothing is written when the languages show other numbers. What
differs from run to run is not stored: times of execution, the state of widgets.
"""

from __future__ import annotations

import argparse
import base64
import html
import json
import os
import re
import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from npu_lab import files  # noqa: E402
from npu_lab import lesson as course  # noqa: E402
from npu_lab.lab import notebooks  # noqa: E402
from npu_lab.language import LANGUAGES, Language  # noqa: E402

NOTEBOOKS = ROOT / "notebooks"
SOURCES = NOTEBOOKS / "src"
IGNORE = "nbval-ignore-output"
# Pictures shown elsewhere, each from a cell of a lesson.
PICTURES = {
    ROOT / "docs" / "images" / "round_trips.png": ("00_start_here", "round-trips")
}
WIDGET = "application/vnd.jupyter.widget-view+json"
Notebook = nbformat.NotebookNode


def place(source: Path, language: Language) -> Path:
    """Where the notebook of a source lies; the folder decides on the language."""
    folder = source.parent.parent
    return (folder / "zh" if language == "zh" else folder) / f"{source.stem}.ipynb"


def notebook(source: Path, language: Language) -> Notebook:
    """The notebook of a source, without outputs."""
    cells = course.cells(source.read_text("utf-8"), source.parent)
    return notebooks.clean(cells, language)


def execute(lesson: Notebook, folder: Path, language: Language) -> None:
    """Run all cells in a fresh kernel and keep what is worth keeping."""
    with tempfile.TemporaryDirectory() as data:
        # A fresh place for progress: the maker's own stays out of the lesson.
        changed = {
            "NPU_LAB_LANG": language,
            "PYTHONPATH": str(ROOT),
            "XDG_DATA_HOME": data,
        }
        environment = {**os.environ, **changed}
        for name in ("ASCEND_GLOBAL_LOG_LEVEL", "ASCEND_PROCESS_LOG_PATH"):
            environment.pop(name, None)
        metadata = dict(lesson.metadata)
        client = NotebookClient(
            lesson,
            timeout=300,
            record_timing=False,
            store_widget_state=False,
            resources={"metadata": {"path": str(folder)}},
        )
        client.execute(env=environment)
        lesson.cells = _with_own_place(lesson.cells, data)
    lesson.metadata = nbformat.from_dict(metadata)
    for cell in lesson.cells:
        for output in cell.get("outputs", ()):
            # Without its kernel a widget would only show an error.
            output.get("data", {}).pop(WIDGET, None)


def _with_own_place(cells: list[Notebook], place: str) -> list[Notebook]:
    """The cells, showing as the place of progress the one that a learner has."""
    text = json.dumps(cells).replace(place, "~/.local/share")
    return [nbformat.from_dict(cell) for cell in json.loads(text)]


def code(source: str) -> str:
    """Code without its comments, and without what was blank around them."""
    return re.sub(r"[ \t]*#.*", "", source)


def take_outputs(lesson: Notebook, path: Path) -> bool:
    """Take over the outputs stored at `path`; False if code has changed since."""
    stored = nbformat.read(path, as_version=4).cells if path.is_file() else []
    kept = [(c.id, code(c.source), c) for c in stored if c.cell_type == "code"]
    fresh = [c for c in lesson.cells if c.cell_type == "code"]
    if [one[:2] for one in kept] != [(c.id, code(c.source)) for c in fresh]:
        return False
    for cell, (_, _, old) in zip(fresh, kept, strict=True):
        cell.outputs, cell.execution_count = old.outputs, old.execution_count
    return True


def differences(english: Notebook, chinese: Notebook) -> list[str]:
    """The cells whose compared outputs show other numbers, or another picture."""
    return [
        f"{one.id}: {shown(one)} against {shown(other)}"
        for one, other in zip(english.cells, chinese.cells, strict=True)
        if IGNORE not in one.metadata.get("tags", []) and shown(one) != shown(other)
    ]


def shown(cell: Notebook) -> list[str]:
    """The numbers in what a cell shows, in order of size, and its pictures' first."""
    found = []
    for output in cell.get("outputs", ()):
        data = dict(output.get("data", {}))
        if "image/png" in data:
            found.append(f"png {hash(data.pop('image/png'))}")
        for text in [output.get("text", ""), *map(str, data.values())]:
            found += re.findall(
                r"\d+(?:\.\d+)?", re.sub(r"(?<=\d),(?=\d{3})", "", plain(text))
            )
    return sorted(found)


def plain(text: str) -> str:
    """The words in a page of HTML."""
    text = re.sub(r"<style.*?</style>|data:image[^\"]*", "", text, flags=re.DOTALL)
    return html.unescape(re.sub(r"</?[a-zA-Z][^>]*>", " ", text))


def write(lesson: Notebook, path: Path) -> None:
    """Write a notebook."""
    nbformat.validate(lesson)
    path.parent.mkdir(exist_ok=True)
    files.replace(path, nbformat.writes(lesson) + "\n")


def picture(path: Path, cell_id: str) -> bytes:
    """The image that a cell of a notebook shows."""
    lesson = nbformat.read(path, as_version=4)
    (cell,) = [cell for cell in lesson.cells if cell.id == cell_id]
    (image,) = [o for o in cell.outputs if "image/png" in o.get("data", {})]
    return base64.b64decode(image.data["image/png"])


def is_current(source: Path, language: Language) -> bool:
    """Whether a notebook has the cells of its source."""
    path = place(source, language)
    if not path.is_file():
        return False
    kept, wanted = (
        [(c.id, c.cell_type, c.source, c.metadata) for c in one.cells]
        for one in (nbformat.read(path, as_version=4), notebook(source, language))
    )
    return kept == wanted


def make(source: Path, *, force: bool) -> list[str]:
    """Make both notebooks of a source; what is wrong with them, then none is written.

    Returns:
        the cells that show other numbers in the other language.
    """
    made = {language: notebook(source, language) for language in LANGUAGES}
    for language, lesson in made.items():
        path = place(source, language)
        if force or not take_outputs(lesson, path):
            path.parent.mkdir(exist_ok=True)
            execute(lesson, path.parent, language)
    wrong = differences(made["en"], made["zh"])
    if not wrong:
        for language, lesson in made.items():
            write(lesson, place(source, language))
            print(f"{place(source, language)}: {len(lesson.cells)} cells")
    return wrong


def main() -> int:
    """Make or check the lessons; 1 if one is out of date or cannot be made."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="such as 00_start_here"
    )
    parser.add_argument("--force", action="store_true", help="run those up to date too")
    parser.add_argument("--check", action="store_true", help="change nothing")
    given = parser.parse_args()
    sources = sorted(SOURCES.glob("*.md"))
    if unknown := set(given.names) - {source.stem for source in sources}:
        parser.error(f"no such lesson: {', '.join(sorted(unknown))}")
    status = 0
    for source in sources:
        if given.names and source.stem not in given.names:
            continue
        current = all(is_current(source, language) for language in LANGUAGES)
        if current and not given.force:
            continue
        if given.check:
            print(f"{source.stem} is out of date: run tools/lessons.py")
            status = 1
        elif wrong := make(source, force=given.force):
            print(f"{source.stem} shows other numbers in Chinese:", *wrong, sep="\n  ")
            status = 1
        else:
            copy_pictures(source)
    return status


def copy_pictures(source: Path) -> None:
    """Bring the pictures shown elsewhere up to date."""
    for target, (name, cell_id) in PICTURES.items():
        if name == source.stem:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(picture(place(source, "en"), cell_id))


if __name__ == "__main__":
    sys.exit(main())
