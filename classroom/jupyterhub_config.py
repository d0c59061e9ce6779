"""A class on one computer: JupyterHub on loopback, a JupyterLab for each learner.

`make classroom` starts it; docs/classroom.md says how to run a class with it. These
variables change it:

    NPU_LAB_CLASS_FOLDER    state, originals and the learners' folders (build/classroom)
    NPU_LAB_CLASS_PORT      where the browser goes on 127.0.0.1 (8000)
    NPU_LAB_CLASS_PASSWORD  what learners log in with, beside a name of their choice
    NPU_LAB_CLASS_ADMIN     the instructor's password
    NPU_LAB_CLASS_MEMORY    gigabytes that one program of a learner may take (4)
    NPU_LAB_SOLUTIONS       0: exercises show hints and no solutions
    NPU_LAB_CLASS_IDLE      seconds after which an idle server is stopped (3600)

All learners' programs run as the user who started this: it keeps their work apart, not
the learners from each other. For strangers use containers (docs/classroom.md).
"""

import os
import resource
import sys
from collections.abc import Callable
from pathlib import Path

from jupyterhub.spawner import SimpleLocalProcessSpawner

from npu_lab.extras.course import copying

FOLDER = Path(os.environ["NPU_LAB_CLASS_FOLDER"])
PORT = int(os.environ.get("NPU_LAB_CLASS_PORT", "8000"))
MEMORY = float(os.environ.get("NPU_LAB_CLASS_MEMORY", "4"))
IDLE = int(os.environ.get("NPU_LAB_CLASS_IDLE", "3600"))
ORIGINALS = FOLDER / "originals"


class ClassSpawner(SimpleLocalProcessSpawner):
    """Starts a learner's server in a folder of their own, with the lessons in it."""

    def user_env(self, env: dict[str, str]) -> dict[str, str]:
        """The variables that keep what a learner does in the learner's folder."""
        home = Path(self.home_dir)
        return super().user_env(env) | {
            "XDG_DATA_HOME": str(home / ".local" / "share"),
            "XDG_CACHE_HOME": str(home / ".cache"),
            "JUPYTER_CONFIG_DIR": str(home / ".jupyter"),
            "ASCEND_PROCESS_LOG_PATH": str(home / "ascend" / "log"),
            "TMPDIR": str(home / ".tmp"),
        }

    def make_preexec_fn(self, name: str) -> Callable[[], None]:
        """Enter the learner's folder, and limit the memory of what runs there."""
        into_home = super().make_preexec_fn(name)
        most = int(MEMORY * 2**30)

        def prepare() -> None:
            into_home()
            resource.setrlimit(resource.RLIMIT_DATA, (most, most))

        return prepare


def give_lessons(spawner: ClassSpawner) -> None:
    """Put the lessons into a learner's folder; what is there already is kept."""
    home = Path(spawner.home_dir)
    (home / ".tmp").mkdir(parents=True, exist_ok=True)
    home.chmod(0o700)
    copying.copy(home)
    link = home / "originals"
    if not link.is_symlink():
        link.symlink_to(ORIGINALS / "notebooks")


def keep_originals() -> None:
    """The lessons as they are, for all to read and for none to change."""
    for path in ORIGINALS.rglob("*"):
        path.chmod(path.stat().st_mode | 0o200)
        if path.suffix == ".ipynb":
            path.unlink()
    copying.copy(ORIGINALS)
    for path in [*ORIGINALS.rglob("*"), ORIGINALS]:
        path.chmod(0o555 if path.is_dir() else 0o444)


keep_originals()

c = get_config()  # noqa: F821 (JupyterHub's own)
c.JupyterHub.bind_url = f"http://127.0.0.1:{PORT}"
c.JupyterHub.hub_bind_url = f"http://127.0.0.1:{int(os.environ['NPU_LAB_CLASS_HUB'])}"
c.JupyterHub.db_url = f"sqlite:///{FOLDER / 'jupyterhub.sqlite'}"
c.JupyterHub.cookie_secret_file = str(FOLDER / "cookie_secret")
c.JupyterHub.spawner_class = ClassSpawner
c.JupyterHub.shutdown_on_logout = True
c.JupyterHub.active_server_limit = 100

c.ConfigurableHTTPProxy.command = [os.environ["NPU_LAB_CLASS_PROXY"]]
c.ConfigurableHTTPProxy.api_url = f"http://127.0.0.1:{os.environ['NPU_LAB_CLASS_API']}"
c.ConfigurableHTTPProxy.pid_file = str(FOLDER / "proxy.pid")

c.JupyterHub.authenticator_class = "shared-password"
c.SharedPasswordAuthenticator.user_password = os.environ["NPU_LAB_CLASS_PASSWORD"]
c.SharedPasswordAuthenticator.admin_password = os.environ["NPU_LAB_CLASS_ADMIN"]
c.Authenticator.allow_all = True
c.Authenticator.admin_users = {"instructor"}
c.Authenticator.username_pattern = "[a-z][a-z0-9_-]{0,30}"

c.SimpleLocalProcessSpawner.home_dir_template = str(FOLDER / "learners" / "{username}")
c.Spawner.pre_spawn_hook = give_lessons
c.Spawner.cmd = [sys.executable, "-m", "jupyterhub.singleuser"]
c.Spawner.default_url = "/lab/tree/notebooks/index.ipynb"
c.Spawner.http_timeout = c.Spawner.start_timeout = 120
c.Spawner.env_keep = [
    "PATH",
    "LANG",
    "LC_ALL",
    "VIRTUAL_ENV",
    "NPU_LAB_SOLUTIONS",
    "JUPYTER_PREFER_ENV_PATH",
]
if os.geteuid() == 0:  # Jupyter's servers refuse to start as root unless told
    c.Spawner.args = ["--allow-root"]

c.JupyterHub.load_roles = [
    {
        "name": "stops-idle-servers",
        "scopes": [
            "list:users",
            "read:users:activity",
            "read:servers",
            "delete:servers",
        ],
        "services": ["stops-idle-servers"],
    }
]
c.JupyterHub.services = [
    {
        "name": "stops-idle-servers",
        "command": [
            sys.executable,
            "-m",
            "jupyterhub_idle_culler",
            f"--timeout={IDLE}",
        ],
    }
]
if token := os.environ.get("NPU_LAB_CLASS_TOKEN"):
    # For programs that watch the class, such as its test.
    c.JupyterHub.services.append({"name": "watcher", "api_token": token})
    c.JupyterHub.load_roles.append(
        {
            "name": "watcher",
            "scopes": ["admin:users", "admin:servers", "tokens", "access:servers"],
            "services": ["watcher"],
        }
    )
