"""The messages for the mistakes of lesson 13's exercises."""

from __future__ import annotations

from npu_lab.lab.exercises import Text

NODE_MISTAKES: dict[str, Text] = {
    "no text": {
        "en": "A name is a text in quotes; this is {got}.",
        "zh": "名称是带引号的字符串；这里是 {got}。",
    },
    "tensor": {
        "en": "{got} is a tensor. The tool takes the name of the node, without what"
        " begins at the colon.",
        "zh": "{got} 是张量。工具需要的是节点的名称，不含冒号及其后面的部分。",
    },
    "data": {
        "en": "{got} gives the batch that goes in; the scores come out.",
        "zh": "{got} 给出的是送入的 batch；得分是输出。",
    },
    "loss": {
        "en": "{got} is the loss: it wants labels, which inference does not have.",
        "zh": "{got} 是 loss：它需要标签，而推理时没有标签。",
    },
    "other": {
        "en": "There is no {got} in the list above with a score for each class.",
        "zh": "上面的列表中没有给出各类别得分的 {got}。",
    },
}
GRAPH_MISTAKES: dict[str, Text] = {
    "no function": {
        "en": "Hand over the function itself: its name, without brackets.",
        "zh": "请传入函数本身：只写函数名，不带括号。",
    },
    "iterator": {
        "en": "The graph still reads an iterator ({got}). A placeholder goes in its"
        " place.",
        "zh": "图仍然从迭代器（{got}）读取数据。应换成 placeholder。",
    },
    "name": {
        "en": "The input is called {got}, and should be called input.",
        "zh": "输入名为 {got}，应名为 input。",
    },
    "shape": {
        "en": "The input takes {got}; it should take any number of digits, with 784"
        " values each.",
        "zh": "输入的 shape 为 {got}；图片数量应当任意，每张 784 个值。",
    },
    "switch": {
        "en": "Whether this graph trains is left to another input, {got}. Decide it"
        " now: inference does not train.",
        "zh": "是否训练由另一个输入 {got} 决定。现在就确定：推理时不训练。",
    },
    "training": {
        "en": "The graph is in training mode: {got}. What should the second argument"
        " of network be?",
        "zh": "图处于训练模式：{got}。network 的第二个参数应当是什么？",
    },
    "no scores": {
        "en": "There is no node called logits; let network build it.",
        "zh": "没有名为 logits 的节点；请用 network 构建。",
    },
}
PADDED_MISTAKES: dict[str, Text] = {
    "no function": GRAPH_MISTAKES["no function"],
    "no array": {
        "en": "The result must be an array with a digit in each row, not {got}.",
        "zh": "结果应为每行一张图片的数组，而不是 {got}。",
    },
    "short": {
        "en": "{count} digits, size {size}: the result has {got} rows only. Each other"
        " number of rows is compiled as another graph.",
        "zh": "{count} 张图片，size 为 {size}：结果只有 {got} 行。"
        "行数不同，就要再编译一个图。",
    },
    "long": {
        "en": "{count} digits, size {size}: the result has {got} rows. Only what is"
        " missing is to be filled in: size - len(batch) rows.",
        "zh": "{count} 张图片，size 为 {size}：结果有 {got} 行。"
        "只需补上缺少的部分：size - len(batch) 行。",
    },
    "moved": {
        "en": "The result does not begin with the digits of the batch, so its first"
        " scores belong to others.",
        "zh": "结果没有以 batch 中的图片开头，因此前面的得分不属于它们。",
    },
    "nan": {
        "en": "What is filled in is not a number. Zeros, or a digit again, cannot"
        " disturb anything.",
        "zh": "补齐的值不是数字（nan）。用 0 或重复某张图片，都不会有影响。",
    },
}
