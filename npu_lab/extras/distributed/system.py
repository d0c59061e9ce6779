"""Setting the communication up, and what a script asks it with `init_resource`."""

from __future__ import annotations

from typing import Any

from tensorflow.core.protobuf import config_pb2
from tensorflow.python.client import session

from npu_lab._tensorflow import tf
from npu_lab.bridge.estimator.npu import util
from npu_lab.device import defaults
from npu_lab.extras.distributed import groups

v1 = tf.compat.v1


def initialize_system(name: str | None = None) -> Any:
    """An operation that sets the communication up; ranks can be asked when it has run.

    The session that runs it starts this rank's server, which waits for the others.
    """
    return _noting(True, name or "NPUInit")


def shutdown_system(name: str | None = None) -> Any:
    """An operation that shuts the communication down."""
    return _noting(False, name or "NPUShutdown")


def init_resource(config: Any = None) -> tuple[Any, Any]:
    """Set the communication up in a session of its own, and keep who this rank is.

    `get_npu_rank_id` and its kin tell it from then on.

    Args:
        config: a ConfigProto, which gets the adapter's defaults; anything else is
            replaced by a new one.

    Returns:
        The session and the operation for `shutdown_resource`; end with `close_session`.
    """
    if not isinstance(config, config_pb2.ConfigProto):
        config = config_pb2.ConfigProto()
    util.global_dict_init()
    setting_up, shutting_down = initialize_system(), shutdown_system()
    opened = session.Session(config=defaults.apply(config))
    opened.run(setting_up)
    util.set_value("npu_rank_id", groups.get_rank_id())
    util.set_value("npu_local_rank_id", groups.get_local_rank_id())
    util.set_value("npu_rank_size", groups.get_rank_size())
    util.set_value("npu_local_rank_size", groups.get_local_rank_size())
    return opened, shutting_down


def _noting(ready: bool, name: str) -> Any:
    return v1.py_func(lambda: groups.set_up(ready), [], [], name=name)
