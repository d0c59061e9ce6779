"""The words of the command `npu-lab freeze`: English, Chinese."""

from __future__ import annotations

TEXTS: dict[str, tuple[str, str]] = {
    "about": (
        "Freezes a trained model into one .pb file: variables become constants. The"
        " frozen graph is compared with the live model before it is kept. Exit status:"
        " 0 done, 1 it cannot be done (nothing is written), 2 wrong usage.",
        "将训练好的模型固化为一个 pb 文件：变量变为常量。"
        "保存前会与原模型的输出进行比较。"
        "退出码：0 完成，1 无法完成（不写入任何文件），2 用法错误。",
    ),
    "next": (
        "The guide goes on with the .pb file in two ways: online inference (a session"
        " with graph_run_mode 0), or offline: the tool ATC converts it to an .om file"
        " (atc --framework=3 --model=x.pb ...); ATC is not part of npu_lab.",
        "pb 文件有两种后续用法：在线推理（graph_run_mode 为 0 的会话），"
        "或离线推理：用 ATC 工具转换为 om 文件（atc --framework=3 --model=x.pb ...）；"
        "npu_lab 不含 ATC。",
    ),
    "SOURCE": (
        "a checkpoint (prefix or folder), a SavedModel folder, a Keras file (.h5,"
        " .keras, or .json with --weights); with --list also a .pb or .pbtxt file",
        "checkpoint（前缀或目录）、SavedModel 目录、Keras 文件（.h5、.keras，"
        "或 .json 加 --weights）；使用 --list 时还可以是 .pb 或 .pbtxt 文件",
    ),
    "--output": ("the file to write", "要写入的文件"),
    "--outputs": (
        "output nodes, with commas between them (NAME or NAME:0); by default those"
        " that a SavedModel, a Keras model or the model function says",
        "输出节点，用逗号分隔（NAME 或 NAME:0）；"
        "默认使用 SavedModel、Keras 模型或模型函数给出的输出",
    ),
    "--list": (
        "list inputs, outputs to choose from, types and shapes; write nothing",
        "列出输入、可选的输出、类型和 shape；不写入文件",
    ),
    "--all": ("with --list: every node", "与 --list 一起使用：列出所有节点"),
    "--set": (
        "make a placeholder a constant, such as keep_prob=1.0 or is_training=False;"
        " may be given again",
        "将 placeholder 变为常量，例如 keep_prob=1.0 或 is_training=False；"
        "可以多次使用",
    ),
    "--iterator-inputs": (
        "names for the placeholders to put in the place of the iterator's components",
        "用于替换迭代器各分量的 placeholder 的名称",
    ),
    "--model": (
        "a Python file that builds the inference graph for a checkpoint, and the"
        " function in it to call (else the file itself is run)",
        "为 checkpoint 构建推理图的 Python 文件，以及其中要调用的函数"
        "（不写函数则执行该文件）",
    ),
    "--meta": (
        "the graph of a checkpoint; by default the .meta file beside it",
        "checkpoint 的图；默认使用同名的 .meta 文件",
    ),
    "--weights": ("the weights for a .json file", ".json 文件对应的权重文件"),
    "--tags": (
        "which graph of a SavedModel (default: serve)",
        "SavedModel 中的图（默认：serve）",
    ),
    "--signature": (
        "whose outputs of a SavedModel (default: serving_default, else predict)",
        "使用 SavedModel 中哪个 signature 的输出"
        "（默认：serving_default，其次 predict）",
    ),
    "--feed": (
        "a NumPy file (.npz) with inputs to compare with, by name; random ones are"
        " used as well",
        "用于比较的输入数据（.npz，按名称存放）；同时也使用随机输入",
    ),
    "--allow-training": (
        "freeze dropout, batch statistics and updates as they are",
        "保留 dropout、batch 统计量和更新操作，按原样固化",
    ),
    "choose": (
        "give either --list, or the file to write with -o",
        "请使用 --list，或用 -o 指定要写入的文件",
    ),
    "bad set": ("--set {given}: write NAME=VALUE", "--set {given}：请写成 NAME=VALUE"),
    "bad feed": ("--feed {path}: {detail}", "--feed {path}：{detail}"),
    "bad model": (
        "--model {given}: {detail}. Write FILE.py or FILE.py:FUNCTION, a function"
        " without parameters.",
        "--model {given}：{detail}。请写成 FILE.py 或 FILE.py:FUNCTION，"
        "该函数不带参数。",
    ),
    "inputs": ("inputs:", "输入："),
    "outputs": ("outputs to choose from:", "可选的输出："),
    "nodes": ("all nodes:", "所有节点："),
    "node": (
        "  {name}  {operator}  {type} {shape}",
        "  {name}  {operator}  {type} {shape}",
    ),
    "nothing": ("  (none)", "  （无）"),
    "written": (
        "{path}: {constants} variables became constants; largest difference from the"
        " live model: {difference:.3g} (measured)",
        "{path}：{constants} 个变量变为常量；与原模型输出的最大差异："
        "{difference:.3g}（实测）",
    ),
    "input": ("  input {name}  {type} {shape}", "  输入 {name}  {type} {shape}"),
    "output": ("  output {name}  {type} {shape}", "  输出 {name}  {type} {shape}"),
    "random note": (
        "  note: {names} draw random numbers at each call",
        "  注意：{names} 每次调用都会产生随机数",
    ),
    "training note": (
        "  warning: frozen as in training: {names}",
        "  警告：以下部分按训练状态固化：{names}",
    ),
}
