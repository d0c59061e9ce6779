"""The texts of the diagnostics, English and Chinese, one row per code.

A row is (code, severity, English, Chinese); each language has three templates: the
message (what is wrong and where), why, and the mend. The fields are the facts of a
case. A message names all that a reader who sees nothing else must know.
"""

from __future__ import annotations

TEXTS: tuple[tuple[str, str, tuple[str, str, str], tuple[str, str, str]], ...] = (
    (
        "SINK001",
        "error",
        (
            "The session ran {run}, the original training operation, not the one that"
            " the setter returned: one step per call although iterations_per_loop is"
            " {option}.",
            "Only an operation named exactly IterationOp is sunk; the setter puts the"
            " training operation into a group of that name and returns the group.",
            "Keep what the setter returns and run that: train_op ="
            " util.set_iteration_per_loop(sess, train_op, {option}), then"
            " sess.run(train_op).",
        ),
        (
            "会话运行的是原来的训练算子 {run}，而不是设置接口返回的算子："
            "iterations_per_loop 为 {option}，但每次调用只训练一步。",
            "只有名称恰好为 IterationOp 的算子才会下沉；设置接口把训练算子放入"
            "以此命名的算子组，并返回该组。",
            "请保存设置接口的返回值并运行它：train_op ="
            " util.set_iteration_per_loop(sess, train_op, {option})，然后"
            " sess.run(train_op)。",
        ),
    ),
    (
        "SINK002",
        "error",
        (
            "The setter is called inside a loop ({loop}): each round adds operations to"
            " the graph and loads the loop variables again, and only the first result"
            " has the name IterationOp.",
            "The setter changes the graph; from the second call on the name is taken,"
            " so no loop is built, and each change compiles the graph anew.",
            "Call the setter once, after the initializers and before the loop, and run"
            " what it returned inside the loop.",
        ),
        (
            "在循环（{loop}）中调用了设置接口：每一轮都会向图中添加算子并重新加载循环"
            "变量，而且只有第一次返回的算子名为 IterationOp。",
            "设置接口会修改图；从第二次调用起该名称已被占用，无法构建迭代循环，"
            "并且每次改图都会重新编译。",
            "请在变量初始化之后、训练循环之前只调用一次设置接口，并在循环中运行它的"
            "返回值。",
        ),
    ),
    (
        "SINK003",
        "error",
        (
            "The loop around session.run makes {bound} calls; N does not occur in that"
            " number, but each call trains {iterations} steps, so the training is"
            " {iterations} times as long as before.",
            "With a sunk loop the number of calls is the number of steps divided by"
            " iterations_per_loop.",
            "Divide the number of calls by {iterations}, for example range({bound} //"
            " {iterations}), and count epochs, learning rate and checkpoints in steps.",
        ),
        (
            "session.run 外层的循环共调用 {bound} 次，其中没有除以 N；而每次调用训练"
            " {iterations} 步，因此训练步数是原来的 {iterations} 倍。",
            "训练迭代循环下沉后，session.run 的调用次数应为训练总步数除以"
            " iterations_per_loop。",
            "请把调用次数除以 {iterations}，例如 range({bound} // {iterations})，"
            "并按步数计算 epoch、学习率和 checkpoint。",
        ),
    ),
    (
        "SINK004",
        "warning",
        (
            "feed_dict feeds {feeds}: one fed batch serves all {iterations} iterations"
            " of a call; only a Dataset delivers a new batch to each of them.",
            "A fed value is copied to the device once per call and stays the same for"
            " the whole loop; the GetNext of a sunk Dataset runs in every iteration.",
            "Read the data with a Dataset: iterator ="
            " tf.data.make_initializable_iterator(dataset), batch ="
            " iterator.get_next(), with enable_data_pre_proc True, and divide the"
            " number of calls by {iterations}.",
        ),
        (
            "feed_dict 送入了 {feeds}：送入的一个 batch 供一次调用的全部"
            " {iterations} 次迭代使用；只有 Dataset 才能为每次迭代提供新的 batch。",
            "送入的数据每次调用只拷贝到 Device 侧一次，在整个循环中保持不变；"
            "GetNext算子下沉后，Dataset 在每次迭代中都会取数。",
            "请使用 Dataset 读取数据：iterator ="
            " tf.data.make_initializable_iterator(dataset)，batch ="
            " iterator.get_next()，将 enable_data_pre_proc 配置为 True，"
            "并把调用次数除以 {iterations}。",
        ),
    ),
    (
        "SINK005",
        "warning",
        (
            "enable_data_pre_proc is not True, so GetNext {get_next} stays on the host:"
            " the loop is built, but one batch serves all {iterations} iterations of a"
            " call.",
            "Only a GetNext that is sunk together with the training step pulls a batch"
            " in every iteration. In a session the option is False unless it is set.",
            'Set custom_op.parameter_map["enable_data_pre_proc"].b = True.',
        ),
        (
            "enable_data_pre_proc 未配置为 True，GetNext算子 {get_next} 留在 Host"
            " 侧：迭代循环已构建，但同一个 batch 供一次调用的全部 {iterations}"
            " 次迭代使用。",
            "只有与训练步骤一起下沉的 GetNext算子才会在每次迭代中取一个 batch。"
            "session.run 模式下，该开关默认为 False。",
            '请开启数据预处理下沉：custom_op.parameter_map["enable_data_pre_proc"].b'
            " = True。",
        ),
    ),
    (
        "SINK006",
        "error",
        (
            "The session option iterations_per_loop is {option}, but nothing marks the"
            " training operation for the loop: each call runs {loaded} step, not"
            " {option}.",
            "The option only permits the loop. The setter marks the training operation"
            " with the name IterationOp and loads the count.",
            "After the initializers write train_op = util.set_iteration_per_loop(sess,"
            " train_op, {option}) and run the train_op it returns.",
        ),
        (
            "会话参数 iterations_per_loop 为 {option}，但没有设置接口标记训练算子："
            "每次调用训练 {loaded} 步，而不是 {option} 步。",
            "会话参数只是允许训练迭代循环下沉；由设置接口用 IterationOp 这一名称"
            "标记训练算子，并加载小循环次数。",
            "请在变量初始化之后调用 train_op = util.set_iteration_per_loop(sess,"
            " train_op, {option})，并运行它返回的 train_op。",
        ),
    ),
    (
        "SINK007",
        "warning",
        (
            "The session option iterations_per_loop is {option}, but the loaded count"
            " is {loaded}: the loaded count rules, each call runs {loaded} steps.",
            "The option is not compared with the loaded count; how often the device"
            " repeats is decided by the variable npu_runconfig/iterations_per_loop.",
            "Write the number once and use it in both places: N = {loaded};"
            ' custom_op.parameter_map["iterations_per_loop"].i = N;'
            " util.set_iteration_per_loop(sess, train_op, N).",
        ),
        (
            "会话参数 iterations_per_loop 为 {option}，而加载的小循环次数为"
            " {loaded}：以加载的次数为准，每次调用训练 {loaded} 步。",
            "会话参数不会与加载的次数进行比较；Device 侧循环多少次由变量"
            " npu_runconfig/iterations_per_loop 决定。",
            "请只写一次该数值，并在两处共用：N = {loaded}；"
            'custom_op.parameter_map["iterations_per_loop"].i = N；'
            "util.set_iteration_per_loop(sess, train_op, N)。",
        ),
    ),
    (
        "SINK008",
        "warning",
        (
            "{what} is {value}, which is not a multiple of iterations_per_loop"
            " {iterations}.",
            "A call always runs whole loops: what should happen between two loops"
            " happens later or not at all, and the last steps are left out or too many"
            " are trained.",
            "Choose a multiple of {iterations} instead of {value}, or another"
            " iterations_per_loop that divides it.",
        ),
        (
            "{what} 为 {value}，不是 iterations_per_loop（{iterations}）的整数倍。",
            "一次调用总是执行完整的循环：本应在循环中途进行的操作会推迟或不执行，"
            "最后几步会被略去或多训练。",
            "请把 {value} 改为 {iterations} 的整数倍，或者选择能整除它的"
            " iterations_per_loop。",
        ),
    ),
    (
        "SINK009",
        "error",
        (
            "Iterator {iterator} is a OneShotIterator, which works only with"
            " iterations_per_loop 1, not {option}; use"
            " tf.data.make_initializable_iterator instead.",
            "A one-shot iterator carries its dataset inside itself and cannot be sunk;"
            " the vendor's adapter aborts the process here.",
            "Write iterator = tf.data.make_initializable_iterator(dataset), and"
            " sess.run(iterator.initializer) in a call of its own before training; in"
            " the input_fn of an Estimator, return the dataset itself.",
        ),
        (
            "迭代器 {iterator} 是 OneShotIterator，只支持 iterations_per_loop 为 1，"
            "不支持 {option}；请改用 tf.data.make_initializable_iterator。",
            "one shot iterator 把数据集包含在迭代器内部，无法下沉；"
            "昇腾适配器遇到这种情况会终止进程。",
            "请使用 iterator = tf.data.make_initializable_iterator(dataset)，"
            "并在训练之前单独执行一次 sess.run(iterator.initializer)；"
            "在 Estimator 的 input_fn 中请直接返回数据集。",
        ),
    ),
    (
        "SINK010",
        "error",
        (
            "mix_compile_mode is True and iterations_per_loop is {option}: mixed"
            " compute allows no loop, only one step per call.",
            "Mixed compute leaves a part of the graph on the host, and a loop on the"
            " device cannot go back to the host in every iteration.",
            'Set custom_op.parameter_map["mix_compile_mode"].b = False, or keep mixed'
            " compute and set iterations_per_loop to 1.",
        ),
        (
            "mix_compile_mode 为 True，而 iterations_per_loop 为 {option}："
            "混合计算模式下不能开启训练迭代循环下沉，每次调用只能训练一步。",
            "混合计算把一部分图留在 Host 侧执行，而 Device 侧的循环无法在每次迭代"
            "中返回 Host 侧。",
            '请关闭混合计算：custom_op.parameter_map["mix_compile_mode"].b = False；'
            "或者保留混合计算，并将 iterations_per_loop 设置为 1。",
        ),
    ),
    (
        "SINK011",
        "warning",
        (
            "A time or speed is scaled by {iterations}, but no loop is built: each call"
            " trains one step, so the figure is wrong by a factor of {iterations}.",
            "The factor is right only where a call really runs so many iterations.",
            "Mend the loop first, then look for the markers in the host log; until then"
            " leave the factor out.",
        ),
        (
            "耗时或速度按 {iterations} 倍换算，但迭代循环没有构建：每次调用只训练"
            "一步，因此该数值相差 {iterations} 倍。",
            "只有一次调用确实执行这么多次迭代时，这个系数才正确。",
            "请先修正循环，再在 Host 日志中确认标志行；在此之前不要乘以该系数。",
        ),
    ),
    (
        "SINK012",
        "info",
        (
            "enable_data_pre_proc is True, but there is no Dataset: the option has no"
            " effect.",
            "The option sinks GetNext; a program that feeds its data has none.",
            "Remove the option, or read the data with a Dataset and"
            " tf.data.make_initializable_iterator, which a sunk loop needs anyway.",
        ),
        (
            "enable_data_pre_proc 为 True，但没有使用 Dataset：该参数不会生效。",
            "该参数使 GetNext算子下沉；用 feed_dict 送入数据的脚本没有 GetNext算子。",
            "请删除该参数，或者使用 Dataset 和 tf.data.make_initializable_iterator"
            " 读取数据（训练迭代循环下沉本来就需要）。",
        ),
    ),
    (
        "SINK013",
        "error",
        (
            "GetNext {get_next} delivers the shape {shape}, which is not fully known:"
            " no loop is built, each call runs one step.",
            "The loop is built for known shapes only. Without drop_remainder the last"
            " batch may be smaller, so the size of a batch is unknown.",
            "Write dataset.batch(batch_size, drop_remainder=True); where another"
            " dimension is unknown, pad or reshape to a fixed size in dataset.map.",
        ),
        (
            "GetNext算子 {get_next} 的输出 shape {shape} 不完全确定："
            "无法构建迭代循环，每次调用只训练一步。",
            "只有 shape 确定的图才能构建迭代循环。不设置 drop_remainder 时，"
            "最后一个 batch 可能较小，因此 batch 大小不确定。",
            "请使用 dataset.batch(batch_size, drop_remainder=True)；如果其他维度不"
            "确定，请在 dataset.map 中填充或变换为固定大小。",
        ),
    ),
    (
        "SINK014",
        "error",
        (
            "The graph is frozen by {frozen_by} before the loop's variables and"
            " IterationOp are added to it: the setter fails.",
            "Supervisor, MonitoredTrainingSession and finalize() allow no change of the"
            " graph, and the setter changes it.",
            "Before {frozen_by} write iteration = util.IterationPerLoop() and train_op"
            " = iteration.create_iteration_per_loop_var(train_op), after it"
            " iteration.load_iteration_per_loop_var(sess, N).",
        ),
        (
            "在添加循环变量和 IterationOp 之前，图已被 {frozen_by} 冻结："
            "设置接口会报错。",
            "Supervisor、MonitoredTrainingSession 和 finalize() 之后不能再修改图，"
            "而设置接口需要修改图。",
            "请在 {frozen_by} 之前调用 iteration = util.IterationPerLoop() 和 train_op"
            " = iteration.create_iteration_per_loop_var(train_op)，在其之后调用"
            " iteration.load_iteration_per_loop_var(sess, N)。",
        ),
    ),
    (
        "SINK015",
        "info",
        (
            "fit of a native Keras model runs one iteration in each call, whatever"
            " iterations_per_loop says (here {option}).",
            "Keras calls the session through a callable, and only session.run is"
            " compiled into a loop.",
            "Convert the model with model_to_npu_estimator and set iterations_per_loop"
            " in its NPURunConfig; callbacks are lost.",
        ),
        (
            "Keras 原生模型的 fit 每次调用只执行一次训练迭代，与 iterations_per_loop"
            " 的取值（此处为 {option}）无关。",
            "Keras 通过 callable 调用会话，而只有 session.run 才会编译为循环。",
            "请通过 model_to_npu_estimator 接口转换模型，并在 NPURunConfig 中设置"
            " iterations_per_loop；转换后不能使用 callback 回调函数。",
        ),
    ),
    (
        "SINK016",
        "error",
        (
            "A tf.estimator.Estimator that is to sink its loop needs three things;"
            " missing: {missing}.",
            "The option iterations_per_loop permits the loop, SetIterationsVarHook"
            " loads the count, and the training operation must be called IterationOp.",
            "Add what is missing ({missing}): the option in the session config, the"
            " hook SetIterationsVarHook(N) in train, and train_op = tf.group(train_op,"
            ' name="IterationOp") in the model function; or use NPUEstimator with'
            " NPURunConfig, which does all three.",
        ),
        (
            "使用 tf.estimator.Estimator 时，训练迭代循环下沉需要三项配置；"
            "缺少：{missing}。",
            "iterations_per_loop 参数允许构建循环，SetIterationsVarHook 加载小循环"
            "次数，训练算子的名称必须为 IterationOp。",
            "请补充缺少的配置（{missing}）：会话配置中的参数、train 的 hooks 中的"
            " SetIterationsVarHook(N)，以及 model_fn 中的 train_op ="
            ' tf.group(train_op, name="IterationOp")；或者改用 NPUEstimator 与'
            " NPURunConfig，三项均会自动完成。",
        ),
    ),
    (
        "SINK017",
        "error",
        (
            "The setter loaded a loop of {loaded} iterations, but the session option"
            " iterations_per_loop is {option}: no loop, each call runs one step.",
            "The loop is built only if the session option permits it; an absent option"
            " counts as 1.",
            "Before the session is made, set"
            ' custom_op.parameter_map["iterations_per_loop"].i = {loaded}.',
        ),
        (
            "设置接口加载的小循环次数为 {loaded}，但会话参数 iterations_per_loop 为"
            " {option}：没有构建迭代循环，每次调用只训练一步。",
            "只有会话参数允许时才会构建迭代循环；未配置该参数时按 1 处理。",
            "请在创建会话之前配置"
            ' custom_op.parameter_map["iterations_per_loop"].i = {loaded}。',
        ),
    ),
    (
        "SINK018",
        "error",
        (
            "The setter was called again in the same graph, so its operation is called"
            " {op}, not IterationOp: no loop, each call runs one step although"
            " iterations_per_loop is {option}.",
            "The name must be exactly IterationOp, and a graph gives each name once.",
            "Call the setter once, before the training loop, and keep its result. In a"
            " notebook build the model anew before calling it again: with"
            " tf.Graph().as_default(): ...",
        ),
        (
            "在同一个图中再次调用了设置接口，返回的算子名为 {op}，而不是"
            " IterationOp：没有构建迭代循环，每次调用只训练一步，尽管"
            " iterations_per_loop 为 {option}。",
            "算子名称必须恰好为 IterationOp，而同一个图中每个名称只能使用一次。",
            "请在训练循环之前只调用一次设置接口，并保存返回值。在 Notebook 中再次"
            "调用之前，请重新构图：with tf.Graph().as_default(): ...",
        ),
    ),
    (
        "SINK019",
        "error",
        (
            "The setter was called inside a name scope, so its operation is called"
            " {op}, not IterationOp: no loop, each call runs one step although"
            " iterations_per_loop is {option}.",
            "The name must be exactly IterationOp, without a scope in front.",
            "Call the setter outside every tf.name_scope and tf.variable_scope.",
        ),
        (
            "在 name scope 中调用了设置接口，返回的算子名为 {op}，而不是"
            " IterationOp：没有构建迭代循环，每次调用只训练一步，尽管"
            " iterations_per_loop 为 {option}。",
            "算子名称必须恰好为 IterationOp，前面不能带 scope。",
            "请在所有 tf.name_scope 和 tf.variable_scope 之外调用设置接口。",
        ),
    ),
    (
        "SINK020",
        "error",
        (
            "The loop variables exist, but were not loaded in this session when the"
            " graph was compiled: no loop, each call runs one step, not {option}.",
            "Only loading brings the variables to the device. A graph is compiled at"
            " its first run and stays as it was compiled.",
            "Load first, then run:"
            " iteration.load_iteration_per_loop_var(sess, {option}), then"
            " sess.run(train_op). If the session has run it already, make a new"
            " session, which compiles anew.",
        ),
        (
            "循环变量已经创建，但编译该图时尚未在本会话中加载：没有构建迭代循环，"
            "每次调用只训练一步，而不是 {option} 步。",
            "只有加载才会把循环变量送到 Device 侧。图在首次运行时编译，"
            "之后保持编译时的状态。",
            "请先加载再运行："
            "iteration.load_iteration_per_loop_var(sess, {option})，然后"
            " sess.run(train_op)。如果本会话已经运行过该图，请新建会话，"
            "新会话会重新编译。",
        ),
    ),
    (
        "SINK021",
        "warning",
        (
            "The loop count is 0, which stands for one step: the loop is built, but not"
            " effective, each call runs one step, not {option}.",
            "Loading 1 loads 0. And the loop variables are local variables:"
            " tf.local_variables_initializer() sets them to 0 again.",
            "Where one step is not meant, as it may be for the last call: run all"
            " initializers first and call the setter (or load_iteration_per_loop_var)"
            " after them.",
        ),
        (
            "小循环次数为 0，即只执行一步：迭代循环已构建，但没有生效，"
            "每次调用只训练一步，而不是 {option} 步。",
            "加载 1 时写入的是 0。此外循环变量属于局部变量，"
            "tf.local_variables_initializer() 会把它们重新置为 0。",
            "如果不是有意只执行一步（例如最后一次调用），请先运行所有初始化算子，"
            "再调用设置接口（或 load_iteration_per_loop_var）。",
        ),
    ),
    (
        "SINK022",
        "warning",
        (
            "Option {key} was given in the proto field {given}, but is read from"
            " {expected}: the value that counts is {effective}.",
            "The adapter reads one field for each option; a value in another field"
            " reads as zero, empty or False.",
            'Write custom_op.parameter_map["{key}"].{expected} = ...',
        ),
        (
            "参数 {key} 的值写在 proto 字段 {given} 中，但适配器读取的是字段"
            " {expected}：实际生效的值为 {effective}。",
            "适配器对每个参数只读取一个字段；写在其他字段中的值会被读作零、空或"
            " False。",
            '请写为 custom_op.parameter_map["{key}"].{expected} = ...',
        ),
    ),
    (
        "SINK023",
        "warning",
        (
            "Option {key} is unknown and has no effect; the closest known option:"
            " {suggestion}.",
            "The adapter ignores every key it does not know, without a message.",
            "Correct the spelling in custom_op.parameter_map, or remove the key.",
        ),
        (
            "参数 {key} 不存在，不会生效；最接近的参数：{suggestion}。",
            "适配器会忽略所有不认识的参数，并且不给出提示。",
            "请修正 custom_op.parameter_map 中的拼写，或者删除该参数。",
        ),
    ),
    (
        "SINK024",
        "error",
        (
            "use_off_line is False: the graph runs on the host CPU, not on the NPU;"
            " iterations_per_loop {option} has no effect, each call runs one step.",
            "With use_off_line off the adapter leaves the graph to TensorFlow.",
            'Set custom_op.parameter_map["use_off_line"].b = True.',
        ),
        (
            "use_off_line 为 False：图在 Host 侧 CPU 上执行，不在昇腾AI处理器上"
            "执行；iterations_per_loop {option} 不生效，每次调用只训练一步。",
            "关闭 use_off_line 后，适配器不处理该图，由 TensorFlow 自行执行。",
            '请配置 custom_op.parameter_map["use_off_line"].b = True。',
        ),
    ),
    (
        "SINK025",
        "error",
        (
            "graph_run_mode is 0 (inference): no loop is built, each call runs one"
            " step although iterations_per_loop is {option}.",
            "Only training graphs get a loop.",
            'Set custom_op.parameter_map["graph_run_mode"].i = 1, or leave the option'
            " out.",
        ),
        (
            "graph_run_mode 为 0（在线推理）：不构建迭代循环，每次调用只执行一步，"
            "尽管 iterations_per_loop 为 {option}。",
            "只有训练图才会构建迭代循环。",
            '请配置 custom_op.parameter_map["graph_run_mode"].i = 1，或者不配置该'
            "参数。",
        ),
    ),
    (
        "SINK026",
        "error",
        (
            "The graph reads its data with queue operators ({ops}), which cannot be"
            " sunk: no loop, each call runs one step. Read the data with a Dataset.",
            "A queue is filled by threads on the host; inside a loop on the device"
            " nothing would fill it.",
            "Replace the queue, such as tf.train.shuffle_batch, by"
            " tf.data.Dataset.from_tensor_slices(...).shuffle(...).batch(size,"
            " drop_remainder=True) with tf.data.make_initializable_iterator.",
        ),
        (
            "图使用队列算子（queue：{ops}）读取数据，无法下沉：没有构建迭代循环，"
            "每次调用只训练一步。请改用 Dataset 读取数据。",
            "队列由 Host 侧的线程填充；在 Device 侧的循环中没有线程为它填充数据。",
            "请把 tf.train.shuffle_batch 等队列替换为"
            " tf.data.Dataset.from_tensor_slices(...).shuffle(...).batch(size,"
            " drop_remainder=True)，并使用 tf.data.make_initializable_iterator。",
        ),
    ),
    (
        "SINK027",
        "warning",
        (
            "The random operators {ops} cannot continue one stream across loop and"
            " plain runs: their numbers will differ from those of a training without"
            " loop.",
            "Each compiled loop has its own generator for them, which starts afresh.",
            "Where the exact numbers matter, use tf.random.uniform, tf.random.normal"
            " or tf.random.truncated_normal, whose streams go on.",
        ),
        (
            "随机算子 {ops} 的随机序列无法在循环执行与普通执行之间延续："
            "得到的随机数会与不下沉的训练不同。",
            "每个编译后的循环都有自己的随机数发生器，会重新开始一个序列。",
            "如果需要数值完全一致，请使用 tf.random.uniform、tf.random.normal 或"
            " tf.random.truncated_normal，它们的随机序列可以延续。",
        ),
    ),
    (
        "SINK028",
        "warning",
        (
            "Not supported on the NPU: a summary fetched from a sunk loop, {fetches}."
            " Here it is that of the last iteration only; the other iterations of the"
            " {iterations} leave no point.",
            "A call returns the values of its last iteration. On real hardware a"
            " summary fetched with session.run is not supported at all.",
            "Fetch the loss and write or print it on the host after each call; for a"
            " point at every step train with iterations_per_loop 1, or use host_call"
            " of NPUEstimatorSpec.",
        ),
        (
            "NPU 不支持从迭代循环下沉的调用中取回 summary：{fetches}。"
            "这里它只对应最后一次迭代："
            "一次调用共 {iterations} 次迭代，其余迭代不留下数据点。",
            "一次调用返回的是最后一次迭代的值。在真实硬件上，session.run 模式"
            "不支持 summary。",
            "请取回 loss，并在每次调用之后在 Host 侧写入或打印；如果每一步都需要"
            "数据点，请将 iterations_per_loop 设置为 1，或者使用 NPUEstimatorSpec"
            " 的 host_call。",
        ),
    ),
    (
        "SINK029",
        "error",
        (
            "The session has no NpuOptimizer: {op} runs on the host CPU, like"
            " everything else in this session.",
            "The adapter takes over a graph only if the session's config names the"
            " custom optimizer NpuOptimizer.",
            "Make the session with"
            " tf.Session(config=npu_config_proto(config_proto=config)), or add it by"
            " hand: custom_op ="
            " config.graph_options.rewrite_options.custom_optimizers.add();"
            ' custom_op.name = "NpuOptimizer".',
        ),
        (
            "会话没有配置 NpuOptimizer：{op} 以及本会话的其他算子都在 Host 侧 CPU"
            " 上执行。",
            "只有会话的 config 中含有名为 NpuOptimizer 的自定义优化器时，"
            "适配器才会接管图。",
            "请使用 tf.Session(config=npu_config_proto(config_proto=config)) 创建"
            "会话，或者手工添加：custom_op ="
            " config.graph_options.rewrite_options.custom_optimizers.add()；"
            'custom_op.name = "NpuOptimizer"。',
        ),
    ),
    (
        "SINK030",
        "error",
        (
            "The data of {get_next} ended inside the loop, after inner step {done} of"
            " the {iterations} of this call; the steps done so far are kept.",
            "A call pulls {iterations} batches; the dataset held fewer than that when"
            " the call began.",
            "Make the number of batches a multiple of {iterations}, for example with"
            " dataset.repeat() and a number of calls from npu_lab.plan.calls.",
        ),
        (
            "{get_next} 的数据在循环中途用完：本次调用共 {iterations} 步，"
            "完成第 {done} 步之后没有更多数据；已经完成的步骤会保留。",
            "一次调用要取 {iterations} 个 batch，而调用开始时数据集剩余的数量不足。",
            "请让 batch 总数为 {iterations} 的整数倍，例如使用 dataset.repeat()，"
            "并用 npu_lab.plan.calls 计算调用次数。",
        ),
    ),
    (
        "SINK031",
        "info",
        (
            "The loop was interrupted after {done} of {iterations} iterations; the"
            " steps done so far are kept.",
            "The stop signal is seen between two iterations.",
            "Go on with the next call, or choose a smaller iterations_per_loop to get"
            " control back sooner.",
        ),
        (
            "循环在完成 {done} 次迭代后被中断（共 {iterations} 次）；"
            "已经完成的步骤会保留。",
            "停止信号在两次迭代之间生效。",
            "可以继续下一次调用；如需更快地返回 Host 侧，请减小 iterations_per_loop。",
        ),
    ),
    (
        "SINK032",
        "error",
        (
            "iterations_per_loop is {value}, but must be an integer of at least 1.",
            "It is the number of training steps per host call. Given as a session"
            " option, such a value makes the vendor's adapter abort the process.",
            "Write the number as an integer, in the session options in the field i:"
            ' custom_op.parameter_map["iterations_per_loop"].i = 10.',
        ),
        (
            "iterations_per_loop 为 {value}，但必须是大于等于 1 的整数。",
            "该参数是每次调用在 Device 侧执行的训练迭代次数。"
            "如果在会话参数中这样配置，昇腾适配器会终止进程。",
            "请写为整数；在会话参数中使用字段 i："
            'custom_op.parameter_map["iterations_per_loop"].i = 10。',
        ),
    ),
    (
        "SINK033",
        "info",
        (
            "A call through {door} is counted, but never sunk: it runs one step.",
            "Only complete runs of a session are compiled into a loop.",
            "Run the training operation with session.run.",
        ),
        (
            "通过 {door} 的调用会被计数，但不会下沉：只执行一步。",
            "只有会话的完整运行才会编译为循环。",
            "请使用 session.run 运行训练算子。",
        ),
    ),
    (
        "SINK034",
        "error",
        (
            "The training step uses reference variables, which cannot be sunk:"
            " {variables}.",
            "They were created before resource variables were switched on; a loop"
            " needs resource variables.",
            "Switch them on before the model is built: call npu_lab.activate() or"
            " tf.enable_resource_variables() first, or create the variables with"
            " use_resource=True.",
        ),
        (
            "训练步骤使用了引用变量，无法下沉：{variables}。",
            "这些变量在启用资源变量之前创建；循环只支持资源变量。",
            "请在构图之前启用资源变量：先调用 npu_lab.activate() 或"
            " tf.enable_resource_variables()，或者创建变量时指定"
            " use_resource=True。",
        ),
    ),
    (
        "SINK035",
        "error",
        (
            "dynamic_graph_execute_mode is lazy_recompile and iterations_per_loop is"
            " {option}: such a graph supports only 1.",
            "A graph that is compiled anew for each input shape cannot stay in a loop"
            " on the device.",
            "Set iterations_per_loop to 1, or leave out dynamic_input and"
            " dynamic_graph_execute_mode and give the batches a fixed shape.",
        ),
        (
            "dynamic_graph_execute_mode 为 lazy_recompile，而 iterations_per_loop 为"
            " {option}：这样的图只支持 1。",
            "按输入 shape 重新编译的图无法停留在 Device 侧的循环中。",
            "请将 iterations_per_loop 设置为 1，或者不配置 dynamic_input 和"
            " dynamic_graph_execute_mode，并让每个 batch 的 shape 固定。",
        ),
    ),
    (
        "SINK036",
        "error",
        (
            "Option {key} has the value {value}; allowed: {allowed}.",
            "On a real NPU the adapter {vendor}.",
            'Correct the value in custom_op.parameter_map["{key}"].',
        ),
        (
            "参数 {key} 的值为 {value}；允许的值：{allowed}。",
            "在真实的昇腾环境中，适配器会{vendor}。",
            '请修改 custom_op.parameter_map["{key}"] 的值。',
        ),
    ),
    (
        "SINK037",
        "warning",
        (
            "Option {key} has the value {value}; allowed: {allowed}. The value that"
            " counts is {effective}.",
            "The adapter moves such a value to the nearest allowed one.",
            'Correct the value in custom_op.parameter_map["{key}"].',
        ),
        (
            "参数 {key} 的值为 {value}；允许的值：{allowed}。"
            "实际生效的值为 {effective}。",
            "适配器会把超出范围的值改为最接近的允许值。",
            '请修改 custom_op.parameter_map["{key}"] 的值。',
        ),
    ),
    (
        "SINK038",
        "warning",
        (
            "The GetNext {get_next} is inside a function, such as a branch of tf.cond:"
            " the loop pulls a fresh batch in each iteration, but batches_pulled does"
            " not count it.",
            "Only a GetNext of the graph itself is seen by the device; one inside a"
            " function is part of the computation, whatever enable_data_pre_proc says.",
            "Call iterator.get_next() outside tf.cond and tf.function, and use its"
            " tensors inside.",
        ),
        (
            "GetNext 算子 {get_next} 位于函数内部（例如 tf.cond 的分支）："
            "循环在每次迭代中都会取新的 batch，但 batches_pulled 不会统计它。",
            "Device 只识别图本身的 GetNext；函数内部的 GetNext 属于计算的一部分，"
            "与 enable_data_pre_proc 的取值无关。",
            "请在 tf.cond 与 tf.function 之外调用 iterator.get_next()，"
            "在其内部使用得到的张量。",
        ),
    ),
    (
        "SINK039",
        "warning",
        (
            "feed_dict feeds the single value {feeds}: it stays the same for all"
            " {iterations} iterations of a call.",
            "A fed value is copied to the device once per call. A learning rate that"
            " should change with every step then changes only once per call.",
            "Where it must change within a call, compute it in the graph from the"
            " global step, for example with tf.train.exponential_decay; else leave it"
            " as it is.",
        ),
        (
            "feed_dict 送入了单个数值 {feeds}：它在一次调用的全部 {iterations} 次迭代中"
            "保持不变。",
            "送入的数值每次调用只拷贝到 Device 侧一次。本应逐步变化的学习率，"
            "因此每次调用才变化一次。",
            "如果它必须在一次调用内变化，请在图中根据 global step 计算，例如使用"
            " tf.train.exponential_decay；否则可以保持不变。",
        ),
    ),
    (
        "SINK040",
        "warning",
        (
            "Variables were initialised in the same run as an iterator, so the device"
            " keeps their zeros: {variables}.",
            "A graph that holds an iterator's initializer is not given to the device;"
            " what else it initialises is initialised on the host only.",
            "Use two runs: sess.run(tf.global_variables_initializer()), then"
            " sess.run(iterator.initializer).",
        ),
        (
            "变量与迭代器在同一次 run 中初始化，Device 侧的变量仍为零：{variables}。",
            "包含迭代器初始化算子的图不会下沉到 Device 侧，"
            "其中的其他初始化只在 Host 侧执行。",
            "请分成两次：先 sess.run(tf.global_variables_initializer())，"
            "再 sess.run(iterator.initializer)。",
        ),
    ),
    (
        "SINK041",
        "error",
        (
            "GetNext {get_next} waited for a batch longer than op_execute_timeout,"
            " {timeout} s: E30008, AI CPU operator execution time out. Batches enqueued"
            " before: {enqueued}; iterations done in this call, and kept: {done}.",
            "The input pipeline stays on the host; a sunk GetNext waits on the device"
            " for the queue that the pipeline fills. A shuffle buffer that is being"
            " filled has the same symptom.",
            "Time the input pipeline alone and make it faster (parallel map, a smaller"
            " shuffle buffer, a smaller batch), raise op_execute_timeout, or leave"
            " GetNext on the host: enable_data_pre_proc False.",
        ),
        (
            "GetNext算子 {get_next} 等待数据的时间超过 op_execute_timeout（{timeout}"
            " 秒）：E30008，AI CPU 算子执行超时。此前入队的 batch 数：{enqueued}；"
            "本次调用已完成并保留的迭代数：{done}。",
            "数据预处理留在 Host 侧，下沉的 GetNext算子在 Device 侧等待其填充的队列。"
            "shuffle 缓冲区填充过慢时现象相同。",
            "请单独测量数据预处理的耗时并加以优化（并行 map、更小的 shuffle 缓冲区、"
            "更小的 batch），或增大 op_execute_timeout，或将 enable_data_pre_proc"
            " 配置为 False，使 GetNext 留在 Host 侧。",
        ),
    ),
    (
        "SINK042",
        "error",
        (
            "Table not initialized: the input pipeline looks up {tables} on the host,"
            " but tables are initialised on the device.",
            "Initialisation is sunk to the device; pre-processing stays on the host.",
            "Look the values up with constants or before the Dataset is made, or use"
            " mixed compute, mix_compile_mode True, which needs iterations_per_loop 1"
            " (here {option}): with N=1 no loop is sunk.",
        ),
        (
            "Table not initialized：输入流水线在 Host 侧查询 {tables}，"
            "但查找表在 Device 侧初始化。",
            "初始化下沉到 Device 侧，数据预处理留在 Host 侧。",
            "请改用常量，或在构造 Dataset 之前完成查表；或者使用混合计算，"
            "将 mix_compile_mode 配置为 True，此时 iterations_per_loop 必须为 1"
            "（当前为 {option}），N=1 时循环不下沉。",
        ),
    ),
    (
        "SINK043",
        "warning",
        (
            "The training call that fetches {fetches} goes through a session callable,"
            " as native Keras does: each call runs one iteration, whatever"
            " iterations_per_loop says (here {option}).",
            "Only session.run is compiled into a loop; the calls of native Keras are"
            " fixed at 1 iteration.",
            "Convert the Keras model with model_to_npu_estimator and set"
            " iterations_per_loop in its NPURunConfig, or write the training as a loop"
            " of session.run with util.set_iteration_per_loop.",
        ),
        (
            "获取 {fetches} 的训练调用使用了会话的 callable"
            "（Keras 原生 API 即为这种方式）：无论 iterations_per_loop 取值如何"
            "（此处为 {option}），每次调用只执行一次训练迭代。",
            "只有 session.run 才会编译为循环；使用 Keras 原生 API 训练时，"
            "每次调用的训练迭代次数固定为 1。",
            "请通过 model_to_npu_estimator 接口转换 Keras 模型，并在 NPURunConfig 中"
            "设置 iterations_per_loop；或者用 session.run 编写训练循环，并使用"
            " util.set_iteration_per_loop。",
        ),
    ),
    (
        "SINK044",
        "error",
        (
            "Error while reading resource variable: the input pipeline reads the"
            " variable {variables} on the host (preprocessing), but variables are"
            " initialised on the device.",
            "Initialisation is sunk to the device; pre-processing stays on the host.",
            "Use a constant or a Python number in the preprocessing, for example as the"
            " batch size; tf.keras.backend.zeros makes a variable, tf.zeros does not.",
        ),
        (
            "Error while reading resource variable：数据预处理（preprocess）在 Host"
            " 侧读取 variable {variables}，但变量在 Device 侧初始化。",
            "初始化下沉到 Device 侧，数据预处理留在 Host 侧。",
            "请在数据预处理中使用常量或 Python 数值，例如 batch size；"
            "tf.keras.backend.zeros 会创建变量，tf.zeros 不会。",
        ),
    ),
    (
        "SINK045",
        "warning",
        (
            "{broken} is no multiple of iterations_per_loop {iterations}, so training"
            " goes past the wanted end. What will happen: {outcome}.",
            "A host call always runs all iterations of its loop; training stops after"
            " the first call that reaches the wanted step.",
            "Train a multiple of {iterations} steps, counted from the step of the"
            " restored checkpoint, or take an iterations_per_loop that divides them.",
        ),
        (
            "{broken} 不是 iterations_per_loop {iterations} 的整数倍，"
            "训练会超过指定的结束步数。实际情况：{outcome}。",
            "每次调用总是执行循环中的全部迭代；训练在第一次达到指定步数的调用之后结束。",
            "请训练 {iterations} 的整数倍步数（从恢复的 checkpoint 的步数算起），"
            "或者选择能整除训练步数的 iterations_per_loop。",
        ),
    ),
    (
        "SINK046",
        "warning",
        (
            "{broken} is no multiple of iterations_per_loop {iterations}, so"
            " checkpoints are written at other steps. What will happen: {outcome}.",
            "Hooks run after a host call: a checkpoint is written at the first end of a"
            " loop at which that many steps have passed since the one before.",
            "Set save_checkpoints_steps to a multiple of {iterations}.",
        ),
        (
            "{broken} 不是 iterations_per_loop {iterations} 的整数倍，"
            "checkpoint 会在其他步数写入。实际情况：{outcome}。",
            "hook 在每次调用之后执行：距离上一次写入达到该步数之后，"
            "在最近的一个循环结束处写入 checkpoint。",
            "请将 save_checkpoints_steps 配置为 {iterations} 的整数倍。",
        ),
    ),
    (
        "SINK047",
        "warning",
        (
            "{broken} takes effect only with iterations_per_loop 1, but that is"
            " {iterations}: a summary shows the last iteration of a call."
            " What will happen: {outcome}.",
            "A summary is fetched with a host call, which returns the values of its"
            " last iteration; the hook sees only the steps at the end of loops.",
            "Set save_summary_steps=0 and write summaries with host_call of"
            " NPUEstimatorSpec, which runs at every step; or train with"
            " iterations_per_loop 1.",
        ),
        (
            "{broken} 只在 iterations_per_loop 为 1 时有效，但现在为 {iterations}："
            "summary 只反映一次调用的最后一次迭代。实际情况：{outcome}。",
            "summary 通过一次调用取回，得到的是最后一次迭代的值；"
            "hook 只能看到循环结束处的步数。",
            "请配置 save_summary_steps=0，并使用 NPUEstimatorSpec 的 host_call"
            " 写 summary，它在每一步都会执行；或者将 iterations_per_loop 配置为 1。",
        ),
    ),
    (
        "SINK048",
        "warning",
        (
            "{broken} counts host calls, and a call is {iterations} steps with"
            " iterations_per_loop {iterations}: there is one line only."
            " What will happen: {outcome}.",
            "The hook that prints the loss runs after a host call and counts these; it"
            " prints the loss of the last iteration.",
            "Divide log_step_count_steps by {iterations} (1 is the least), or take a"
            " smaller iterations_per_loop while you look for an error.",
        ),
        (
            "{broken} 按调用次数计数，而 iterations_per_loop 为 {iterations} 时，"
            "一次调用是 {iterations} 步，因此只打印一行。实际情况：{outcome}。",
            "打印 loss 的 hook 在每次调用之后执行，并按调用次数计数；"
            "打印的是最后一次迭代的 loss。",
            "请将 log_step_count_steps 除以 {iterations}（最小为 1），"
            "或者在调试时使用较小的 iterations_per_loop。",
        ),
    ),
    (
        "SINK049",
        "warning",
        (
            "Several settings do not fit iterations_per_loop {iterations}: {broken}."
            " What will happen: {outcome}.",
            "Hooks run after a host call and see only the steps at the end of loops;"
            " log_step_count_steps counts calls, and training ends with a whole loop.",
            "Make the number of steps and save_checkpoints_steps multiples of"
            " {iterations}, divide log_step_count_steps by {iterations}, and set"
            " save_summary_steps=0; host_call of NPUEstimatorSpec writes summaries at"
            " every step.",
        ),
        (
            "多项配置与 iterations_per_loop {iterations} 不匹配：{broken}。"
            "实际情况：{outcome}。",
            "hook 在每次调用之后执行，只能看到循环结束处的步数；"
            "log_step_count_steps 按调用次数计数，训练总是结束于一个完整的循环。",
            "请将训练步数和 save_checkpoints_steps 配置为 {iterations} 的整数倍，"
            "将 log_step_count_steps 除以 {iterations}，并配置 save_summary_steps=0；"
            "NPUEstimatorSpec 的 host_call 可在每一步写 summary。",
        ),
    ),
    (
        "SINK050",
        "info",
        (
            "Each device makes {updates} updates with a batch of {batch}; devices:"
            " {ranks}, global batch: {global_batch}, samples in all: {samples}.",
            "Steps and batches are those of one device: neither is divided or"
            " multiplied by the number of devices.",
            "To train as many samples on more devices, divide the number of steps"
            " yourself.",
        ),
        (
            "每个设备更新 {updates} 次，batch 为 {batch}；设备数：{ranks}，"
            "全局 batch：{global_batch}，样本总数：{samples}。",
            "步数和 batch 都是单个设备的：不会按设备数自动相除或相乘。",
            "如需在更多设备上训练同样数量的样本，请自行减少训练步数。",
        ),
    ),
    (
        "SINK051",
        "warning",
        (
            "An initializer ran after a broadcast, and overwrote what it had carried:"
            " {variables}.",
            "Each rank initialises its variables by itself, so the weights may differ"
            " between the ranks again; the optimizer averages gradients, not weights.",
            "Run the initializer once, and the broadcast after it.",
        ),
        (
            "初始化在广播之后运行，覆盖了广播的结果：{variables}。",
            "每个 rank 各自初始化变量，各 rank 的权重可能再次不同；"
            "优化器只平均梯度，不平均权重。",
            "请只运行一次初始化，之后再运行广播。",
        ),
    ),
    (
        "SINK052",
        "warning",
        (
            "A broadcast from this rank ran before the initializer: zeros were sent for"
            " {variables}.",
            "They had no value yet. Weights that are initialised after the broadcast"
            " differ between the ranks, and go on to differ: the optimizer averages"
            " gradients, not weights.",
            "Run the initializer first, and the broadcast after it.",
        ),
        (
            "从本 rank 发出的广播在初始化之前运行：{variables} 以 0 发送。",
            "这些变量当时尚无值。广播之后才初始化的权重在各 rank 之间不同，"
            "并且会一直不同：优化器只平均梯度，不平均权重。",
            "请先运行初始化，再运行广播。",
        ),
    ),
    (
        "SINK053",
        "warning",
        (
            "The NPURunConfig asks for iterations_per_loop {iterations}, but it was"
            " given to a plain Estimator: each call runs one step.",
            "Only NPUEstimator reads the options of NPURunConfig: a plain Estimator"
            " makes its session without them, adds no SetIterationsVarHook, and does"
            " not call the training operation IterationOp.",
            "Replace tf.estimator.Estimator with NPUEstimator, and return an"
            " NPUEstimatorSpec from model_fn. To keep the plain Estimator, use"
            " npu_run_config_init with a tf.estimator.RunConfig, and set the option,"
            " the hook and the name IterationOp yourself.",
        ),
        (
            "NPURunConfig 配置了 iterations_per_loop {iterations}，"
            "但它被传给了原生 Estimator：每次调用只执行一步。",
            "只有 NPUEstimator 会读取 NPURunConfig 的配置：原生 Estimator"
            " 创建会话时不带这些配置，不添加 SetIterationsVarHook，"
            "也不会将训练算子命名为 IterationOp。",
            "请将 tf.estimator.Estimator 替换为 NPUEstimator，并在 model_fn 中返回"
            " NPUEstimatorSpec。如需保留原生 Estimator，请对 tf.estimator.RunConfig"
            " 使用 npu_run_config_init，并自行配置该选项、添加 hook、"
            "使用名称 IterationOp。",
        ),
    ),
    (
        "SINK058",
        "info",
        (
            "The training call that fetches {fetches} goes through a session callable,"
            " as native Keras does: each call runs one iteration.",
            "The number of iterations of a call is fixed at 1 for native Keras; no"
            " option changes it.",
            "For several iterations per call convert the Keras model:"
            " keras_to_npu.model_to_npu_estimator(keras_model=model,"
            " config=NPURunConfig(iterations_per_loop=10)), then train with an"
            " input_fn.",
        ),
        (
            "获取 {fetches} 的训练调用使用了会话的 callable"
            "（Keras 原生 API 即为这种方式）：每次调用只执行一次训练迭代。",
            "使用 Keras 原生 API 训练时，每次调用的训练迭代次数固定为 1，"
            "任何配置都不能改变。",
            "如需每次调用执行多次训练迭代，请转换 Keras 模型："
            "keras_to_npu.model_to_npu_estimator(keras_model=model,"
            " config=NPURunConfig(iterations_per_loop=10))，然后使用 input_fn 训练。",
        ),
    ),
    (
        "SINK059",
        "info",
        (
            "The Keras model {model} is converted to an NPUEstimator: Keras callbacks"
            " are not run from here on.",
            "Callbacks belong to model.fit. An Estimator calls hooks, once per"
            " session.run: with iterations_per_loop N they see every N-th step only.",
            "Instead of ModelCheckpoint and BackupAndRestore: save_checkpoints_steps of"
            " NPURunConfig (NPUCheckpointSaverHook). EarlyStopping:"
            " tf.estimator.experimental.stop_if_no_decrease_hook. LearningRateScheduler"
            " and ReduceLROnPlateau: no hook; compile with an optimizer that has a"
            " schedule of tf.keras.optimizers.schedules. TensorBoard:"
            " save_summary_steps, or host_call of NPUEstimatorSpec for every step."
            " ProgbarLogger, CSVLogger, History and LambdaCallback:"
            " tf.train.LoggingTensorHook, NPUOutputTensorHook or a"
            " tf.train.SessionRunHook. TerminateOnNaN: tf.train.NanTensorHook, which is"
            " always there. Validation in fit: tf.estimator.train_and_evaluate.",
        ),
        (
            "Keras 模型 {model} 已转换为 NPUEstimator：此后 Keras 的 callback"
            " 回调函数不再执行。",
            "callback 属于 model.fit。Estimator 调用的是 hook，"
            "每次 session.run 调用一次：iterations_per_loop 为 N 时，"
            "hook 每 N 步才能看到一次。",
            "替代方法：ModelCheckpoint 与 BackupAndRestore：NPURunConfig 的"
            " save_checkpoints_steps（NPUCheckpointSaverHook）。EarlyStopping："
            "tf.estimator.experimental.stop_if_no_decrease_hook。LearningRateScheduler"
            " 与 ReduceLROnPlateau：没有对应的 hook，请在 compile 时使用带有"
            " tf.keras.optimizers.schedules 的优化器。TensorBoard："
            "save_summary_steps，如需每一步的数据，请使用 NPUEstimatorSpec 的"
            " host_call。ProgbarLogger、CSVLogger、"
            "History 与 LambdaCallback：tf.train.LoggingTensorHook、NPUOutputTensorHook"
            " 或 tf.train.SessionRunHook。TerminateOnNaN：tf.train.NanTensorHook，"
            "Estimator 始终带有它。fit 中的验证：tf.estimator.train_and_evaluate。",
        ),
    ),
    (
        "SINK060",
        "warning",
        (
            "The folder of the converted model already holds {checkpoint}: train goes"
            " on from that checkpoint, and the weights of the Keras model {model} are"
            " not used.",
            "An Estimator takes the newest checkpoint in model_dir before anything"
            " else, and max_steps counts from the step that is in it.",
            "Go on training with it, or give another model_dir (or remove this one) to"
            " start from the weights of the Keras model.",
        ),
        (
            "转换后模型的目录中已有 {checkpoint}：train 会从该 checkpoint 继续，"
            "不使用 Keras 模型 {model} 的权重。",
            "Estimator 总是优先使用 model_dir 中最新的 checkpoint，max_steps"
            " 也从其中的 step 开始计数。",
            "请从该 checkpoint 继续训练；如果要从 Keras 模型的权重开始，"
            "请更换（或删除）model_dir。",
        ),
    ),
    (
        "SINK061",
        "info",
        (
            "The precision mode leaves these operators in float32: {operators}.",
            "They are not in npu_lab's table of operators that a precision mode"
            " changes.",
            "Nothing is to be done; on hardware they may compute in float16. For a"
            " number as there, cast the tensors in the script.",
        ),
        (
            "精度模式不改变以下算子，它们仍以 float32 计算：{operators}。",
            "npu_lab 的精度模式算子表中没有这些算子。",
            "无需处理；在硬件上它们可能以 float16 计算。如需相同的精度，"
            "请在脚本中用 tf.cast 转换。",
        ),
    ),
    (
        "SINK062",
        "warning",
        (
            "The precision mode {mode} has no effect: every operator keeps its type.",
            "hifloat8 is documented as not supported now.",
            "Use mixed_float16, or leave the option out.",
        ),
        (
            "精度模式 {mode} 不生效：所有算子保持原有的数据类型。",
            "文档说明当前不支持 hifloat8。",
            "请使用 mixed_float16，或不配置该选项。",
        ),
    ),
    (
        "SINK063",
        "warning",
        (
            "Unknown operator types in modify_mixlist or customize_dtypes: {names}.",
            "The files name types, such as MatMul or MatMulV2, not the names of"
            " operators; and npu_lab changes the operators of its own table only.",
            "Correct the names; npu_lab.extras.tuning.precision.table lists those that"
            " have an effect.",
        ),
        (
            "modify_mixlist 或 customize_dtypes 中有未知的算子类型：{names}。",
            "文件中应为算子类型（例如 MatMul 或 MatMulV2），而不是算子名；"
            "npu_lab 只改变其算子表中的算子。",
            "请修改名称；npu_lab.extras.tuning.precision.table 列出了有效的类型。",
        ),
    ),
    (
        "SINK064",
        "warning",
        (
            "The precision options have no effect on {what}.",
            "npu_lab changes operators in a copy of what Session.run is asked for;"
            " callables of a session (Keras in graph mode), partial runs and graphs"
            " with reference variables are run as they are.",
            "Use Session.run or an Estimator with resource variables.",
        ),
        (
            "精度选项对 {what} 不生效。",
            "npu_lab 在 Session.run 所执行的图的副本中改变算子；会话的 callable"
            "（图模式的 Keras）、partial_run 以及带有 reference 变量的图按原样执行。",
            "请使用 Session.run 或 Estimator，并使用 resource 变量。",
        ),
    ),
    (
        "SINK065",
        "info",
        (
            "{operator} ({type}) overflowed in step {step} of a host call; its inputs"
            " and outputs are in {folder}.",
            "enable_dump_debug is on: it was the first to overflow in this graph.",
            "npu_lab.extras.tuning.dump.first_overflow(path) shows it. Let it compute"
            " in float32 (modify_mixlist, keep_dtype_scope), or scale the loss.",
        ),
        (
            "算子 {operator}（{type}）在第 {step} 步溢出，其输入和输出位于 {folder}。",
            "已开启 enable_dump_debug：它是该图中第一个溢出的算子。",
            "用 npu_lab.extras.tuning.dump.first_overflow(path) 查看。"
            "请让该算子以 float32 计算（modify_mixlist、keep_dtype_scope），"
            "或使用 Loss Scale。",
        ),
    ),
    (
        "SINK067",
        "warning",
        (
            "The last {steps} steps overflowed and were skipped, and the loss scale,"
            " {scale}, cannot fall any further: no step will be applied any more. The"
            " global step stands still.",
            "What overflows at the least scale does not overflow by the scale: usually"
            " it is an operator of the forward pass, a division by an epsilon that"
            " float16 rounds to 0, or infinities and NaN in the data or the weights.",
            "Find the first operator that overflows (enable_dump_debug), and let it"
            " compute in float32 (modify_mixlist, keep_dtype_scope), or take a larger"
            " epsilon, such as 1e-4. Where the overflow means nothing,"
            " FixedLossScaleManager(scale, enable_overflow_check=False).",
        ),
        (
            "最近 {steps} 步全部溢出并被跳过，而 Loss Scale（{scale}）无法再降低："
            "今后不会再更新任何一步，global step 停滞不前。",
            "在最小的 Loss Scale 下仍然溢出，说明溢出与 Loss Scale 无关："
            "通常是前向算子溢出、float16 把很小的 epsilon 舍入为 0 后作除数，"
            "或者数据、权重中已有 Inf 或 NaN。",
            "请找到第一个溢出的算子（enable_dump_debug），让它以 float32 计算"
            "（modify_mixlist、keep_dtype_scope），或者增大 epsilon，例如 1e-4。"
            "如果溢出没有意义，请使用"
            " FixedLossScaleManager(scale, enable_overflow_check=False)。",
        ),
    ),
    (
        "SINK068",
        "warning",
        (
            "ExponentialUpdateLossScaleManager is made inside tf.control_dependencies.",
            "Its three variables are then initialised under those dependencies; on"
            ' hardware that fails with "Placeholder not support". In npu_lab it works.',
            "Make the manager before the `with tf.control_dependencies(...)` block.",
        ),
        (
            "ExponentialUpdateLossScaleManager 是在 tf.control_dependencies"
            " 之内创建的。",
            "它的三个变量会带着这些控制依赖初始化；在硬件上会以"
            " Placeholder not support 失败，在 npu_lab 中则可以运行。",
            "请在 `with tf.control_dependencies(...)` 代码块之前创建 manager。",
        ),
    ),
    (
        "SINK069",
        "warning",
        (
            "is_distributed is {given}, but the number of ranks is {ranks}.",
            "With is_distributed the ranks agree on whether to skip a step. On several"
            " ranks without it, a rank that overflows skips alone, and the weights"
            " drift apart; on one rank hardware has no collective communication to"
            " ask.",
            "Set is_distributed=True on several ranks, and False on one.",
        ),
        (
            "is_distributed 为 {given}，而 rank 数为 {ranks}。",
            "is_distributed 使各 rank 对是否跳过某一步达成一致。多个 rank 而不设置时，"
            "发生溢出的 rank 会单独跳过，各 rank 的权重将逐渐不同；"
            "单个 rank 时硬件上没有可用的集合通信。",
            "多个 rank 时请设置 is_distributed=True，单个 rank 时请设置为 False。",
        ),
    ),
    (
        "SINK077",
        "warning",
        (
            "{function}: the device trains as many steps as its loop size says, {size},"
            " not {asked} as the tf.range asks.",
            "In NPU_LOOP mode the body is lifted out of the While and the loop size"
            " alone rules; the bound of the tf.range is not looked at.",
            "Call npu.set_npu_loop_size({asked}) before the function, or pass"
            " tf.constant({size}) as its number of steps; for a remainder set the loop"
            " size to the rest first.",
        ),
        (
            "{function}：Device 侧循环执行 {size} 次，"
            "而不是 tf.range 要求的 {asked} 次。",
            "NPU_LOOP 模式下循环体从 While 中提出，循环次数只由 npu loop size 决定，"
            "不看 tf.range 的上界。",
            "请在调用该函数之前执行 npu.set_npu_loop_size({asked})，或传入"
            " tf.constant({size}) 作为步数；处理剩余步数时，先将 loop size"
            " 设置为剩余的步数。",
        ),
    ),
    (
        "SINK078",
        "error",
        (
            "{function}: GetNext {get_next} waits for a batch that the host never"
            " pushes: pushed {pushed}, taken {taken} in this call; the steps done so"
            " far are kept.",
            "The host pushes as many batches as the loop size to a graph with a loop,"
            " and 1 to one without ({mode}); on hardware this wait ends with the"
            " timeout of GetNext.",
            "Let the loop size equal the steps of the call:"
            " npu.set_npu_loop_size(steps), or NPU_LOOP_SIZE before the import; take"
            " one batch in each step.",
        ),
        (
            "{function}：GetNext算子 {get_next} 等待 Host 侧不会推送的 batch："
            "本次调用推送 {pushed} 个，已取 {taken} 个；已经完成的步骤会保留。",
            "对于带循环的图，Host 侧推送的 batch 数等于 npu loop size；"
            "没有循环的图只推送 1 个（{mode}）。"
            "在真实硬件上，等待会以 GetNext 超时结束。",
            "请使 loop size 等于每次调用的步数：npu.set_npu_loop_size(步数)，"
            "或在 import 之前设置 NPU_LOOP_SIZE；每一步只取一个 batch。",
        ),
    ),
    (
        "SINK079",
        "warning",
        (
            "{function}: the host pushed {pushed} batches and the While took {taken}:"
            " {unread} wait unread in the queue for the next call.",
            "In BUILTIN_LOOP mode the While's own condition ends the loop, but the host"
            " pushes as many batches as the loop size.",
            "Let the loop size equal the steps: npu.set_npu_loop_size({taken}).",
        ),
        (
            "{function}：Host 侧推送 {pushed} 个 batch，While 取走 {taken} 个："
            "{unread} 个留在队列中，供下一次调用使用。",
            "BUILTIN_LOOP 模式下由 While 自身的条件结束循环，而 Host 侧推送的 batch"
            " 数等于 npu loop size。",
            "请使 loop size 等于步数：npu.set_npu_loop_size({taken})。",
        ),
    ),
    (
        "SINK080",
        "info",
        (
            "{function} runs in BUILTIN_LOOP mode: {reasons}.",
            "NPU_LOOP needs a graph of exactly one While that consumes the iterator, of"
            " nothing but what is upstream of it, with supported operations and static"
            " shapes. The While keeps its own condition here; the loop size must equal"
            " its steps.",
            "Return nothing from the function and keep other work out of it; read the"
            " loss from a tf.Variable after the call.",
        ),
        (
            "{function} 以 BUILTIN_LOOP 模式运行：{reasons}。",
            "NPU_LOOP 要求图中恰好有一个消费迭代器的 While，除其上游外没有其他算子，"
            "算子均受支持且 shape 为静态。此处 While 保留自身的条件，loop size"
            " 必须等于其步数。",
            "函数不要返回值，也不要包含其他操作；loss 请写入 tf.Variable，"
            "在调用之后读取。",
        ),
    ),
    (
        "SINK081",
        "warning",
        (
            "{function}: shapes are not static ({shapes}): the host repeats the graph"
            " {size} times instead of the device (HOST_LOOP).",
            "The device loops only over a graph whose shapes are known when it is"
            " compiled.",
            "Use drop_remainder=True in batch(), and give tensors that are passed in a"
            " full shape in input_signature.",
        ),
        (
            "{function}：存在非静态的 shape（{shapes}）：由 Host 侧重复执行该图 {size}"
            " 次，而不是由 Device 循环（HOST_LOOP）。",
            "只有编译时 shape 已知的图才能由 Device 循环执行。",
            "请在 batch() 中使用 drop_remainder=True，并在 input_signature"
            " 中为传入的张量给出完整的 shape。",
        ),
    ),
    (
        "SINK082",
        "warning",
        (
            "{function} has no loop, and the loop size {size} has no effect on it:"
            " {reasons}.",
            "Only a While in the graph that takes its batches from an iterator is"
            " sunk; a plain Keras fit and a tf.function of one step have none"
            " (NO_LOOP).",
            "Write `for _ in tf.range(steps): train_step(next(iterator))` in a"
            " tf.function that is given the iterator, or compile the Keras model with"
            " steps_per_execution={size}.",
        ),
        (
            "{function} 没有循环，npu loop size {size} 对其不起作用：{reasons}。",
            "只有图中从迭代器取 batch 的 While 才能循环下沉；普通的 Keras fit 以及"
            "只含一步的 tf.function 都没有（NO_LOOP）。",
            "请在以迭代器为输入的 tf.function 中写成"
            " `for _ in tf.range(steps): train_step(next(iterator))`，"
            "或在 compile Keras 模型时设置 steps_per_execution={size}。",
        ),
    ),
    (
        "SINK083",
        "warning",
        (
            "{function}: {count} values that the loop carries from pass to pass are the"
            " same in each pass on the device.",
            "In NPU_LOOP and HOST_LOOP mode each pass gets the inputs of the While; the"
            " loop variable of a tf.range, for example, is its start each time.",
            "Keep such a value in a tf.Variable and change it with assign_add in the"
            " step.",
        ),
        (
            "{function}：循环在各次迭代之间传递的 {count} 个值，在 Device"
            " 上每次迭代都相同。",
            "在 NPU_LOOP 与 HOST_LOOP 模式下，每次迭代得到的都是 While 的输入；例如"
            " tf.range 的循环变量始终是其起始值。",
            "请将这样的值保存在 tf.Variable 中，并在每一步中用 assign_add 修改。",
        ),
    ),
)
