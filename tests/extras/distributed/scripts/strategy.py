"""NPUStrategy: a dataset that it distributes is sharded."""

import tensorflow as tf
from npu_bridge.npu_init import *

npu_sess, npu_shutdown = init_resource()
strategy = npu_strategy.NPUStrategy()
print("replicas", strategy.num_replicas_in_sync)
with strategy.scope():
    weight = tf.get_variable("w", initializer=1.0)
shard = strategy.experimental_distribute_dataset(tf.data.Dataset.range(4))
following = tf.data.make_one_shot_iterator(shard).get_next()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print("shard", [int(sess.run(following)) for _ in range(4 // get_rank_size())])
shutdown_resource(npu_sess, npu_shutdown)
close_session(npu_sess)
