"""Makes JupyterLab open on the course's index when it starts in the project's folder.

This is an extension of the Jupyter server. `jupyter-config/`, which the package puts
among Jupyter's own settings, switches it on; so `make lab` and a plain `jupyter lab` do
the same. Started anywhere else, JupyterLab opens as it always does.
"""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import Any

FIRST_PAGE = "notebooks/index.ipynb"


def _jupyter_server_extension_points() -> list[dict[str, str]]:
    return [{"module": "npu_lab._course"}]


def _load_jupyter_server_extension(server: Any) -> None:
    """Choose the page on which the server opens, unless the user has chosen one.

    On a computer without a browser the server then prints the address, and no warning.
    """
    chosen = server.file_to_run or server.default_url != "/lab"
    if not chosen and (Path(server.root_dir) / FIRST_PAGE).is_file():
        server.default_url = f"/lab/tree/{FIRST_PAGE}"
    try:
        webbrowser.get(server.browser or None)
    except webbrowser.Error:
        server.open_browser = False
