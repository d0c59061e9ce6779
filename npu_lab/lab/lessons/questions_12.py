"""The quiz of lesson 12."""

from __future__ import annotations

from npu_lab.lab.questions import Choice, Question

QUESTIONS = (
    Question(
        name="12/gap",
        prompt={
            "en": "Data Aug Bound is 70 %, and GetNext waits for nearly all of it. What"
            " helps?",
            "zh": "Data Aug Bound 占 70 %，几乎都在等 GetNext。怎么办？",
        },
        choices=(
            Choice(
                {"en": "a larger N", "zh": "增大 N"},
                why={
                    "en": "The batches do not come any sooner.",
                    "zh": "数据不会因此来得更快。",
                },
            ),
            Choice(
                {"en": "a quicker input pipeline", "zh": "加快数据流水线"},
                why={
                    "en": "Parallel map, cache, prefetch, cheaper preprocessing.",
                    "zh": "并行 map、cache、prefetch、更省的数据预处理。",
                },
                right=True,
            ),
            Choice(
                {"en": "mixed precision", "zh": "混合精度"},
                why={
                    "en": "It shortens the part that is short already.",
                    "zh": "它缩短的是本来就短的部分。",
                },
            ),
        ),
    ),
    Question(
        name="12/first",
        prompt={
            "en": "Why is iteration 1 of the step trace left out?",
            "zh": "为什么不看迭代轨迹中的第 1 次迭代？",
        },
        choices=(
            Choice(
                {"en": "it contains the compilation", "zh": "它包含编译时间"},
                why={
                    "en": "The graph is compiled once, in the first call.",
                    "zh": "图只在第一次调用时编译一次。",
                },
                right=True,
            ),
            Choice(
                {"en": "it is always the fastest", "zh": "它总是最快的"},
                why={"en": "It is the slowest.", "zh": "它是最慢的。"},
            ),
            Choice(
                {
                    "en": "its loss is not yet meaningful",
                    "zh": "它的 loss 还没有意义",
                },
                why={
                    "en": "The step trace holds times, no losses.",
                    "zh": "迭代轨迹中是时间，不是 loss。",
                },
            ),
        ),
    ),
    Question(
        name="12/small",
        prompt={
            "en": "tune recommends N=40 although N=200 was 2 % faster. Why?",
            "zh": "N=200 快 2 %，tune 却推荐 N=40。为什么？",
        },
        choices=(
            Choice(
                {"en": "200 is not safe", "zh": "200 不安全"},
                why={
                    "en": "Then it would not have been tried.",
                    "zh": "那样就根本不会试它。",
                },
            ),
            Choice(
                {
                    "en": "the smaller N costs less: finer log, checkpoints, stops",
                    "zh": "较小的 N 代价更小：日志、checkpoint 和停止都更细",
                },
                why={
                    "en": "Within 3 % the smallest is taken.",
                    "zh": "相差 3 % 以内取最小的。",
                },
                right=True,
            ),
            Choice(
                {
                    "en": "a larger N computes less exactly",
                    "zh": "N 越大，计算越不精确",
                },
                why={
                    "en": "N changes no number: the losses are equal bit for bit.",
                    "zh": "N 不改变任何数值：各个 loss 逐位相等。",
                },
            ),
        ),
    ),
)
