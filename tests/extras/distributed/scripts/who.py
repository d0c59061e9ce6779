"""Who this rank is, a sum over all, and a dataset that NPUStrategy shards."""

import tensorflow as tf
from npu_bridge.npu_init import *

npu_sess, npu_shutdown = init_resource()
total = hccl_ops.allreduce(tf.constant(get_npu_rank_id() + 1.0), "sum")
strategy = npu_strategy.NPUStrategy()
with strategy.scope():
    weight = tf.get_variable("w", initializer=1.0)
shard = strategy.experimental_distribute_dataset(tf.data.Dataset.range(4))
following = tf.data.make_one_shot_iterator(shard).get_next()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(get_npu_rank_id(), "of", get_npu_rank_size(), "sum", sess.run(total))
    print("shard", [int(sess.run(following)) for _ in range(4 // get_rank_size())])
print("local", get_npu_local_rank_id(), "of", get_npu_local_rank_size())
print("replicas", strategy.num_replicas_in_sync)
shutdown_resource(npu_sess, npu_shutdown)
close_session(npu_sess)
