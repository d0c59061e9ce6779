"""Who this rank is, and a sum over all."""

import tensorflow as tf
from npu_bridge.npu_init import *

npu_sess, npu_shutdown = init_resource()
total = hccl_ops.allreduce(tf.constant(get_npu_rank_id() + 1.0), "sum")
with tf.Session() as sess:
    print(get_npu_rank_id(), "of", get_npu_rank_size(), "sum", sess.run(total))
print("local", get_npu_local_rank_id(), "of", get_npu_local_rank_size())
shutdown_resource(npu_sess, npu_shutdown)
close_session(npu_sess)
