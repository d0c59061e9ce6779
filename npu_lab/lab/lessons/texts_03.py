"""The messages for the mistakes of lesson 03's exercises."""

from __future__ import annotations

from npu_lab.lab.exercises import Text

CALLS_MISTAKES: dict[str, Text] = {
    "no number": {
        "en": "A number is asked for, such as 80 // 8.",
        "zh": "需要一个数值，例如 80 // 8。",
    },
    "steps": {
        "en": "{answer} is the number of steps of an epoch. A call at N = 16 runs 16 of"
        " them.",
        "zh": "{answer} 是一个 epoch 的 step 数。N = 16 时一次调用执行 16 个。",
    },
    "examples": {
        "en": "{answer} divides the examples by N. N counts steps, and a step is a"
        " batch: divide by the batch size first.",
        "zh": "{answer} 是样本数除以 N。N 数的是 step，一个 step 是一个 batch："
        "请先除以 batch size。",
    },
    "multiplied": {
        "en": "{answer} is the steps times N. That many calls would train N times as"
        " long, and more: a call runs N steps, so divide.",
        "zh": "{answer} 是 step 数乘以 N。一次调用执行 N 个 step，所以应该除以 N。",
    },
    "ten": {
        "en": "{answer} would be right at N = 10. Here N is 16.",
        "zh": "N = 10 时 {answer} 是对的。这里 N 是 16。",
    },
    "other": {
        "en": "{answer} it is not. Steps of an epoch first, then divided by N.",
        "zh": "不是 {answer}。先求一个 epoch 的 step 数，再除以 N。",
    },
}

TRAIN_MISTAKES: dict[str, Text] = {
    "no function": {
        "en": "Hand over the function itself: its name, without brackets.",
        "zh": "请传入函数本身：只写函数名，不带括号。",
    },
    "nothing": {
        "en": "No training call was made for {steps} steps at N = {n}:"
        " sess.run(train_op) trains, loading does not.",
        "zh": "N = {n} 训练 {steps} 个 step 时没有训练调用：加载不会训练，"
        "要运行 sess.run(train_op)。",
    },
    "undivided": {
        "en": "The calls are not divided: {calls} calls at N = {n} trained {trained}"
        " steps, {steps} were asked for.",
        "zh": "调用次数没有除以 N：N = {n} 时 {calls} 次调用训练了 {trained} 个 step，"
        "要求的是 {steps} 个。",
    },
    "past the end": {
        "en": "{trained} steps instead of {steps}: the last call ran all {n}"
        " iterations. Load the remainder before it.",
        "zh": "训练了 {trained} 个 step，而不是 {steps} 个：最后一次调用执行了全部"
        " {n} 次迭代。请在它之前加载余数。",
    },
    "no tail": {
        "en": "{trained} steps instead of {steps}: the remainder was left out. One more"
        " call, with a smaller count, trains it.",
        "zh": "训练了 {trained} 个 step，而不是 {steps} 个：漏掉了余数。"
        "再用较小的次数调用一次即可。",
    },
    "one less": {
        "en": "{trained} steps instead of {steps}, one is missing: give"
        " load_iteration_per_loop_var the number of steps. It takes off"
        " the one itself.",
        "zh": "训练了 {trained} 个 step，而不是 {steps} 个，少了一个："
        "请把 step 数传给 load_iteration_per_loop_var，减一由接口自己完成。",
    },
    "calls": {
        "en": "{steps} steps, but in {calls} calls; {wanted} are enough: load the whole"
        " remainder and make one call.",
        "zh": "{steps} 个 step 是对的，但用了 {calls} 次调用，{wanted} 次就够了："
        "加载整个余数，只调用一次。",
    },
    "too few calls": {
        "en": "{steps} steps, but in {calls} calls where N = {n} makes {wanted}: n is"
        " ignored, and the host sees nothing for {trained} steps.",
        "zh": "{steps} 个 step 是对的，但只用了 {calls} 次调用，N = {n} 时应为 {wanted}"
        " 次：没有考虑 n，Host 在 {trained} 个 step 内看不到任何结果。",
    },
    "graph grows": {
        "en": "{got} is a new operation: the setter was called again, and the graph"
        " grows with each call. Load a smaller count instead.",
        "zh": "{got} 是新建的算子：再次调用了设置接口，图随每次调用增大。"
        "请改为加载较小的次数。",
    },
    "count left": {
        "en": "Right the first time, but then {trained} steps instead of {steps}: the"
        " small count of the last run was still loaded. Load n at the beginning.",
        "zh": "第一次正确，之后训练了 {trained} 个 step，而不是 {steps} 个："
        "仍是上次加载的较小次数。请在开头加载 n。",
    },
    "steps": {
        "en": "At N = {n}, {steps} steps were asked for: the ledger counted {trained}"
        " steps and {batches} batches in {calls} calls.",
        "zh": "N = {n}，要求训练 {steps} 个 step：账本统计到 {trained} 个 step、"
        "{batches} 个 batch、{calls} 次调用。",
    },
}

STOP_MISTAKES: dict[str, Text] = {
    "no function": TRAIN_MISTAKES["no function"],
    "no number": {
        "en": "The function must return a number of steps: is the return there?",
        "zh": "函数必须返回 step 数：是否写了 return？",
    },
    "n ignored": {
        "en": "For reached={reached}, n={n}, k={k} you stop at {got}, inside a call: N"
        " is ignored. The call that passes it ends at {wanted}.",
        "zh": "reached={reached}、n={n}、k={k} 时停在 {got}，那是在一次调用中间："
        "没有考虑 N。经过它的那次调用在 {wanted} 结束。",
    },
    "k ignored": {
        "en": "For reached={reached}, n={n}, k={k} you stop at {got}, but nobody"
        " evaluates there: k is ignored. The next evaluation is at {wanted}.",
        "zh": "reached={reached}、n={n}、k={k} 时停在 {got}，但那里没有评估："
        "没有考虑 k。下一次评估在 {wanted}。",
    },
    "common multiple": {
        "en": "For reached={reached}, n={n}, k={k} you stop at {got}: that evaluates"
        " only where a call ends exactly at a multiple of k. Here it is after the first"
        " call that reaches it, at {wanted}.",
        "zh": "reached={reached}、n={n}、k={k} 时停在 {got}：这只在调用恰好结束于 k 的"
        "倍数时评估。这里是在达到倍数后的第一次调用结束时，即 {wanted}。",
    },
    "rounded twice": {
        "en": "For reached={reached}, n={n}, k={k} you stop at {got}, rounding up"
        " twice. But an earlier multiple of k is evaluated late, at {wanted}, and sees"
        " it.",
        "zh": "reached={reached}、n={n}、k={k} 时停在 {got}，向上取整了两次。"
        "但前一个 k 的倍数推迟到 {wanted} 才评估，那时已经达到。",
    },
    "drifting": {
        "en": "For reached={reached}, n={n}, k={k} you stop at {got}: the next"
        " evaluation is due at the next multiple of k, not k steps after this one, so"
        " {wanted}.",
        "zh": "reached={reached}、n={n}、k={k} 时停在 {got}：下一次评估应在 k 的下一个"
        "倍数，而不是本次之后 k 个 step，所以是 {wanted}。",
    },
    "due again": {
        "en": "For reached={reached}, n={n}, k={k} you stop at {got}: where a call ends"
        " at a multiple of k, your next evaluation is due at that same multiple. Take"
        " the one after it, and you stop at {wanted}.",
        "zh": "reached={reached}、n={n}、k={k} 时停在 {got}：调用恰好结束于 k 的倍数"
        "时，下一次评估仍定在同一个倍数。应取它之后的倍数，即停在 {wanted}。",
    },
    "too early": {
        "en": "For reached={reached}, n={n}, k={k} you stop at {got}, before the"
        " accuracy is reached.",
        "zh": "reached={reached}、n={n}、k={k} 时停在 {got}，此时尚未达到精度。",
    },
    "off the calls": {
        "en": "For reached={reached}, n={n}, k={k} you stop at {got}, where no call"
        " ends or no evaluation is due.",
        "zh": "reached={reached}、n={n}、k={k} 时停在 {got}，那里没有调用结束，"
        "或没有评估。",
    },
    "too late": {
        "en": "For reached={reached}, n={n}, k={k} you stop at {got}; an evaluation"
        " before it, at {wanted}, has seen the accuracy already.",
        "zh": "reached={reached}、n={n}、k={k} 时停在 {got}；在此之前的 {wanted}"
        " 处，评估已经达到精度。",
    },
}
