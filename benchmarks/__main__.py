"""Measures, prints the tables, writes the JSON: `python -m benchmarks`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

if not __package__:  # run as a file
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmarks import report
from benchmarks.experiments import EXPERIMENTS


def main() -> int:
    """Run what the command line asks for; the status is 0 also for a missed target."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    names = ", ".join(EXPERIMENTS)
    parser.add_argument("--only", metavar="NAMES", help=f"some of {names}")
    parser.add_argument("--rounds", type=int, default=15, help="turns of each (15)")
    parser.add_argument("--seconds", type=float, default=2.0, help="of a turn (2)")
    place = Path("build/bench.json")
    parser.add_argument("--json", type=Path, default=place, help=f"({place})")
    given = parser.parse_args()
    chosen = given.only.split(",") if given.only else list(EXPERIMENTS)
    if unknown := set(chosen) - set(EXPERIMENTS):
        parser.error(f"there is no {', '.join(sorted(unknown))}; there is {names}")
    if given.rounds < 1 or given.seconds < 0:
        parser.error("at least 1 round, of 0 seconds or more")
    origin = report.provenance(given.rounds, given.seconds)
    print(report.head(origin), flush=True)
    results = []
    for name in chosen:
        print(f"measuring {EXPERIMENTS[name].title} ...", file=sys.stderr, flush=True)
        results.append(EXPERIMENTS[name].run(name, given.rounds, given.seconds))
        print(f"\n{report.table(results[-1])}", flush=True)
        report.write(given.json, origin, results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
