"""Pack a table of API levels (CSV: api,module,level) for the migration.

python tools/api_levels.py TABLE.csv npu_lab/extras/migrate/data/tf1_levels.json.gz
"""

from __future__ import annotations

import csv
import gzip
import json
import sys
from collections import defaultdict
from pathlib import Path


def pack(rows: list[dict[str, str]]) -> bytes:
    """Levels, in each the modules, in each the names, one text of words."""
    packed: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        api, module = row["api"], row["module"]
        inside = api.startswith(f"{module}.")
        name = api[len(module) + 1 :] if inside else f":{api}"
        packed[row["level"]][module].append(name)
    words = {
        level: {module: " ".join(names) for module, names in modules.items()}
        for level, modules in packed.items()
    }
    text = json.dumps(words, separators=(",", ":"), ensure_ascii=True)
    return gzip.compress(text.encode(), mtime=0)


def main() -> None:
    """Read the table that the first argument names, write the second."""
    table, packed = map(Path, sys.argv[1:3])
    with table.open(encoding="utf-8-sig", newline="") as file:
        packed.write_bytes(pack(list(csv.DictReader(file))))


if __name__ == "__main__":
    main()
