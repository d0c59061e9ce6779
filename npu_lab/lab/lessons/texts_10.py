"""The messages for the mistakes of lesson 10's exercises."""

from __future__ import annotations

from npu_lab.lab.exercises import Text

NO_FUNCTION: Text = {
    "en": "Hand over the function itself: its name, without brackets.",
    "zh": "请传入函数本身：只写函数名，不带括号。",
}

TABLE_MISTAKES: dict[str, Text] = {
    "no table": {
        "en": "A rank table is a dictionary here; this is a {got}.",
        "zh": "这里的资源配置文件是一个字典；实际为 {got}。",
    },
    "refused": {"en": "A job stops: {why}", "zh": "作业会报错停止：{why}"},
    "size": {
        "en": "It lists {got} devices; the job has two, on one server.",
        "zh": "其中有 {got} 个 device；作业使用一个 server 上的 2 个。",
    },
    "order": {
        "en": "Valid, but rank 0 has device 3 and rank 1 device 2: the other way"
        " round was asked for.",
        "zh": "格式正确，但 rank 0 对应 device 3，rank 1 对应 device 2：与要求相反。",
    },
    "devices": {
        "en": "Valid, but the ranks have the devices {got}, not 2 and 3.",
        "zh": "格式正确，但各 rank 对应的 device 为 {got}，应为 2 和 3。",
    },
}

MEAN_MISTAKES: dict[str, Text] = {
    "no function": NO_FUNCTION,
    "unequal": {
        "en": "The ranks do not run the same collectives, and would wait for each other"
        " for ever: {ranks}.",
        "zh": "各 rank 执行的集合通信不同，会一直互相等待：{ranks}。",
    },
    "own": {
        "en": "Of {size} ranks with {gradients} each keeps its own, {got}: nothing was"
        " exchanged.",
        "zh": "{size} 个 rank 的梯度为 {gradients}，各自不变，得到 {got}：没有通信。",
    },
    "own part": {
        "en": "{got}: each of the {size} ranks has divided its own of {gradients};"
        " nothing was exchanged.",
        "zh": "{got}：{size} 个 rank 只除了 {gradients} 中自己的梯度，没有通信。",
    },
    "sum": {
        "en": "{got} is the sum of {gradients}. With it, {size} ranks make a step that"
        " is {size} times as long.",
        "zh": "{got} 是 {gradients} 的总和。用它更新，步长变为 {size} 倍。",
    },
    "two": {
        "en": "Right for 2 ranks. Of {size} ranks with {gradients} they get {got}: ask"
        " how many there are.",
        "zh": "2 个 rank 时正确。{size} 个 rank 的梯度为 {gradients} 时得到 {got}："
        "请查询 rank 的数量。",
    },
    "other": {
        "en": "{size} ranks with {gradients} get {got}; the mean is {wanted}.",
        "zh": "{size} 个 rank 的梯度为 {gradients}，得到 {got}；平均值是 {wanted}。",
    },
}

PART_MISTAKES: dict[str, Text] = {
    "no function": NO_FUNCTION,
    "no dataset": {
        "en": "The function must return a Dataset; it gave {got}.",
        "zh": "函数应返回 Dataset；实际返回 {got}。",
    },
    "refused": {
        "en": "TensorFlow refuses the part of a rank of {size}: shard takes the number"
        " of parts first, then which one, counted from 0.",
        "zh": "{size} 个 rank 时 TensorFlow 报错：shard 的第一个参数是份数，"
        "第二个是第几份，从 0 开始。",
    },
    "all": {
        "en": "Each of {size} ranks has all the rows, {counts}: every row would be used"
        " {size} times in an epoch.",
        "zh": "{size} 个 rank 都有全部的行，{counts}：每个 epoch 每行会用 {size} 次。",
    },
    "same": {
        "en": "All {size} ranks have the same part, {counts} rows: the other rows are"
        " never read.",
        "zh": "{size} 个 rank 得到同一份，{counts} 行：其余的行永远不会被读取。",
    },
    "missing": {
        "en": "With {size} ranks, {counts} rows, {count} rows are on none.",
        "zh": "{size} 个 rank，行数为 {counts}，有 {count} 行不在任何 rank 上。",
    },
    "twice": {
        "en": "With {size} ranks, {counts} rows, {count} rows are there more than"
        " once.",
        "zh": "{size} 个 rank，行数为 {counts}，有 {count} 行重复出现。",
    },
}

WEIGHTS_MISTAKES: dict[str, Text] = {
    "no function": NO_FUNCTION,
    "nothing": {
        "en": "The function returned None; it must return what the session is to run.",
        "zh": "函数返回了 None；应返回会话要运行的内容。",
    },
    "unequal": {
        "en": "The ranks do not run the same collectives, and would wait for each other"
        " for ever: {ranks}. All take part, rank 0 too, and name the same root.",
        "zh": "各 rank 执行的集合通信不同，会一直互相等待：{ranks}。"
        "所有 rank 都要参与，包括 rank 0，并且 root 相同。",
    },
    "root": {
        "en": "All have the weights of rank {root} now; rank 0 was asked for.",
        "zh": "现在所有 rank 都是 rank {root} 的权重；要求的是 rank 0。",
    },
    "not assigned": {
        "en": "Every rank still has weights of its own: what a broadcast gives is a"
        " value, and no variable has got it.",
        "zh": "每个 rank 的权重都没有变化：广播返回的是值，没有写入任何变量。",
    },
    "some": {
        "en": "Rank 1 has {got}, rank 0 has {wanted}: all of the variables must be"
        " equal.",
        "zh": "rank 1 为 {got}，rank 0 为 {wanted}：所有变量都必须相同。",
    },
}

TRIPS_MISTAKES: dict[str, Text] = {
    "no dict": {
        "en": "Give a dictionary with the keys 1 and 10.",
        "zh": "请给出键为 1 和 10 的字典。",
    },
    "each": {
        "en": "{one} and {ten} are the calls of one rank; the job has 8.",
        "zh": "{one} 和 {ten} 是一个 rank 的调用次数；作业有 8 个 rank。",
    },
    "not divided": {
        "en": "{one} and {ten}: the 8 ranks share the rows, they do not all read all.",
        "zh": "{one} 和 {ten}：8 个 rank 分担所有的行，而不是每个都读取全部。",
    },
    "n ignored": {
        "en": "{one} and {ten}: at N = 10 a call runs ten steps.",
        "zh": "{one} 和 {ten}：N = 10 时一次调用执行十步。",
    },
    "n squared": {
        "en": "{one} and {ten}: N divides the calls; it does not multiply them.",
        "zh": "{one} 和 {ten}：调用次数要除以 N，而不是乘以 N。",
    },
    "other": {
        "en": "{one} and {ten}: count the steps of one rank, then its calls, then all"
        " ranks.",
        "zh": "{one} 和 {ten}：先算一个 rank 的步数，再算调用次数，最后算所有 rank。",
    },
}
