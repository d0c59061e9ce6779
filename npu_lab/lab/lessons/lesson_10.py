"""Exercises of lesson 10: rank table, mean, data, weights and round trips of ranks."""

from __future__ import annotations

from npu_lab.lab.exercises import Exercise
from npu_lab.lab.lessons import answers_10 as answers
from npu_lab.lab.lessons import checks_10 as checks
from npu_lab.lab.lessons.questions_10 import QUESTIONS
from npu_lab.lab.lessons.texts_10 import (
    MEAN_MISTAKES,
    PART_MISTAKES,
    TABLE_MISTAKES,
    TRIPS_MISTAKES,
    WEIGHTS_MISTAKES,
)

__all__ = ["EXERCISES", "LEDGER", "QUESTIONS"]

# What the exported script does on one device.
LEDGER = {
    "session_runs": 20,
    "training_calls": 10,
    "device_iterations": 100,
    "batches_pulled": 100,
}

EXERCISES = (
    Exercise(
        name="10/rank_table",
        title={"en": "a rank table", "zh": "资源配置文件"},
        checker=checks.check_rank_table,
        praise={
            "en": "All texts, ranks from 0 without gaps: a job can run with it.",
            "zh": "所有值都是字符串，rank 从 0 开始连续编号：作业可以用它运行。",
        },
        hints=(
            {
                "en": "Every value of the file is a text, numbers too.",
                "zh": "文件中的每个值都是字符串，数字也是。",
            },
            {
                "en": "A job waits until the status is completed; the servers are"
                " counted, not the devices.",
                "zh": "status 为 completed 之前作业会等待；server_count 数的是 server，"
                "不是 device。",
            },
            {
                "en": 'The two devices: {"device_id": "2", "rank_id": "0"} and'
                ' {"device_id": "3", "rank_id": "1"}.',
                "zh": '两个 device：{"device_id": "2", "rank_id": "0"} 和'
                ' {"device_id": "3", "rank_id": "1"}。',
            },
        ),
        solution=checks.TABLE_SOLUTION,
        explanation={
            "en": "device_id is the place on the server, rank_id the number in the job;"
            " they need not be equal. device_ip may be left out on a single server.",
            "zh": "device_id 是 device 在 server 上的编号，rank_id 是作业中的编号，"
            "两者不必相等。只有一个 server 时可以省略 device_ip。",
        },
        mistakes=TABLE_MISTAKES,
        right=answers.RIGHT_TABLES,
        wrong=answers.WRONG_TABLES,
    ),
    Exercise(
        name="10/mean",
        title={"en": "the mean over all ranks", "zh": "所有 rank 的平均值"},
        checker=checks.check_mean,
        praise={
            "en": "One collective, and every rank holds the same mean.",
            "zh": "一次集合通信，每个 rank 得到相同的平均值。",
        },
        hints=(
            {
                "en": "There is no reduction called mean: sum, max, min, prod.",
                "zh": "reduction 中没有 mean，只有 sum、max、min、prod。",
            },
            {
                "en": 'hccl_ops.allreduce(gradient, "sum") gives every rank the sum.',
                "zh": 'hccl_ops.allreduce(gradient, "sum") 使每个 rank 得到总和。',
            },
            {
                "en": "Divide by get_rank_size(); a 2 is right for two ranks only.",
                "zh": "除以 get_rank_size()；写 2 只适用于两个 rank。",
            },
        ),
        solution=checks.MEAN_SOLUTION,
        explanation={
            "en": "This is what the distributed optimizer does with each gradient, and"
            " what npu_allreduce does by default.",
            "zh": "分布式优化器对每个梯度做的就是这件事，npu_allreduce 默认也是如此。",
        },
        mistakes=MEAN_MISTAKES,
        right=answers.RIGHT_MEANS,
        wrong=answers.WRONG_MEANS,
    ),
    Exercise(
        name="10/own_part",
        title={"en": "the data of one rank", "zh": "一个 rank 的数据"},
        checker=checks.check_own_part,
        praise={
            "en": "Each row on one rank, none on two.",
            "zh": "每一行只在一个 rank 上，没有重复。",
        },
        hints=(
            {
                "en": "A Dataset has a method that keeps every k-th row.",
                "zh": "Dataset 有一个方法，每隔 k 行保留一行。",
            },
            {
                "en": "dataset.shard(num_shards, index)",
                "zh": "dataset.shard(num_shards, index)",
            },
            {
                "en": "There are get_rank_size() parts, and this one is get_rank_id().",
                "zh": "共有 get_rank_size() 份，这一份是 get_rank_id()。",
            },
        ),
        solution=checks.PART_SOLUTION,
        explanation={
            "en": "Nobody sends the data around: each process reads the whole list and"
            " keeps its rows. So shard before what is expensive, batch after it.",
            "zh": "数据不会被分发：每个进程都读取全部，只保留自己的行。"
            "所以先 shard，再做开销大的处理，最后 batch。",
        },
        mistakes=PART_MISTAKES,
        right=answers.RIGHT_PARTS,
        wrong=answers.WRONG_PARTS,
    ),
    Exercise(
        name="10/same_weights",
        title={"en": "the script without a broadcast", "zh": "缺少广播的脚本"},
        checker=checks.check_same_weights,
        praise={
            "en": "All ranks will begin with what rank 0 has drawn.",
            "zh": "所有 rank 都将从 rank 0 的权重开始。",
        },
        hints=(
            {
                "en": "hccl_ops.broadcast takes a list, and gives a list.",
                "zh": "hccl_ops.broadcast 的输入是列表，输出也是列表。",
            },
            {
                "en": "What it gives are values; tf.assign puts one into a variable.",
                "zh": "它返回的是值；用 tf.assign 写入变量。",
            },
            {
                "en": "[tf.assign(v, hccl_ops.broadcast([v], 0)[0]) for v in"
                " variables]",
                "zh": "[tf.assign(v, hccl_ops.broadcast([v], 0)[0]) for v in"
                " variables]",
            },
        ),
        solution=checks.WEIGHTS_SOLUTION,
        explanation={
            "en": "Every rank must run it, rank 0 as well: a collective waits for all."
            " With a hook, NPUBroadcastGlobalVariablesHook does the same.",
            "zh": "每个 rank 都要运行它，包括 rank 0：集合通信会等待所有 rank。"
            "使用 hook 时，NPUBroadcastGlobalVariablesHook 的作用相同。",
        },
        mistakes=WEIGHTS_MISTAKES,
        right=answers.RIGHT_WEIGHTS,
        wrong=answers.WRONG_WEIGHTS,
    ),
    Exercise(
        name="10/round_trips",
        title={"en": "the round trips of a job", "zh": "一个作业的交互次数"},
        checker=checks.check_round_trips,
        praise={
            "en": "More ranks, fewer steps on each: an epoch costs as many calls in"
            " all, and N divides them.",
            "zh": "rank 越多，每个的步数越少：一个 epoch 的总调用次数不变，再除以 N。",
        },
        hints=(
            {
                "en": "Each rank has an eighth of the rows.",
                "zh": "每个 rank 有八分之一的行。",
            },
            {
                "en": "Steps of a rank: its rows divided by the batch. Calls: steps"
                " divided by N.",
                "zh": "每个 rank 的步数：行数除以 batch；调用次数：步数除以 N。",
            },
            {
                "en": "Each rank makes its own calls: times 8.",
                "zh": "每个 rank 各自调用：乘以 8。",
            },
        ),
        solution=checks.TRIPS_SOLUTION,
        explanation={
            "en": "64,000 rows / 8 ranks / 10 a batch = 800 steps on each rank, one"
            " call a step at N = 1.",
            "zh": "64,000 行 / 8 个 rank / 每个 batch 10 行 = 每个 rank 800 步，"
            "N = 1 时每步一次调用。",
        },
        mistakes=TRIPS_MISTAKES,
        right=answers.RIGHT_TRIPS,
        wrong=answers.WRONG_TRIPS,
    ),
)
