"""What lesson 07 answers to a mistake."""

from __future__ import annotations

from npu_lab.lab.exercises import Text

NO_FUNCTION: Text = {
    "en": "Give the function itself: its name, without brackets.",
    "zh": "请传入函数本身：只写函数名，不带括号。",
}

FAULTS: dict[str, Text] = {
    "no lines": {
        "en": "Give the numbers of lines from 1 to 14, such as 3, 8.",
        "zh": "请给出 1 到 14 的行号，例如 3, 8。",
    },
    "missing": {
        "en": "No line is accused wrongly, but {count} faults are not found yet. Ask of"
        " each line: which type, which shape, how many?",
        "zh": "列出的行都有问题，但还有 {count} 处没有找到。"
        "请对每一行提问：什么类型？什么 shape？多少个？",
    },
    "1": {
        "en": "Line 1 is right: that is how Keras scales and flips.",
        "zh": "第 1 行是对的：Keras 就是这样缩放和翻转的。",
    },
    "3": {
        "en": "Line 3 is right but for the size, which another line sets.",
        "zh": "第 3 行除了尺寸都是对的，而尺寸是在另一行设置的。",
    },
    "4": {
        "en": "Line 4 is right: the file's bytes, as a string.",
        "zh": "第 4 行是对的：以字符串形式读出文件的字节。",
    },
    "8": {
        "en": "Line 8 is right: one picture after the other is flipped or not.",
        "zh": "第 8 行是对的：逐张图片决定是否翻转。",
    },
    "9": {
        "en": "Line 9 is right: names and labels, element by element.",
        "zh": "第 9 行是对的：文件名与标签逐个配对。",
    },
    "14": {
        "en": "Line 14 is right: a new folder, and the options of the line above.",
        "zh": "第 14 行是对的：新建目录，并使用上一行的配置。",
    },
}

PARSE: dict[str, Text] = {
    "no function": NO_FUNCTION,
    "no pair": {
        "en": "Return a pair: the picture and its label, both as tensors.",
        "zh": "请返回一对值：图片和标签，两者都是张量。",
    },
    "type": {
        "en": "The picture is of type {type}; the network wants float32.",
        "zh": "图片的类型是 {type}，网络要求 float32。",
    },
    "no shape": {
        "en": "The static shape is {shape}: no loop is built for it. Name it before you"
        " resize.",
        "zh": "静态 shape 是 {shape}，无法据此构建循环。请在 resize 之前给出 shape。",
    },
    "shape": {
        "en": "The shape is {shape}; the network wants (28, 28, 3).",
        "zh": "shape 是 {shape}，网络要求 (28, 28, 3)。",
    },
    "not divided": {
        "en": "The largest value is {largest}: the bytes are still to be divided by"
        " 255. A cast does not do that.",
        "zh": "最大值是 {largest}：还需要除以 255。cast 不会做除法。",
    },
    "divided twice": {
        "en": "The largest value is {largest}: it was divided by 255 twice;"
        " convert_image_dtype divides, too.",
        "zh": "最大值是 {largest}：除了两次 255。convert_image_dtype 也会做除法。",
    },
    "other pixels": {
        "en": "Type and shape are right, but these are not the pixels of the file,"
        " divided by 255.",
        "zh": "类型和 shape 都对，但数值不是文件像素除以 255。",
    },
    "label": {
        "en": "The label came back changed: {got} for {label}.",
        "zh": "标签被改变了：传入 {label}，得到 {got}。",
    },
}

REPLACED: dict[str, Text] = {
    "no match": {
        "en": "Keep the five callbacks as keys, and give each a letter.",
        "zh": "请保留五个 callback 作为键，并各填一个字母。",
    },
    "no letter": {
        "en": "{answer} is none of the letters a to e.",
        "zh": "{answer} 不是 a 到 e 中的字母。",
    },
    "ModelCheckpoint": {
        "en": "ModelCheckpoint: not {answer}. Saving needs no code of yours, only a"
        " setting.",
        "zh": "ModelCheckpoint：不是 {answer}。保存不需要写代码，只需一项配置。",
    },
    "EarlyStopping": {
        "en": "EarlyStopping: not {answer}. It stops when a metric gets no better.",
        "zh": "EarlyStopping：不是 {answer}。指标不再改善时，它会停止训练。",
    },
    "LearningRateScheduler": {
        "en": "LearningRateScheduler: not {answer}. The rate must be able to change"
        " inside a loop, and no hook acts there.",
        "zh": "LearningRateScheduler：不是 {answer}。"
        "学习率要能在循环内变化，而 hook 在循环内不起作用。",
    },
    "TerminateOnNaN": {
        "en": "TerminateOnNaN: not {answer}. An Estimator always looks for NaN.",
        "zh": "TerminateOnNaN：不是 {answer}。Estimator 始终检查 NaN。",
    },
    "History": {
        "en": "History: not {answer}. Look for a hook above that was written for"
        " this lesson.",
        "zh": "History：不是 {answer}。上文就有我们自己写的这种 hook。",
    },
}

LIMIT: dict[str, Text] = {
    "no function": NO_FUNCTION,
    "no number": {
        "en": "The function must return a number, not {got}.",
        "zh": "函数必须返回一个数，而不是 {got}。",
    },
    "inverse": {
        "en": "That is below 1: you divided the fast time by the slow one.",
        "zh": "结果小于 1：您用快的时间除以了慢的时间。",
    },
    "gain": {
        "en": "That is how much is gained; a speedup counts the 1 as well.",
        "zh": "这是增加的部分；加速比还要加上 1。",
    },
    "other way": {
        "en": "Compare two times per step: at N = 1, and at an N without end.",
        "zh": "请比较两个单步耗时：N = 1 时，以及 N 无穷大时。",
    },
    "some n": {
        "en": "That is what N = {n} gives. A larger N beats it.",
        "zh": "这是 N = {n} 时的加速比，更大的 N 会超过它。",
    },
    "other": {
        "en": "For a step of {step} s and an overhead of {overhead} s you say {got};"
        " N = 1,000,000 gives {wanted}.",
        "zh": "step 为 {step} s、开销为 {overhead} s 时，您的结果是 {got}；"
        "N = 1,000,000 时为 {wanted}。",
    },
}
