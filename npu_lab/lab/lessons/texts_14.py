"""The messages for the mistakes of lesson 14's exercises."""

from __future__ import annotations

from npu_lab.lab.exercises import Text

MENDED_MISTAKES: dict[str, Text] = {
    "no function": {
        "en": "Hand over the function mended itself: its name, without brackets.",
        "zh": "请传入函数 mended 本身：只写函数名，不带括号。",
    },
    "no graph": {
        "en": "mended gives back {got}; it should give back loop_train, a tf.function.",
        "zh": "mended 返回的是 {got}；应当返回 tf.function，即 loop_train。",
    },
    "returns": {
        "en": "loop_train still returns a value, so its While is not lifted out"
        " (BUILTIN_LOOP). A variable can be read after the call: nothing has to be"
        " returned.",
        "zh": "loop_train 仍有返回值，所以它的 While 没有提出（BUILTIN_LOOP）。"
        "变量可以在调用之后读取，不需要返回值。",
    },
    "outside": {
        "en": "Nothing comes back, but there is work after or beside the loop"
        " ({got}), so it is BUILTIN_LOOP still. Put it into the loop.",
        "zh": "没有返回值了，但循环之后或之外还有操作（{got}），所以仍是"
        " BUILTIN_LOOP。请放到循环之内。",
    },
    "whiles": {
        "en": "The graph has {got} loops, and must have exactly one.",
        "zh": "图中有 {got} 个循环，而必须恰好有一个。",
    },
    "host": {
        "en": "{got} stays on the host (mixed compute), so it is BUILTIN_LOOP still."
        " Keep the loss in last_loss, and print after the call.",
        "zh": "{got} 留在 Host 侧（混合计算），所以仍是 BUILTIN_LOOP。"
        "请把 loss 保存在 last_loss 中，调用之后再打印。",
    },
    "no loop": {
        "en": "There is no loop in the graph (NO_LOOP). for _ in tf.range(steps)"
        " makes one, and each pass takes a batch with next.",
        "zh": "图中没有循环（NO_LOOP）。for _ in tf.range(steps) 才会生成循环，"
        "每次循环用 next 取一个 batch。",
    },
    "steps": {
        "en": "The loop is right, but of 3 steps asked for it ran {got}.",
        "zh": "循环的形式正确，但要求 3 个 step，实际执行了 {got} 个。",
    },
    "kept": {
        "en": "The loop sinks, but after losses of 1, 2 and 4 last_loss is {got}. It"
        " should hold the last one: assign it in each step.",
        "zh": "循环可以下沉，但 loss 依次为 1、2、4 之后，last_loss 是 {got}。"
        "它应当是最后一个：在每个 step 中 assign。",
    },
}
STEPS_MISTAKES: dict[str, Text] = {
    "no list": {
        "en": "Four numbers are wanted, in the order of the picture; this is {got}.",
        "zh": "需要四个数，顺序与图中相同；这里是 {got}。",
    },
    "NPU_LOOP": {
        "en": "NPU_LOOP: not {got}. The body is lifted out of the While, so the"
        " number in tf.range is not looked at.",
        "zh": "NPU_LOOP：不是 {got}。循环体从 While 中提出，不看 tf.range 中的数。",
    },
    "HOST_LOOP": {
        "en": "HOST_LOOP: not {got}. The host repeats the body, as often as the same"
        " number says that rules on the device.",
        "zh": "HOST_LOOP：不是 {got}。由 Host 侧重复执行循环体，次数与 Device"
        " 侧循环取自同一个数。",
    },
    "waits": {
        "en": "BUILTIN_LOOP: the While asks for 50 steps, but how many batches are"
        " there for it? A step without a batch does not run.",
        "zh": "BUILTIN_LOOP：While 要执行 50 个 step，但有多少个 batch 可取？"
        "没有 batch 的 step 不会执行。",
    },
    "BUILTIN_LOOP": {
        "en": "BUILTIN_LOOP: not {got}. The steps that got a batch are done and kept,"
        " also when the next one waits in vain.",
        "zh": "BUILTIN_LOOP：不是 {got}。取到 batch 的 step 已经执行并保留，"
        "即使下一个 step 一直等不到 batch。",
    },
    "NO_LOOP": {
        "en": "NO_LOOP: not {got}. Without a loop in the graph a call is one step,"
        " whatever the loop size.",
        "zh": "NO_LOOP：不是 {got}。图中没有循环时，一次调用就是一个 step，"
        "与 loop size 无关。",
    },
}
MATCHED_MISTAKES: dict[str, Text] = {
    "no pair": {
        "en": "Two whole numbers of 1 or more are wanted: the loop size, then"
        " steps_per_execution. This is {got}.",
        "zh": "需要两个大于等于 1 的整数：先 loop size，再"
        " steps_per_execution。这里是 {got}。",
    },
    "no loop": {
        "en": "With steps_per_execution=1 Keras builds no loop: 80 calls an epoch,"
        " whatever the loop size.",
        "zh": "steps_per_execution=1 时 Keras 不生成循环：每个 epoch 调用 80 次，"
        "与 loop size 无关。",
    },
    "waits": {
        "en": "The host pushes {size} batches, and Keras's loop wants {steps}: it waits"
        " for batches that never come (SINK078).",
        "zh": "Host 侧推送 {size} 个 batch，而 Keras 的循环需要 {steps} 个："
        "它会等待不会到来的 batch（SINK078）。",
    },
    "unread": {
        "en": "The host pushes {size} batches, and Keras's loop takes {steps}: the"
        " others pile up in the queue (SINK079).",
        "zh": "Host 侧推送 {size} 个 batch，而 Keras 的循环只取 {steps} 个："
        "其余的积压在队列中（SINK079）。",
    },
    "remainder": {
        "en": "{size} and {size} match, but 80 is no multiple of {size}: the last call"
        " of an epoch takes {rest} batches, and {size} are pushed.",
        "zh": "{size} 与 {size} 一致，但 80 不是 {size} 的整数倍：epoch 的最后一次"
        "调用只取 {rest} 个 batch，却推送了 {size} 个。",
    },
    "calls": {
        "en": "The two match, and nothing is left over; but an epoch of 80 steps takes"
        " {calls} calls so, not 5.",
        "zh": "两者一致，也没有剩余；但这样一个 80 个 step 的 epoch 要调用 {calls}"
        " 次，而不是 5 次。",
    },
}
