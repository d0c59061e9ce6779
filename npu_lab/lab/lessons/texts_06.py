"""The messages for the mistakes of lesson 06's exercises."""

from __future__ import annotations

from npu_lab.lab.exercises import Text

STEPS_MISTAKES: dict[str, Text] = {
    "no function": {
        "en": "Hand over the function itself: its name, without brackets.",
        "zh": "请传入函数本身：只写函数名，不带括号。",
    },
    "no steps": {
        "en": "The function must return a list of whole numbers, the steps.",
        "zh": "函数应返回由整数（步数）组成的列表。",
    },
    "as asked": {
        "en": "save = {save}, n = {n}: {got} are the steps asked for. Inside a call the"
        " hook sees nothing: only ends of calls can be in the list.",
        "zh": "save = {save}、n = {n}：{got} 是配置要求的步数。"
        "调用内部 hook 什么也看不到：列表中只能有调用结束处的步数。",
    },
    "each loop": {
        "en": "save = {save}, n = {n}: {got} saves after every call. A call is enough"
        " only where at least save steps have passed.",
        "zh": "save = {save}、n = {n}：{got} 在每次调用之后都保存。"
        "只有距上次保存达到 save 步时才保存。",
    },
    "common multiples": {
        "en": "save = {save}, n = {n}: {got} has only ends of calls that save divides."
        " The hook asks whether at least save steps have passed, not for a multiple.",
        "zh": "save = {save}、n = {n}：{got} 只包含能被 save 整除的调用结束处。"
        "hook 判断的是是否至少过了 save 步，而不是是否为倍数。",
    },
    "by multiples": {
        "en": "save = {save}, n = {n}: {got} looks at multiples of save, as in lesson"
        " 03. TensorFlow's hook counts from the step it saved last.",
        "zh": "save = {save}、n = {n}：{got} 按 save 的倍数判断，与第 03 课相同。"
        "TensorFlow 的 hook 从上一次保存的步数算起。",
    },
    "without start": {
        "en": "save = {save}, n = {n}: {got} lacks step 0. A fresh training saves once"
        " before its first call.",
        "zh": "save = {save}、n = {n}：{got} 缺少第 0 步。"
        "从头开始的训练在第一次调用之前保存一次。",
    },
    "without end": {
        "en": "save = {save}, n = {n}: {got} lacks the last step. The hook saves once"
        " more when training ends.",
        "zh": "save = {save}、n = {n}：{got} 缺少最后一步。"
        "训练结束时 hook 会再保存一次。",
    },
    "strictly more": {
        "en": "save = {save}, n = {n}: {got} waits until more than save steps have"
        " passed; exactly save steps are enough.",
        "zh": "save = {save}、n = {n}：{got} 要等到超过 save 步才保存；"
        "正好 save 步就够了。",
    },
    "other": {
        "en": "save = {save}, n = {n}, last = {last}: {got} instead of {wanted}.",
        "zh": "save = {save}、n = {n}、last = {last}：得到 {got}，应为 {wanted}。",
    },
}

N_MISTAKES: dict[str, Text] = {
    "no function": {
        "en": "Hand over the function itself, without brackets: it is asked for several"
        " trainings.",
        "zh": "请传入函数本身，不带括号：它会用于多种训练。",
    },
    "no count": {
        "en": "max_steps = {max_steps}, save = {save}: {got} is no N; a whole number of"
        " 1 or more is asked for.",
        "zh": "max_steps = {max_steps}、save = {save}：{got} 不能作为 N；"
        "需要大于或等于 1 的整数。",
    },
    "longer": {
        "en": "max_steps = {max_steps}, save = {save}: N = {got} is longer than the"
        " training. N must divide both, not be divided by them.",
        "zh": "max_steps = {max_steps}、save = {save}：N = {got} 比整个训练还长。"
        "应该是 N 整除两者，而不是被两者整除。",
    },
    "end": {
        "en": "max_steps = {max_steps}, save = {save}: with N = {got} training ends at"
        " step {final}.",
        "zh": "max_steps = {max_steps}、save = {save}：N = {got} 时"
        "训练结束于第 {final} 步。",
    },
    "checkpoints": {
        "en": "max_steps = {max_steps}, save = {save}: training ends in time with"
        " N = {got}, but it saves every {interval} steps.",
        "zh": "max_steps = {max_steps}、save = {save}：N = {got} 时能准时结束，"
        "但每 {interval} 步才保存一次。",
    },
    "smaller works": {
        "en": "max_steps = {max_steps}, save = {save}: N = {got} keeps both, but it is"
        " not the largest that does.",
        "zh": "max_steps = {max_steps}、save = {save}：N = {got} 两者都满足，"
        "但不是最大的。",
    },
}
