"""Make the book: the lessons and the reference as a static site, in both languages.

    python tools/book.py [FOLDER]      default: build/book; open index.html there

Sphinx makes it of the stored notebooks, of the pages in docs/ and of pages that
`tools/book_pages.py` writes from the tables the code works with. A warning is an error.
The site needs no network: it may be opened from the disk.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from npu_lab import lesson  # noqa: E402
from npu_lab.language import LANGUAGES, Language  # noqa: E402
from tools import book_pages  # noqa: E402

BOOK = ROOT / "docs" / "book"
DOOR = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="refresh" content="0; url=en/index.html">
<title>npu_lab</title>
</head>
<body><p><a href="en/index.html">English</a> <a href="zh/index.html">中文</a></p></body>
</html>
"""
# From a lesson to the same one in the other language, where they lie in the project.
_ACROSS = re.compile(r"\[([^\]]+)\]\((?:zh|\.\.)/(\w+)\.ipynb\)")


def notebook(path: Path, language: Language) -> str:
    """A stored lesson for the book: links lead to the pages beside it."""
    other = "en" if language == "zh" else "zh"
    stored = json.loads(path.read_text("utf-8"))
    for cell in stored["cells"]:
        if cell["cell_type"] == "markdown":
            cell["source"] = _ACROSS.sub(
                rf'<a href="../../{other}/lessons/\2.html">\1</a>',
                "".join(cell["source"]),
            )
    # Cells may hold magics, which are no Python.
    stored["metadata"]["language_info"]["pygments_lexer"] = "ipython3"
    return json.dumps(stored, ensure_ascii=False)


def gather(folder: Path, language: Language) -> None:
    """Write all pages of one language into `folder`, as Sphinx reads them."""
    lessons = folder / "lessons"
    lessons.mkdir(parents=True)
    place = ROOT / "notebooks" / ("zh" if language == "zh" else "")
    for name in lesson.names():
        text = notebook(place / f"{name}.ipynb", language)
        (lessons / f"{name}.ipynb").write_text(text, "utf-8")
    for name, text in book_pages.pages(language).items():
        path = folder / f"{name}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")


def build(source: Path, target: Path, language: Language) -> None:
    """Let Sphinx make the site of one language.

    Raises:
        subprocess.CalledProcessError: it failed, or warned.
    """
    settings = {
        "NPU_LAB_LANG": language,
        "NPU_LAB_BOOK_STATIC": str(BOOK / "static"),
        "NPU_LAB_BOOK_TEMPLATES": str(BOOK / "templates"),
        "PYTHONPATH": str(ROOT),
        "TF_CPP_MIN_LOG_LEVEL": "3",
    }
    command = [sys.executable, "-m", "sphinx", "--builder", "html", "--quiet"]
    command += ["--fail-on-warning", "--keep-going", "--conf-dir", str(BOOK)]
    command += ["--doctree-dir", str(source.parent / f"{language}-trees")]
    subprocess.run(
        [*command, str(source), str(target)], check=True, env=os.environ | settings
    )


def make(folder: Path) -> None:
    """Make the book; what was in `folder` stays until the new one is whole."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        new = Path(scratch, "new")
        for language in LANGUAGES:
            gather(Path(scratch, language), language)
            build(Path(scratch, language), new / language, language)
        # What myst-nb would keep of notebooks that it runs; here it runs none.
        shutil.rmtree(new / "jupyter_execute", ignore_errors=True)
        (new / "index.html").write_text(DOOR, "utf-8")
        if folder.exists():
            folder.replace(Path(scratch, "old"))
        shutil.move(new, folder)


def main() -> None:
    """Make the book, and say where it is."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "build" / "book")
    folder = parser.parse_args().folder.absolute()
    make(folder)
    print(f"{folder / 'index.html'}")


if __name__ == "__main__":
    main()
