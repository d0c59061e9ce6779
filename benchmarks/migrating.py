"""Migrating 600 files of 100,000 lines, half of them with TensorFlow, on one core."""

from __future__ import annotations

import itertools
import resource
import tempfile
import time
from pathlib import Path

from benchmarks.worker import Contestant

ROOT = Path(__file__).resolve().parents[1]
FILES, LINES = 300, 50_000  # of each kind
WITH, WITHOUT = "a line with TensorFlow", "a line without"
MEMORY = "memory, MB"
_WORDS = ("tensorflow", "keras", "horovod", "npu_bridge")


def tree() -> Contestant:
    """Migrate all files of the tree, as often as there is time, each kind by itself."""
    from npu_lab.extras.migrate import files
    from npu_lab.extras.migrate.finding import Options

    home = tempfile.TemporaryDirectory(prefix="npu_lab_bench_")
    folder = Path(home.name)
    programs = [path.read_text("utf-8") for path in ROOT.glob("tests/**/*.py")]
    programs += [path.read_text("utf-8") for path in ROOT.glob("npu_lab/**/*.py")]
    programs = [text.replace("from __future__", "# from") for text in programs]
    kinds = {
        WITH: [text for text in programs if "import tensorflow as tf\n" in text],
        WITHOUT: [
            text for text in programs if not any(word in text for word in _WORDS)
        ],
    }
    counts = {kind: _fill(folder, kind, texts) for kind, texts in kinds.items()}

    def measure(seconds: float) -> dict[str, float]:
        del seconds  # one pass over the tree takes longer
        folder = Path(home.name)
        figures = {}
        for kind, lines in counts.items():
            start = time.process_time()
            for path in sorted((folder / kind).iterdir()):
                result = files.migrate(path.parent, path.name, Options())
                if result.unread:
                    raise ValueError(result.findings)
            figures[kind] = (time.process_time() - start) / lines
        used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return {**figures, MEMORY: used / 1024}

    about = " and ".join(f"{count} lines {kind[7:]}" for kind, count in counts.items())
    return Contestant(measure, about=about)


def _fill(folder: Path, kind: str, texts: list[str]) -> int:
    """Write the files of one kind, and return how many lines they have."""
    (folder / kind).mkdir()
    source = itertools.cycle(texts)
    lines = 0
    for number in range(FILES):
        text = ""
        while text.count("\n") < (LINES - lines) // (FILES - number):
            text += next(source)
        lines += text.count("\n")
        (folder / kind / f"{number}.py").write_text(text, "utf-8")
    return lines
