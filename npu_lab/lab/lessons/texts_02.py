"""The messages for mistakes in lesson 02, and its quiz."""

from __future__ import annotations

from npu_lab.lab.exercises import Text
from npu_lab.lab.questions import Choice, Question

LOADED_MISTAKES: dict[str, Text] = {
    "no int": {
        "en": "{got} is no int: a count is a whole number, without quotes or point.",
        "zh": "{got} 不是 int：循环次数是整数，不带引号和小数点。",
    },
    "n itself": {
        "en": "{got} is N itself. With it loaded, the device would run {steps} steps:"
        " the first pass comes before any test.",
        "zh": "{got} 就是 N。加载它时 Device 会执行 {steps} 个 step："
        "第一次执行在判断之前。",
    },
    "one more": {
        "en": "{got} is N+1: the first pass makes the limit smaller, not bigger; this"
        " one gives {steps} steps.",
        "zh": "{got} 是 N+1：由于第一次执行，上限应减小而不是增大；这个值会执行 {steps}"
        " 个 step。",
    },
    "zero": {
        "en": "{got} is where loop_cond starts. As a limit it gives a loop of {steps}.",
        "zh": "{got} 是 loop_cond 的初值。作为上限时只执行 {steps} 个 step。",
    },
    "another n": {
        "en": "{got} is what is loaded for N = {steps}; here N is 25.",
        "zh": "{got} 是 N = {steps} 时加载的值；这里 N 是 25。",
    },
    "steps": {
        "en": "With {got} loaded, passes gives {steps}, not 25.",
        "zh": "加载 {got} 时，passes 返回 {steps}，不是 25。",
    },
}

JUDGE_MISTAKES: dict[str, Text] = {
    "no function": {
        "en": "Hand over the function itself: its name, without brackets.",
        "zh": "请传入函数本身：只写函数名，不带括号。",
    },
    "nothing": {
        "en": "Your function returned nothing: is the return there?",
        "zh": "函数没有返回任何值：是否写了 return？",
    },
    "no bool": {
        "en": "The answer is True or False (a count will do); you returned a {got}.",
        "zh": "答案应为 True 或 False（个数也可以）；返回的是 {got}。",
    },
    "never": {
        "en": "You found no loop in the log of N = 10, where there are 8 markers: see"
        " what the lines marked > have in common.",
        "zh": "N = 10 的日志有 8 条标志行，却没有判断出循环："
        "请看以 > 标出的行有什么共同之处。",
    },
    "all": {
        "en": "You ask that every keyword line is a marker. But every graph also logs"
        " ge_global_step: one marker is enough.",
        "zh": "您要求每条关键字行都是标志行。但每个图都会记录 ge_global_step："
        "有一条标志行就够了。",
    },
    "no need": {
        "en": "You took No need FlowCtrl for a loop: it says the opposite. Look only at"
        " lines with the keyword.",
        "zh": "您把 No need FlowCtrl 当成了循环，它的意思正相反。请只看含关键字的行。",
    },
    "option": {
        "en": "iterations_per_loop is 10 is only what the session asked for: it is"
        " logged for every graph, with or without a loop.",
        "zh": "iterations_per_loop is 10 只是会话配置所要求的：无论有没有循环，"
        "每个图都会记录。",
    },
    "keyword": {
        "en": "You found a loop in the log of N = 1. There the keyword comes only with"
        " ge_global_step, a variable of every compiled graph.",
        "zh": "您在 N = 1 的日志中判断出了循环。那里的关键字只随 ge_global_step 出现，"
        "它是每个编译的图都有的变量。",
    },
    "counted": {
        "en": "You counted lines: many graphs at N = 1 log as many, and none of them"
        " has a loop. Look at the names.",
        "zh": "您统计的是行数：N = 1 时图多了，行数同样多，却没有一个循环。请看名称。",
    },
    "get_next": {
        "en": "You missed a loop whose data stay on the host: lines 10 to 12 are not"
        " there, but the big loop is.",
        "zh": "漏掉了数据留在 Host 侧的循环：没有第 10 到 12 行，但大循环存在。",
    },
    "old engine": {
        "en": "You missed the loop of an engine of 2020: it wrote neither"
        " StreamExitActive nor NoOp. Use a piece of line 5, 6 or 8.",
        "zh": "漏掉了 2020 年引擎的循环：它不写 StreamExitActive 和 NoOp。"
        "请使用第 5、6 或 8 行的一部分。",
    },
}

SINK_MISTAKES: dict[str, Text] = {
    "no function": {
        "en": "Hand over the function itself: its name, no brackets.",
        "zh": "请传入函数本身：只写函数名，不加括号。",
    },
    "no operation": {
        "en": "Return the operation that is to be run; you returned a {got}.",
        "zh": "请返回要运行的算子；返回的是 {got}。",
    },
    "not sunk": {
        "en": "You returned the train_op you were given, and nothing is sunk: call"
        " util.set_iteration_per_loop and keep what it returns.",
        "zh": "返回的是传入的 train_op，没有下沉任何内容："
        "请调用 util.set_iteration_per_loop 并保留返回值。",
    },
    "discarded": {
        "en": "The setter was called, but what it returned is lost: you returned the"
        " train_op you were given. Write train_op = util.set_iteration_per_loop(...).",
        "zh": "调用了接口，但丢弃了返回值：返回的仍是传入的 train_op。"
        "请写成 train_op = util.set_iteration_per_loop(...)。",
    },
    "name": {
        "en": "The operation is called {got}, but only the exact name IterationOp makes"
        " a loop: call the setter once, outside of name scopes.",
        "zh": "算子名为 {got}，但只有名称恰为 IterationOp 才会构建循环："
        "请只调用一次接口，且不在 name scope 内。",
    },
    "count reset": {
        "en": "The verdict is: {state}. {calls} calls made {steps} steps. The count was"
        " initialized after it had been loaded, or never loaded: initializers first,"
        " then the setter.",
        "zh": "判定为：{state}。{calls} 次调用执行了 {steps} 个 step。循环次数在加载"
        "之后又被初始化，或者从未加载：请先初始化，再调用接口。",
    },
    "other number": {
        "en": "The loop is in effect, but {calls} calls made {steps} steps, {each}"
        " each. Here n is {n}: give the setter n itself, it subtracts.",
        "zh": "循环已生效，但 {calls} 次调用执行了 {steps} 个 step，每次 {each} 个。"
        "这里 n 是 {n}：请把 n 原样传给接口，由它减一。",
    },
    "no local": {
        "en": "The loop is in effect, but the metric's local variable has no value:"
        " sess.run(tf.local_variables_initializer()) is missing.",
        "zh": "循环已生效，但指标的局部变量没有值：缺少"
        " sess.run(tf.local_variables_initializer())。",
    },
}

QUESTIONS = (
    Question(
        name="02/zero",
        prompt={
            "en": "0 is loaded as the limit. How many steps does one call run?",
            "zh": "加载的上限为 0，一次调用执行多少个 step？",
        },
        choices=(
            Choice(
                {"en": "none", "zh": "不执行"},
                why={
                    "en": "The switch tests after a pass, not before it.",
                    "zh": "switch 在执行之后判断，不是之前。",
                },
            ),
            Choice(
                {"en": "one", "zh": "一个"},
                why={
                    "en": "One pass, then 0 < 0 is false: a loop of one.",
                    "zh": "执行一次后，0 < 0 不成立：循环只有一次。",
                },
                right=True,
            ),
            Choice(
                {
                    "en": "as many as the session's configuration says",
                    "zh": "会话配置中的次数",
                },
                why={
                    "en": "The configuration only permits the loop; the loaded count"
                    " ends it.",
                    "zh": "配置只是允许循环；何时结束由加载的次数决定。",
                },
            ),
        ),
    ),
    Question(
        name="02/five_markers",
        prompt={
            "en": "The training graph logged 5 markers, none with GetNext in its name."
            " What is the case?",
            "zh": "训练的图记录了 5 条标志行，名称都不含 GetNext。这说明什么？",
        },
        choices=(
            Choice(
                {
                    "en": "the loop is built; one batch serves all its steps",
                    "zh": "循环已构建；所有 step 共用一个 batch",
                },
                why={
                    "en": "The big loop is there, the small one is not: GetNext stayed"
                    " on the host.",
                    "zh": "有大循环，没有小循环：GetNext 留在 Host 侧。",
                },
                right=True,
            ),
            Choice(
                {"en": "no loop is built", "zh": "没有构建循环"},
                why={
                    "en": "Markers are written for nothing but a loop.",
                    "zh": "只有构建循环时才有标志行。",
                },
            ),
            Choice(
                {
                    "en": "the loop is built; each call runs 5 steps",
                    "zh": "循环已构建；每次调用执行 5 个 step",
                },
                why={
                    "en": "Markers name operators; they do not count steps.",
                    "zh": "标志行是算子的名称，不表示 step 数。",
                },
            ),
        ),
    ),
    Question(
        name="02/proof",
        prompt={
            "en": "On a real machine: what proves that a call at N = 10 ran ten steps?",
            "zh": "在真实机器上，如何证明 N = 10 时一次调用执行十个 step？",
        },
        choices=(
            Choice(
                {
                    "en": "iterations_per_loop is 10 in the log",
                    "zh": "日志中的 iterations_per_loop is 10",
                },
                why={
                    "en": "That is what was asked for, for each graph.",
                    "zh": "那只是每个图所要求的值。",
                },
            ),
            Choice(
                {"en": "the markers", "zh": "标志行"},
                why={
                    "en": "They prove that a loop was built. Its count may be 0.",
                    "zh": "标志行证明循环已构建，但循环次数可能是 0。",
                },
            ),
            Choice(
                {
                    "en": "the global step, read before and after the call",
                    "zh": "调用前后的全局步数",
                },
                why={
                    "en": "It is counted on the device, with each update.",
                    "zh": "它在 Device 侧随每次更新计数。",
                },
                right=True,
            ),
        ),
    ),
)
