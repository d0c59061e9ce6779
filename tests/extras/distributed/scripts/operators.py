"""Every collective operator, in plain runs and in a sunk loop; groups and queries."""

import numpy as np
import tensorflow as tf
from npu_bridge.npu_init import *

try:
    get_rank_id()
except ValueError as error:
    print("before:", error)
print("defaults:", get_npu_rank_id(), get_npu_rank_size())
setting_up, shutting_down = npu_ops.initialize_system(), npu_ops.shutdown_system()
npu_sess = tf.Session()
npu_sess.run(setting_up)

size, rank = get_rank_size(), get_rank_id()
print("rank", rank, "of", size, "local", get_local_rank_id(), get_local_rank_size())
everyone = np.arange(1, size + 1, dtype=np.float32)


def all_equal(got, expected):
    np.testing.assert_allclose(
        np.asarray(got, np.float64), np.asarray(expected, np.float64), rtol=1e-3
    )


own = tf.constant([1.0, 2.0]) * (rank + 1)
base = np.array([1.0, 2.0])
own_values = base * (rank + 1)
made, expected = {}, {}


def add(name, tensor, value):
    made[name], expected[name] = tensor, value


add("sum", hccl_ops.allreduce(own, "sum"), base * everyone.sum())
add("max", hccl_ops.allreduce(own, "max"), base * size)
add("min", hccl_ops.allreduce(own, "min"), base)
add("prod", hccl_ops.allreduce(own, "prod"), base**size * everyone.prod())
add(
    "gather",
    hccl_ops.allgather(tf.reshape(own, [1, 2]), size),
    np.outer(everyone, base),
)
root = size - 1
add("broadcast", hccl_ops.broadcast([own, own + 1.0], root)[1], base * size + 1)
add("reduce", hccl_ops.reduce(own, "sum", 0), base * everyone.sum())
spread = tf.range(2.0 * size) * (rank + 1)
part = np.arange(2.0 * size)[2 * rank : 2 * rank + 2] * everyone.sum()
add("scatter", hccl_ops.reduce_scatter(spread, "sum", size), part)
add("mean", npu_allreduce(own), base * everyone.mean())
several = npu_allreduce([own, None, own * 2.0], "max")
assert several[1] is None
add("several", several[2], base * size * 2)
for dtype in (tf.int8, tf.int16, tf.int32, tf.int64, tf.float16, tf.bfloat16):
    value = hccl_ops.allreduce(tf.cast(own, dtype), "sum")
    assert value.dtype == dtype
    add(dtype.name, tf.cast(value, tf.float64), base * everyone.sum())
for dtype in (tf.bool, tf.uint8, tf.uint16, tf.uint32, tf.float64):
    (value,) = hccl_ops.broadcast([tf.cast(own - 1.0, dtype)], root)
    assert value.dtype == dtype
    assert value.shape == [2]
    add(
        "b" + dtype.name,
        tf.cast(value, tf.float64),
        (base * size - 1).astype(dtype.as_numpy_dtype),
    )
weight = tf.Variable(tf.ones([2]))
(gradient,) = tf.gradients(
    hccl_ops.allreduce(weight * (rank + 1.0), "sum") * own, weight
)
# Each rank's output has the weight of all: the gradients of all ranks are added up.
add("gradient", gradient, base * everyone.sum() * (rank + 1))

members = [0, size - 1]
create_group("ends", 2, members)
if rank in members:
    assert get_rank_size("ends") == 2
    assert get_world_rank_from_group_rank("ends", 1) == size - 1
    assert get_group_rank_from_world_rank(rank, "ends") == get_rank_id("ends")
    add("group", hccl_ops.allreduce(own, "sum", group="ends"), base * (1 + size))
    add(
        "group gather",
        hccl_ops.allgather(own, 2, group="ends"),
        np.concatenate([base, base * size]),
    )
else:
    try:
        hccl_ops.allreduce(own, "sum", group="ends")
    except ValueError as error:
        print("outside:", error)

if size == 4 and rank in (1, 2):
    create_group("middle", 2, [1, 2])  # without rank 0
    add("middle", hccl_ops.allreduce(own, "sum", group="middle"), base * 5)

# The first and the last rank send each other what they have, twice.
if rank in members:
    other = members[1 - members.index(rank)]
    for number in (1.0, 2.0):
        add(
            f"sent {number}", hccl_ops.send(own * number, 7, other), own_values * number
        )
        add(
            f"received {number}",
            hccl_ops.receive([2], tf.float32, 7, other),
            base * (other + 1) * number,
        )
# Rank i gives j + 1 elements to rank j.
counts = np.arange(1, size + 1)
begins = np.cumsum(counts) - counts
parts = np.concatenate([[10 * rank + to] * (to + 1) for to in range(size)])
came = np.full(size, rank + 1)
exchanged = np.repeat([10 * source + rank for source in range(size)], rank + 1)
add(
    "all to all",
    hccl_ops.all_to_all_v(
        tf.constant(parts, tf.int32), counts, begins, came, np.cumsum(came) - came
    ),
    exchanged,
)
matrix = np.tile(counts, [size, 1])
add(
    "all to all by a matrix",
    hccl_ops.all_to_all_v_c(tf.constant(parts, tf.float32), matrix, rank),
    exchanged,
)
set_split_strategy_by_idx([0, 3])
set_split_strategy_by_size([60, 40])

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    got = sess.run(made)
    for name in made:
        all_equal(got[name], expected[name])
    if rank == 0:
        sess.run(weight)  # alone
    for _ in range(3):
        got = sess.run(made)
    for name in made:
        all_equal(got[name], expected[name])

# The same in the sunk loop, where each step adds what it got to a variable.
N = 5
totals = {
    name: tf.Variable(
        tf.zeros(np.shape(expected[name]), tf.float64), name=f"total_{number}"
    )
    for number, name in enumerate(made)
}
train = tf.group(
    [tf.assign_add(totals[name], tf.cast(made[name], tf.float64)) for name in made]
)
proto = tf.ConfigProto()
npu = proto.graph_options.rewrite_options.custom_optimizers.add()
npu.name = "NpuOptimizer"
npu.parameter_map["use_off_line"].b = True
npu.parameter_map["iterations_per_loop"].i = N
with tf.Session(config=proto) as sess:
    sess.run(tf.global_variables_initializer())
    train = util.set_iteration_per_loop(sess, train, N)
    for _ in range(2):
        sess.run(train)
    got = sess.run(totals)
    for name in made:
        all_equal(got[name], np.asarray(expected[name], np.float64) * 2 * N)

destroy_group("ends")
npu_sess.run(shutting_down)
npu_sess.close()
print("all equal", len(made))
