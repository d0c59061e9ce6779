"""`util`: the setter of the sunk loop, checks, marks on graphs, a store of values."""

from __future__ import annotations

from typing import Any

from npu_lab._tensorflow import tf
from npu_lab.bridge import checks, loop_variables, marks
from npu_lab.bridge.later import fill

__getattr__ = fill(__name__)

set_iteration_per_loop = loop_variables.set_iteration_per_loop
IterationPerLoop = loop_variables.IterationPerLoop
create_or_get_var = loop_variables.create_or_get_var
register_func = loop_variables.register_func

check_not_none = checks.check_not_none
check_positive_integer = checks.check_positive_integer
check_nonnegative_integer = checks.check_nonnegative_integer
check_bool_type = checks.check_bool_type
convert_bool_to_int = checks.convert_bool_to_int
format_string = checks.format_string
check_profiling_options = checks.check_profiling_options
check_path = checks.check_path
check_aoe_mode = checks.check_aoe_mode
get_ranksize = checks.get_ranksize

set_graph_exec_config = marks.set_graph_exec_config
keep_tensors_dtypes = marks.keep_tensors_dtypes
set_op_tensor_max_range = marks.set_op_tensor_max_range
set_op_tensor_max_size = marks.set_op_tensor_max_size
set_op_input_tensor_multi_dims = marks.set_op_input_tensor_multi_dims

_values: dict[Any, Any] = {}


def variable_initializer_in_host(var_list: Any) -> Any:
    """An operation `var_in_host` that initializes the variables.

    By that name the adapter knows that its graph is to run on the host.
    """
    return tf.compat.v1.variables_initializer(var_list, name="var_in_host")


def npu_compile(sess: Any, *fetches: Any) -> None:
    """Run `fetches` once, so that their graph is compiled."""
    sess.run(fetches)


def global_dict_init() -> None:
    """Empty the store behind `set_value` and `get_value`."""
    _values.clear()


def set_value(key: Any, value: Any) -> None:
    """Keep `value` for this process."""
    _values[key] = value


def get_value(key: Any, def_value: Any = None) -> Any:
    """What `set_value` kept, else `def_value`; also before `global_dict_init`."""
    return _values.get(key, def_value)
