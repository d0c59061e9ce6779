"""The process-wide state of the view: what it is, that it stays and is put back."""

from __future__ import annotations


def test_the_state_of_1_15_is_entered_and_put_back(run):
    run(
        """
        import threading
        from npu_lab._tensorflow import tf
        from npu_lab.tf1 import process

        v1 = tf.compat.v1
        settings = [v1.resource_variables_enabled, v1.control_flow_v2_enabled,
                    tf.executing_eagerly, tf.__internal__.tf2.enabled]
        before = [setting() for setting in settings]
        assert all(before)
        variable = tf.Variable(1.0)
        compiled = tf.function(lambda x: x * 2.0)

        def eager_works():
            assert tf.executing_eagerly()
            assert tf.constant(3).numpy() == 3
            assert compiled(variable).numpy() == 2.0
            data = tf.data.Dataset.range(3).map(lambda i: i + 1)
            assert [int(i) for i in data] == [1, 2, 3]
            assert tf.zeros([2, 3]).shape[1] == 3
            with tf.init_scope():
                assert tf.executing_eagerly()

        def in_a_thread(function):
            failures = []
            def target():
                try:
                    function()
                except BaseException as error:
                    failures.append(error)
            thread = threading.Thread(target=target)
            thread.start()
            thread.join()
            assert not failures, failures

        def graphs_are_built():
            assert not tf.executing_eagerly()
            assert not v1.executing_eagerly_outside_functions()
            assert v1.placeholder(tf.float32, [None, 4]).shape[1].value == 4
            a, b = v1.constant(1), v1.constant(1)
            assert (a == b) is False and a in {a: 1}
            seen = []
            def inspect(x):
                with tf.init_scope():
                    seen.append(tf.executing_eagerly())
                return x
            v1.data.Dataset.range(3).map(inspect)
            assert seen == [False]

        for _ in range(3):
            eager_works()
            in_a_thread(eager_works)
            process.enter("one")
            process.enter("one")
            process.enter("two")
            graphs_are_built()
            in_a_thread(graphs_are_built)
            process.leave("one")
            assert process.entered()
            graphs_are_built()
            process.leave("two")
            process.leave("two")
            assert not process.entered()
            assert [setting() for setting in settings] == before
        eager_works()
        in_a_thread(eager_works)
        """
    )


def test_resource_variables_and_control_flow_stay_whatever_is_called(run):
    run(
        """
        from npu_lab._tensorflow import tf
        v1 = tf.compat.v1
        from tensorflow.python.ops import resource_variables_toggle
        held = resource_variables_toggle.disable_resource_variables
        from npu_lab.tf1 import process
        import npu_lab.tf1 as view

        def uses_new_kinds():
            with v1.Graph().as_default() as graph:
                one = v1.get_variable("one", [2])
                two = v1.Variable(1.0)
                v1.while_loop(lambda i: i < 3, lambda i: i + 1, [0])
                v1.cond(two > 0.0, lambda: two + 1.0, lambda: two)
                types = {operation.type for operation in graph.get_operations()}
                assert process.reference_variables(graph) == []
            assert "VarHandleOp" in types
            assert not types & {"Switch", "Merge", "Enter", "VariableV2"}

        uses_new_kinds()
        view.disable_v2_behavior()
        uses_new_kinds()
        view.disable_resource_variables()
        view.disable_control_flow_v2()
        uses_new_kinds()
        v1.disable_v2_behavior()
        held()
        uses_new_kinds()
        assert not v1.executing_eagerly()
        """
    )


def test_reference_variables_made_on_purpose_are_found(run):
    run(
        """
        import npu_lab.tf1 as tf
        from npu_lab.tf1.process import reference_variables
        tf.get_variable("new", [2])
        tf.get_variable("old", [2], use_resource=False)
        with tf.variable_scope("scope", use_resource=False):
            tf.get_variable("older", [2])
        graph = tf.get_default_graph()
        assert reference_variables(graph) == ["old", "scope/older"]
        """
    )


def test_a_state_of_1_x_that_was_there_before_is_put_back(run):
    run(
        """
        from npu_lab._tensorflow import no_deprecation_notices, tf
        from npu_lab.tf1 import process
        v1 = tf.compat.v1
        with no_deprecation_notices():
            v1.disable_v2_behavior()
        with v1.Graph().as_default():  # with eager execution off this is no obstacle
            process.enter("test")
            assert v1.get_variable("x", [1]).op.type == "VarHandleOp"
            process.leave("test")
            assert v1.get_variable("y", [1]).op.type == "VariableV2"
        assert not v1.executing_eagerly()
        assert not v1.resource_variables_enabled()
        """
    )


def test_reference_variables_in_the_default_graph_are_refused(run):
    printed = run(
        """
        from npu_lab._tensorflow import no_deprecation_notices, tf
        from npu_lab.tf1 import process
        v1 = tf.compat.v1
        with no_deprecation_notices():
            v1.disable_v2_behavior()
        for name in "abcd":
            v1.get_variable(name, [1])
        try:
            process.enter("test")
        except process.ViewError as error:
            print(error)
        else:
            raise AssertionError
        assert not process.entered()
        assert v1.get_variable("e", [1]).op.type == "VariableV2"
        v1.reset_default_graph()
        process.enter("test")
        assert v1.get_variable("a", [1]).op.type == "VarHandleOp"
        """
    )
    assert printed.startswith(
        "The default graph holds reference variables (a, b, c, ...), made before"
    )
    assert "tf.compat.v1.reset_default_graph()" in printed


def test_it_neither_starts_nor_ends_inside_an_open_graph(run):
    printed = run(
        """
        from npu_lab._tensorflow import tf
        from npu_lab.tf1 import process
        v1 = tf.compat.v1

        def refused(function):
            try:
                function("test")
            except process.ViewError as error:
                print(error)
                return True

        with v1.Graph().as_default():
            assert refused(process.enter)
            assert not process.entered()
        assert tf.constant(1).numpy() == 1
        process.enter("test")
        with v1.Session():
            assert refused(process.leave)
            assert process.entered()
            assert (v1.constant(1.0) + 1.0).eval() == 2.0
        session = v1.InteractiveSession(graph=v1.Graph())
        assert refused(process.leave)
        session.close()
        process.leave("test")
        assert tf.constant(1).numpy() == 1
        """
    ).splitlines()
    assert len(printed) == 3
    assert printed[0].startswith("The TF 1.15 view cannot start while a graph is open")
    for line in printed[1:]:
        assert line.startswith("The TF 1.15 view cannot end while a graph is open")


def test_eager_values_go_into_graphs_and_eager_variables_are_refused(run):
    run(
        """
        from npu_lab._tensorflow import tf
        value, variable = tf.constant([1.0, 2.0]), tf.Variable(1.0)
        from npu_lab.tf1 import process
        process.enter("test")
        v1 = tf.compat.v1
        total = v1.placeholder(tf.float32, []) + value
        doubled = v1.data.Dataset.range(1).map(lambda i: value * 2.0)
        batch = v1.data.make_one_shot_iterator(doubled).get_next()
        with v1.Session() as session:
            assert list(session.run(total, {"Placeholder:0": 1.0})) == [2.0, 3.0]
            assert list(session.run(batch)) == [2.0, 4.0]
        try:
            v1.constant(1.0) + variable
        except process.ViewError as error:
            assert "made in eager execution" in str(error)
        else:
            raise AssertionError
        process.leave("test")
        assert (value + variable).numpy().tolist() == [2.0, 3.0]
        """
    )


def test_freeze_graph_finds_the_variables_by_their_names(run, tmp_path):
    run(
        f"""
        import npu_lab.tf1 as tf
        from tensorflow.python.tools import freeze_graph

        folder = {str(tmp_path)!r}
        x = tf.placeholder(tf.float32, [2], name="x")
        w = tf.get_variable("w", [], initializer=tf.ones_initializer())
        y = tf.multiply(x, w, name="y")
        with tf.Session() as session:
            session.run(w.assign(3.0))
            prefix = tf.train.Saver().save(session, folder + "/c")
        tf.train.write_graph(tf.get_default_graph(), folder, "g.pbtxt")
        freeze_graph.freeze_graph(
            folder + "/g.pbtxt", "", False, prefix, "y", "save/restore_all",
            "save/Const:0", folder + "/m.pb", False, "")
        with tf.Graph().as_default() as graph:
            with open(folder + "/m.pb", "rb") as file:
                tf.import_graph_def(tf.GraphDef.FromString(file.read()), name="")
            with tf.Session() as session:
                assert session.run("y:0", {{"x:0": [1.0, 2.0]}}).tolist() == [3, 6]
        """
    )


def test_a_variable_fetched_by_name_is_its_value(run):
    run(
        """
        import npu_lab.tf1 as tf

        w = tf.get_variable("w", [], initializer=tf.ones_initializer())
        later = [w.assign_add(1.0) for _ in range(9)]
        with tf.control_dependencies(later):
            reads = [w.read_value() for _ in range(9)]
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            assert session.run("w:0") == 1.0
            assert session.run({"v": w.handle, "more": ["w:0"]}) == {
                "v": 1.0, "more": [1.0]}
            session.run(reads)
            assert session.run(["w:0"]) == [10.0]
        """
    )
