"""Where the bundled data lies: inside an installed package, or beside it in a clone."""

from __future__ import annotations

from pathlib import Path

from npu_lab.datasets.idx import data_error

PACKAGE = Path(__file__).resolve().parent.parent


def places(name: str) -> list[Path]:
    """The folders in which the bundled set `name` may lie, the nearest first.

    The package's own folder comes first: beside an installed package lies
    site-packages, where a folder `data` would be somebody else's.
    """
    return [PACKAGE / "data" / name, PACKAGE.parent / "data" / name]


def bundled_folder(name: str) -> Path:
    """The folder of a bundled set, `"mnist"` or `"fashion"`; DataError without one."""
    for place in places(name):
        if place.is_dir():
            return place
    looked = " and ".join(str(place) for place in places(name))
    raise data_error(
        f"the bundled data {name!r}",
        f"is missing; looked for {looked}",
        "Install npu_lab again, or restore the folder data/ of the project.",
    )
