"""What freezing says of a model: English, Chinese."""

from __future__ import annotations

from npu_lab import language
from npu_lab.extras.freeze import _command_texts

TEXTS: dict[str, tuple[str, str]] = {
    **_command_texts.TEXTS,
    # What is to be frozen
    "no source": (
        "{source} cannot be frozen. Give the path of a checkpoint or a SavedModel, or a"
        " model of tf_keras.",
        "无法固化 {source}。请给出 checkpoint 或 SavedModel 的路径，"
        "或 tf_keras 的模型。",
    ),
    "no file": (
        "There is no checkpoint, SavedModel or Keras file at {path}. Nearly the same"
        " name: {near}.",
        "{path} 处没有 checkpoint、SavedModel 或 Keras 文件。名称相近的有：{near}。",
    ),
    "empty folder": (
        "The folder {folder} holds no checkpoint and no SavedModel. Give the folder"
        " that the training saved to, or a checkpoint's prefix such as model.ckpt-100.",
        "目录 {folder} 中没有 checkpoint，也没有 SavedModel。"
        "请给出训练时保存的目录，或 checkpoint 的前缀，例如 model.ckpt-100。",
    ),
    "no meta": (
        "The graph file {path} is not there, and a checkpoint has only the weights."
        " Give the function that builds the inference graph (--model FILE.py:FUNCTION,"
        " model=), or the graph (--meta, meta=).",
        "没有图文件 {path}，而 checkpoint 中只有权重。"
        "请给出构建推理图的函数（--model FILE.py:FUNCTION，即 model=），"
        "或图文件（--meta，即 meta=）。",
    ),
    "bad meta": (
        "The graph {path} cannot be imported: {detail}. If it has operators of the NPU,"
        " import npu_bridge first.",
        "无法导入图 {path}：{detail}。如果其中有 NPU 自定义算子，"
        "请先 import npu_bridge。",
    ),
    "no restore": (
        "The checkpoint {path} does not fit the graph: {detail}. Build the graph with"
        " the names and shapes of the training.",
        "checkpoint {path} 与图不匹配：{detail}。请使用与训练时相同的名称和 shape"
        " 构建图。",
    ),
    "missing variables": (
        "The checkpoint {path} has no {names}. It has {near}. Build the graph with the"
        " variable names of the training (scopes, layer names).",
        "checkpoint {path} 中没有 {names}，其中有 {near}。"
        "请使用训练时的变量名（scope、层的名称）构建图。",
    ),
    "object checkpoint": (
        "The checkpoint {path} is one of tf.train.Checkpoint or Keras: its names are"
        " those of Python objects, not of variables ({names}). Load it in the program"
        " that made the model, and save a SavedModel there; or train with"
        ' checkpoint_format="saver".',
        "checkpoint {path} 由 tf.train.Checkpoint 或 Keras 保存："
        "其中是 Python 对象的名称，而不是变量名（{names}）。"
        "请在创建模型的程序中加载它，并保存为 SavedModel；"
        '或在训练时使用 checkpoint_format="saver"。',
    ),
    "bad export": (
        "The SavedModel {path} cannot be loaded: {detail}. Export it again"
        " (export_saved_model, tf.saved_model.save).",
        "无法加载 SavedModel {path}：{detail}。"
        "请重新导出（export_saved_model、tf.saved_model.save）。",
    ),
    "no tags": (
        "The SavedModel {path} has no graph with the tags {tags}; it has: {there}.",
        "SavedModel {path} 中没有标签为 {tags} 的图；其中有：{there}。",
    ),
    "no signature": (
        "The SavedModel {path} has no signature {name}; it has {there}.",
        "SavedModel {path} 中没有 signature {name}；其中有 {there}。",
    ),
    "bad Keras": (
        "The Keras model {path} cannot be loaded: {detail}. Own layers are given as"
        " custom_objects, or the model is saved as a SavedModel.",
        "无法加载 Keras 模型 {path}：{detail}。自定义层请用 custom_objects 给出，"
        "或将模型保存为 SavedModel。",
    ),
    "eager file": (
        "{path} can only be read with eager execution, which is off in the TF 1.15"
        " view. Use npu-lab freeze, or save the model as .h5 or as a SavedModel.",
        "{path} 只能在 Eager 模式下读取，而 TF 1.15 视图中该模式已关闭。"
        "请使用 npu-lab freeze，或将模型保存为 .h5 或 SavedModel。",
    ),
    "no weights": (
        "{path} describes a Keras model without its weights. Give their file"
        " (--weights, weights=).",
        "{path} 只描述了 Keras 模型的结构，没有权重。"
        "请给出权重文件（--weights，即 weights=）。",
    ),
    "no Keras graph": (
        "The Keras model {name} is a subclass of Model, or has no inputs yet, and"
        " cannot be built again. Save it as a SavedModel, and freeze that.",
        "Keras 模型 {name} 是 Model 的子类，或尚未确定输入，无法重新构建。"
        "请先保存为 SavedModel，再进行固化。",
    ),
    "no Keras weights": (
        "The weights of the Keras model {name} cannot be read: the session that had"
        " them was closed, or they were never initialised. Save the model before that,"
        " and give the file.",
        "无法读取 Keras 模型 {name} 的权重：持有权重的会话已关闭，或从未初始化。"
        "请在此之前保存模型，并给出该文件。",
    ),
    # Names
    "no node": (
        "The graph has no node {name}. Nearly the same name: {near}. npu-lab freeze"
        " --list shows all.",
        "图中没有节点 {name}。名称相近的有：{near}。"
        "npu-lab freeze --list 可以列出节点。",
    ),
    "no tensor": (
        "{name} is an operation ({type}) that gives no value, such as a training step;"
        " it cannot be an output. Give the node of the predictions. Behind it: {near}.",
        "{name} 是没有输出值的算子（{type}），例如训练操作，不能作为输出。"
        "请给出预测结果的节点。它的输入有：{near}。",
    ),
    "no output": (
        "There is no {name}; this node gives {there}.",
        "没有 {name}；该节点的输出有 {there}。",
    ),
    "no value": (
        "{name} ({type}) gives no value but a handle; it cannot be an output. Give the"
        " node of the predictions.",
        "{name}（{type}）的输出是句柄而不是数值，不能作为输出。请给出预测结果的节点。",
    ),
    "no outputs": (
        "Say which nodes are the outputs (--outputs, outputs=). To choose from:"
        " {there}.",
        "请指定输出节点（--outputs，即 outputs=）。可选的有：{there}。",
    ),
    "no placeholder": (
        "{name} ({type}) is no placeholder; only a placeholder can be set.",
        "{name}（{type}）不是 placeholder；只有 placeholder 可以设为常量。",
    ),
    "bad constant": (
        "A placeholder cannot be set so ({given}): {detail}.",
        "placeholder 的取值无效（{given}）：{detail}。",
    ),
    "bad name": (
        "{name} cannot be the name of a new placeholder: it is taken, given twice,"
        " or no name of a node.",
        "{name} 不能作为新 placeholder 的名称：已被占用、重复给出，"
        "或不是合法的节点名。",
    ),
    # What cannot be in a frozen graph
    "no inputs": (
        "{names} depends on no input: the frozen graph would always give the same. Give"
        " the node of the predictions.",
        "{names} 不依赖任何输入：固化后的图只会给出相同的结果。请给出预测结果的节点。",
    ),
    "iterator": (
        "The graph reads its data from {count} component(s) of an iterator or queue:"
        " {there}. A frozen graph has none. Build the inference graph with"
        " placeholders; or have them replaced, in this order: --iterator-inputs"
        " {example} (iterator_inputs=).",
        "图从迭代器或队列的 {count} 个分量读取数据：{there}。"
        "固化后的图中没有迭代器。请用 placeholder 构建推理图；"
        "或按此顺序替换：--iterator-inputs {example}（即 iterator_inputs=）。",
    ),
    "wrong names": (
        "The iterator or queue has {count} component(s) that are used, in this order:"
        " {there}. Give as many names, such as --iterator-inputs {example}.",
        "迭代器或队列中用到的分量有 {count} 个，顺序为：{there}。"
        "请给出同样数量的名称，例如 --iterator-inputs {example}。",
    ),
    "no iterator": (
        "There is no iterator or queue to replace by {names}: the outputs need none.",
        "没有可用 {names} 替换的迭代器或队列：输出不依赖它们。",
    ),
    "inner iterator": (
        "The iterator {name} is read inside of a function (a loop or a condition) and"
        " cannot be replaced. Build the inference graph with placeholders.",
        "迭代器 {name} 在函数（循环或条件分支）内部读取，无法替换。"
        "请用 placeholder 构建推理图。",
    ),
    "python": (
        "{name} ({type}) calls a Python function, which is not in the file. Do this on"
        " the host, before the graph is fed.",
        "{name}（{type}）调用了 Python 函数，而 pb 文件中不包含该函数。"
        "请在 Host 上、输入数据之前完成这一步。",
    ),
    "table": (
        "{name} ({type}) belongs to a lookup table, whose rows are not in the file."
        " Look words up on the host, and feed the numbers.",
        "{name}（{type}）属于查找表，而 pb 文件中不包含表的内容。"
        "请在 Host 上查表，再输入编号。",
    ),
    "training set": (
        "The graph is in training mode: {names}. Placeholders decide it: {given}"
        " ends it (constants=).",
        "图处于训练模式：{names}。由 placeholder 决定：使用 {given} 即可关闭"
        "（即 constants=）。",
    ),
    "training dropout": (
        "The graph is in training mode, dropout is active: {names}. Build the inference"
        " graph without it (is_training=False, keep_prob 1.0), from the same"
        " checkpoint: --model FILE.py:FUNCTION (model=). --allow-training keeps it.",
        "图处于训练模式，dropout 生效：{names}。请用同一个 checkpoint"
        " 构建不含 dropout 的推理图（is_training=False，keep_prob 为 1.0）："
        "--model FILE.py:FUNCTION（即 model=）。--allow-training 可按原样保留。",
    ),
    "training batch norm": (
        "The graph is in training mode, batch normalization uses the statistics of the"
        " batch: {names}. Build the inference graph with is_training=False, from the"
        " same checkpoint: --model FILE.py:FUNCTION (model=). --allow-training keeps"
        " it.",
        "图处于训练模式，批归一化使用当前 batch 的统计量：{names}。"
        "请用同一个 checkpoint 以 is_training=False 构建推理图："
        "--model FILE.py:FUNCTION（即 model=）。--allow-training 可按原样保留。",
    ),
    "training update": (
        "The output waits for an update of variables: {names}. A frozen graph has no"
        " variables. Give the node of the predictions, or build the inference graph:"
        " --model FILE.py:FUNCTION (model=).",
        "输出依赖变量的更新操作：{names}。固化后的图没有变量。"
        "请给出预测结果的节点，或构建推理图：--model FILE.py:FUNCTION（即 model=）。",
    ),
    "no values": (
        "Some variables have no value: {names}. Give the checkpoint that has them.",
        "部分变量没有值：{names}。请给出包含这些变量的 checkpoint。",
    ),
    "not converted": (
        "These variables cannot become constants: {names}. Build the inference graph"
        " without writing to them.",
        "这些变量无法变为常量：{names}。请构建不写入这些变量的推理图。",
    ),
    "too large": (
        "{path} would have more than 2 GB, the limit of a .pb file. Freeze parts of the"
        " model.",
        "{path} 将超过 2 GB，即 pb 文件的上限。请分部分固化模型。",
    ),
    "no write": (
        "{path} cannot be written: {detail}. Nothing has been changed. Give another"
        " place (-o), or make room there.",
        "无法写入 {path}：{detail}。未做任何改动。请更换位置（-o），或清理空间。",
    ),
    # Comparing
    "hidden random": (
        "{names} draw random numbers inside of a function, so the frozen graph"
        " cannot be compared with the live model. Build the inference graph without"
        " them.",
        "{names} 在函数内部产生随机数，无法将固化后的图与原模型进行比较。"
        "请构建不含它们的推理图。",
    ),
    "no input": (
        "The graph has no input {name}; it has {near}.",
        "图中没有输入 {name}；其中有 {near}。",
    ),
    "missing feeds": (
        "The inputs to compare with lack {names}.",
        "用于比较的输入缺少 {names}。",
    ),
    "strings": (
        "{names} takes texts, which cannot be made up. Give some to compare with"
        " (--feed FILE.npz, feeds=).",
        "{names} 的输入是字符串，无法随机生成。"
        "请给出用于比较的输入（--feed FILE.npz，即 feeds=）。",
    ),
    "made up": (
        "The model does not run on random inputs: {detail}. Give inputs to compare with"
        " (--feed FILE.npz, feeds=).",
        "模型无法在随机输入上运行：{detail}。"
        "请给出用于比较的输入（--feed FILE.npz，即 feeds=）。",
    ),
    "fed": (
        "The model does not run on the given inputs: {detail}.",
        "模型无法在给定的输入上运行：{detail}。",
    ),
    "empty": ("the outputs hold no finite number", "输出中没有有限的数值"),
    "unstable": (
        "it gives other values each time for the same inputs",
        "相同的输入，每次输出都不同",
    ),
    "shapes": (
        "{name} has the shape {live} live, and {frozen} frozen. Nothing has been"
        " written.",
        "{name} 的 shape 不一致：原模型为 {live}，固化后为 {frozen}。未写入任何文件。",
    ),
    "differs": (
        "{name} frozen differs from the live model by {by}, more than 1e-6. Nothing has"
        " been written. Please report it, with the model.",
        "固化后的 {name} 与原模型相差 {by}，超过 1e-6。未写入任何文件。"
        "请连同模型一起反馈此问题。",
    ),
    # Reading and running a file
    "no read": ("{path} cannot be read: {detail}.", "无法读取 {path}：{detail}。"),
    "bad graph": (
        "{path} is no graph that TensorFlow can import: {detail}.",
        "{path} 不是 TensorFlow 可以导入的图：{detail}。",
    ),
    "no ends": (
        "The graph {path} has no input or no output to run.",
        "图 {path} 没有可用的输入或输出。",
    ),
    "batch": (
        "The batch cannot be {batch}; it has to be {size}.",
        "batch 大小不能为 {batch}；应为 {size}。",
    ),
    "fixed batches": (
        "The inputs have different first dimensions ({sizes}); no batch fits them.",
        "各输入的第一维不同（{sizes}），无法确定 batch 大小。",
    ),
    "rows": (
        "Every input needs the same number of rows, at least one; given: {rows}.",
        "各输入的行数必须相同，且至少一行；给出的是：{rows}。",
    ),
    "which input": (
        "Give the inputs by name, as a dict: {names}.",
        "请用字典按名称给出输入：{names}。",
    ),
    "missing inputs": ("There is nothing given for {names}.", "没有给出 {names}。"),
    "no rows": (
        "The output {name} has the shape {shape}, not a row for each of the {batch}"
        " examples of a batch, so {rows} examples cannot be run in such batches. Leave"
        " this output out, or give exactly one batch.",
        "输出 {name} 的 shape 为 {shape}，并非 batch 中 {batch} 个样本各占一行，"
        "因此 {rows} 个样本无法分批运行。请不要使用该输出，或恰好给出一个 batch。",
    ),
}


def text(key: str, **facts: object) -> str:
    """The words in the current language."""
    return TEXTS[key][language.LANGUAGES.index(language.current())].format(**facts)
