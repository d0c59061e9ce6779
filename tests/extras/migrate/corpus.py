"""Small files, one for each way in which migrations of scripts have gone wrong.

A case: the bytes, the options, what the result must hold, what it must not hold, and
the reasons that must be reported. "same" says that the file must stay as it is.
"""

from __future__ import annotations

from dataclasses import dataclass, field

TF = "import tensorflow as tf\n"
NPU = "from npu_bridge.npu_init import *\n"
KERAS = TF + "m = tf.keras.Sequential([])\nm.compile('sgd')\nm.fit(x)\n"
HVD = "import horovod.tensorflow as hvd\n" + TF
GUARD = "if __name__ == '__main__':\n    main()\n"


@dataclass
class Case:
    data: bytes
    options: dict = field(default_factory=dict)
    holds: tuple = ()
    lacks: tuple = ()
    reasons: tuple = ()
    same: bool = False
    unread: bool = False


def case(text, *holds, lacks=(), reasons=(), same=False, unread=False, **options):
    data = text.encode() if isinstance(text, str) else text
    return Case(data, options, holds, lacks, reasons, same, unread)


def left(text, *reasons, **options):
    """Stays, byte for byte, with these reasons said."""
    return case(text, same=True, reasons=reasons, **options)


def unread(text, reason):
    return case(text, same=True, reasons=(reason,), unread=True)


H = {"mode": "horovod"}
S = {"mode": "tf_strategy"}
C = {"tf": 2, "compat": True}
WRAPPED = "config=npu_config_proto("
CASES: dict[str, Case] = {
    # The whole run aborted.
    "a1_print": unread(TF + 'print "x"\n', "python 2"),
    "a1_except": unread(TF + "try:\n    pass\nexcept E, e:\n    pass\n", "python 2"),
    "a1_raise": unread(TF + "raise E, 'x'\n", "python 2"),
    "a1_exec": unread(TF + "exec 'x'\n", "python 2"),
    "a1_backticks": unread(TF + "x = `y`\n", "python 2"),
    "a1_unequal": unread(TF + "x = a <> b\n", "python 2"),
    "a1_octal": unread(TF + "os.chmod(p, 0755)\n", "python 2"),
    "a1_long": unread(TF + "x = 10L\n", "python 2"),
    "a1_no_tensorflow": unread("print 'x'\n", "python 2"),
    "a1_magic": unread(TF + "%matplotlib inline\n", "syntax"),
    "a1_tabs": unread(TF + "if a:\n        x = 1\n\ty = 2\n", "syntax"),
    "a1_null": unread(TF.encode() + b"x = '\0'\n", "syntax"),
    "a1_cut_off": unread(TF + "x = (1,\n", "syntax"),
    "a2_gbk": case(
        b"# -*- coding: gbk -*-\n# \xd6\xd0\xce\xc4\nimport tensorflow as tf\n"
        b"s = tf.Session()\n",
        WRAPPED,
    ),
    "a2_latin": case(
        b"# coding: latin-1\n# \xe9t\xe9\nimport tensorflow as tf\ns = tf.Session()\n",
        WRAPPED,
    ),
    "a2_bom": case(b"\xef\xbb\xbf" + TF.encode() + b"s = tf.Session()\n", WRAPPED),
    "a2_wrong": unread(b"# \xd6\xd0\nimport tensorflow as tf\n", "encoding"),
    "a2_unknown": unread(b"# coding: klingon\nimport tensorflow as tf\n", "encoding"),
    "a4_gelu_none": left(TF + "def gelu():\n    return tf.tanh(x)\n", "gelu"),
    "a4_gelu_star": left(TF + "def gelu(*a):\n    return tf.tanh(a)\n", "gelu"),
    "a5_no_optimizer": left(
        HVD + "o = hvd.DistributedOptimizer()\n", "horovod blocked", **H
    ),
    "a6_question": left(TF + "e = f()\ne.train(input_fn=g)\n", "receiver unknown", **S),
    "a7_get": left(TF + "import os\nh = os.environ.get('HOME')\n", tf=2, **S),
    # Output that did not parse, or could not run.
    "b1_one_line": case(
        KERAS + "if __name__ == '__main__': main()\n",
        "    try:\n        main()\n    finally:\n"
        "        close_session(npu_keras_sess)\n",
    ),
    "b1_one_line_horovod": case(
        HVD
        + "def main():\n    hvd.init()\nif __name__ == '__main__': a(); b()  # go\n",
        "    try:\n        a(); b()  # go\n    finally:\n",
        lacks=("hvd",),
        **H,
    ),
    "b1_reversed": case(
        KERAS + "if '__main__' == __name__:\n    main()\n", "close_session"
    ),
    "b2_form_feed": case(
        TF + "\f\ndef f():\n    return tf.Session()\n\f\n", "\f", WRAPPED
    ),
    "b3_futures": case(
        '"""Doc."""\n'
        + "".join(
            f"from __future__ import {name}\n"
            for name in (
                "division",
                "print_function",
                "absolute_import",
                "unicode_literals",
                "generators",
            )
        )
        + TF
        + "s = tf.Session()\n",
        "import generators\n" + NPU + TF,
    ),
    "b3_statements_first": case(
        "a = 1\nb = 2\nc = 3\nd = 4\ne = 5\nf = 6\n" + TF + "s = tf.Session()\n",
        NPU + "a = 1\n",
    ),
    "b3_licence": case(
        '#!/usr/bin/env python\n# Licence\n\n"""Doc."""\n\n__version__ = \'1\'\n\n'
        + TF
        + "s = tf.Session()\n",
        "\n\n" + NPU + TF,
    ),
    "b5_broadcast": left(
        HVD + "x = hvd.broadcast_variables(v, 0)\n", "horovod blocked", **H
    ),
    "b5_broadcast_compat": left(
        "import horovod.tensorflow as hvd\nimport tensorflow.compat.v1 as tf\n"
        "sess.run(hvd.broadcast_variables(\n    v, 0))\n",
        "horovod blocked",
        tf=2,
        compat=True,
        mode="horovod",
    ),
    "b6_opened": case(
        '"""Doc."""\nfrom __future__ import division\n'
        "from __future__ import print_function\nfrom __future__ import generators\n"
        "from __future__ import unicode_literals\n" + TF + GUARD,
        "npu.open().as_default()\n" + TF,
        tf=2,
    ),
    "b7_batch": case(
        TF + "d = tf.data.Dataset.range(9).batch(8, False)\n", "batch(8, True)"
    ),
    "b8_positional": case(
        TF + "e = tf.estimator.Estimator(f, 'd', rc)\n",
        "(f, 'd', npu_run_config_init(run_config=rc))",
    ),
    "b10_rate": case(
        TF + "y = tf.nn.dropout(x, rate=1. if t else r)\n",
        "keep_prob=1 - (1. if t else r)",
    ),
    "b10_both": left(TF + "y = tf.nn.dropout(x, k, rate=r)\n", "keep or rate"),
    "b10_noise": left(TF + "y = tf.nn.dropout(x, k, noise_shape=[1])\n", "noise shape"),
    "b12_method": case(
        TF + "class A:\n    def gelu(self, x):\n        '''Doc.'''\n"
        "        # half\n        c = .5  # and half\n        return c * tf.erf(x)\n",
        "npu_unary_ops.gelu(x)",
        "'''Doc.'''",
        "# half",
        "# and half",
    ),
    "b13_torch": left("import torch\ndef gelu(x):\n    return torch.erf(x)  # keras\n"),
    "b14_device": case(
        TF + "with tf.device(device_name_or_function='/gpu:0'): pass\n",
        "tf.device(device_name_or_function='/cpu:0')",
    ),
    "b15_no_mode": left(HVD + "r = hvd.rank()\n", "needs mode"),
    "b15_strategy": left(HVD + "r = hvd.rank()\n", "needs mode", **S),
    "b16_leftover": left(
        HVD + "hvd.init()\nc = hvd.callbacks.MetricAverageCallback()\nr = hvd.rank()\n",
        "horovod blocked",
        **H,
    ),
    "b16_alias": case(
        TF + "import horovod.tensorflow as hv\nhv.init()\nr = hv.rank()\n",
        "init_resource()",
        "r = get_npu_rank_id()",
        lacks=("hv.", "horovod"),
        **H,
    ),
    "b16_from": case(
        TF + "from horovod.tensorflow import init, size\ninit()\nn = size()\n",
        "init_resource()",
        "n = get_npu_rank_size()",
        lacks=("horovod",),
        **H,
    ),
    "b16_compression": case(
        HVD + "hvd.init()\no = hvd.DistributedOptimizer(\n    o,\n"
        "    compression=hvd.Compression.fp16)\n",
        "npu_distributed_optimizer_wrapper(",
        lacks=("hvd",),
        reasons=("options dropped",),
        **H,
    ),
    "b16_value": left(HVD + "hvd.init()\nuse(hvd)\n", "horovod blocked", **H),
    "b16_star": left(
        TF + "from horovod.tensorflow import *\ninit()\n", "horovod blocked", **H
    ),
    "b16_adasum": left(
        HVD + "hvd.init()\no = hvd.DistributedOptimizer(o, op=hvd.Adasum)\n",
        "horovod blocked",
        **H,
    ),
    "b18_try": case(
        "try:\n    import horovod.tensorflow as hvd\n    HAS = True\n"
        "except ImportError:\n    HAS = False\n" + TF + "hvd.init()\n",
        "try:\n    HAS = True\n",
        "init_resource()",
        lacks=("hvd",),
        **H,
    ),
    "b18_only": case(
        "try:\n    import horovod.tensorflow as hvd  # optional\nexcept ImportError:\n"
        "    hvd = None\n" + TF + "def f():\n    return hvd.size()\n",
        "# optional",
        "get_npu_rank_size()",
        lacks=("horovod",),
        **H,
    ),
    "b19_app": case(
        KERAS + "if __name__ == '__main__':\n    tf.app.run()  # never returns\n",
        "    try:\n        tf.app.run()  # never returns\n    finally:\n",
    ),
    "b19_exit": case(
        HVD + "import sys\ndef main():\n    hvd.init()\n"
        "if __name__ == '__main__':\n    sys.exit(main())\n",
        "    try:\n        sys.exit(main())\n    finally:\n"
        "        shutdown_resource(npu_sess, npu_shutdown)\n",
        **H,
    ),
    "b22_regex": left(TF + "import regex\np = regex.compile('y', optimizer=1)\n", **S),
    "b23_requests": left(TF + "import requests\ns = requests.Session()\n"),
    "b23_self": left(
        TF + "class A:\n    def Session(self):\n        pass\n\n    def f(self):\n"
        "        return self.Session()\n"
    ),
    "b26_order": case(
        "import horovod.tensorflow as hvd\nimport tensorflow.compat.v1 as tf\n"
        "hvd.init()\n",
        "npu.compat.enable_v1()\nimport tensorflow.compat.v1 as tf\nimport atexit\n"
        "(npu_sess, npu_shutdown) = init_resource()\n",
        tf=2,
        compat=True,
        mode="horovod",
    ),
    "b27_early": case(
        HVD + "hvd.init()\nBATCH = 64 * hvd.size()\n" + GUARD,
        "= init_resource()\n",
        "\nBATCH = 64 * get_npu_rank_size()\n",
        "atexit.register(",
        lacks=("hvd",),
        **H,
    ),
    "b27_too_early": left(
        HVD + "BATCH = 64 * hvd.size()\ndef main():\n    hvd.init()\n" + GUARD,
        "horovod blocked",
        **H,
    ),
    "b27_main_without_imports": case(
        '"""Doc."""\ndef f():\n    import tensorflow as tf\n'
        "    tf.keras.Sequential([]).fit(x)\nf()\n",
        '"""Doc."""\n' + NPU + "import atexit\nnpu_keras_sess = ",
        main="b27_main_without_imports.py",
    ),
    "b27_last_import_goes": case(
        TF + "import horovod.tensorflow as hvd\n"
        "m = tf.keras.Sequential([])\nm.fit(x)\n",
        NPU + TF + "import atexit\nnpu_keras_sess = ",
        lacks=("horovod",),
        main="b27_last_import_goes.py",
        **H,
    ),
    # A meaning that changed without a word.
    "c_eval": left(
        TF + "def eval_fn():\n    return tf.data.Dataset.range(9).batch(8)\n",
        "last batch kept",
    ),
    "c_shard": left(TF + "d = tf.data.Dataset.range(9).shard(n, i)\n"),
    "c_shard_mode": case(
        TF + "d = tf.data.Dataset.range(9).shard(n, i)\n",
        "RANK_SIZE",
        reasons=("shard replaced",),
        **S,
    ),
    "c_root": case(
        HVD + "hvd.init()\nh = hvd.BroadcastGlobalVariablesHook(1)\n",
        "NPUBroadcastGlobalVariablesHook(0",
        reasons=("root rank",),
        **H,
    ),
    "c_keras_data": case(
        TF + "d = tf.keras.datasets.mnist.load_data()\n" + GUARD,
        NPU,
        lacks=("npu_keras_sess",),
    ),
    "c_gradients": left(TF + "g = tf.gradients(d, x)\n", "gradients not applied", **S),
    "c_untouched": left("import os\nfrom setuptools import setup\nsetup()\n"),
    "c_towers": case(
        TF + "for i in range(4):\n    with tf.device('/gpu:%d' % i):\n        pass\n",
        "tf.device('/cpu:0')",
        reasons=("several devices",),
    ),
    "c_device_alias": case(
        "import tensorflow as tf1\nwith tf1.device('/gpu:0'): pass\n",
        "tf1.device('/cpu:0')",
    ),
    # Promised, and not done.
    "d_monitored": case(TF + "s = tf.train.MonitoredTrainingSession()\n", WRAPPED),
    "d_supervisor": case(
        TF + "sv = tf.train.Supervisor()\nwith sv.managed_session() as s:\n    pass\n",
        WRAPPED,
    ),
    "d_creator": case(TF + "c = tf.train.ChiefSessionCreator(config=c)\n", WRAPPED),
    "d_slim": case(
        "from tensorflow.contrib import slim\nslim.learning.train(t, d)\n",
        "session_config=npu_config_proto()",
    ),
    "d_test": case(
        TF + "class T(tf.test.TestCase):\n    def test(self):\n"
        "        with self.session() as s:\n            pass\n",
        WRAPPED,
    ),
    "d_starred": left(TF + "s = tf.Session(**kw)\n", "starred"),
    "d_from": case(
        "from tensorflow.estimator import Estimator, RunConfig\n"
        "e = Estimator(f, config=RunConfig())\n",
        "npu_run_config_init(run_config=RunConfig(save_summary_steps=0))",
    ),
    "d_nn": case(
        "from tensorflow import nn\ny = nn.dropout(x, .5)\n", "npu_ops.dropout(x, .5)"
    ),
    "d_padded": case(
        TF + "d = tf.data.Dataset.range(9).padded_batch(8, s)\n", "drop_remainder=True"
    ),
    "d_rewrite": left(
        TF + "o = tf.train.experimental.enable_mixed_precision_graph_rewrite(o)\n",
        "precision mode",
    ),
    "d_jit": case(
        TF + "c.graph_options.x = tf.OptimizerOptions.ON_1\n", "tf.OptimizerOptions.OFF"
    ),
    "d_prefetch": left(
        TF + "d.apply(tf.data.experimental.prefetch_to_device('/gpu:0'))\n", "prefetch"
    ),
    # Syntax and format.
    "e_fstring": case(TF + "x = f'{tf.Session()!r:>{w}}'\n", WRAPPED),
    "e_walrus": case(TF + "if (s := tf.Session()): pass\n", WRAPPED),
    "e_positional_only": case(
        TF + "def f(a, /, b, *, c):\n    return tf.Session()\n", WRAPPED
    ),
    "e_with": case(
        TF + "with (tf.Session() as a, tf.Session() as b):\n    pass\n", WRAPPED
    ),
    "e_match": case(
        TF + "match x:\n    case [a, *_]:\n        s = tf.Session()\n", WRAPPED
    ),
    "e_except_star": case(
        TF + "try:\n    s = tf.Session()\nexcept* ValueError:\n    pass\n", WRAPPED
    ),
    "e_slices": case(
        TF + "y = x[(n-1)*28:(n-i)*28, j:k]\ns = tf.Session()\n",
        WRAPPED,
        "x[(n-1)*28:(n-i)*28, j:k]",
    ),
    "e_async": case(
        TF + "@deco\nasync def f(*a, **k):\n    await g()\n    yield tf.Session()\n",
        WRAPPED,
    ),
    "e_annotations": case(TF + "s: 'tf.Session' = tf.Session()\n", WRAPPED),
    "e_matmul": case(TF + "y = a @ b\ns = [*x, tf.Session()]\n", WRAPPED),
    "e_crlf": case(
        (TF + "s = tf.Session()\n").replace("\n", "\r\n"),
        WRAPPED,
        "\r\n",
        lacks=("s\n",),
    ),
    "e_no_end": case(TF + "s = tf.Session()", WRAPPED),
    "e_tabs": case(TF + "if a:\n\ts = tf.Session()\n\tif b:\n\t\tpass\n", "\ts = tf."),
    "e_backslash": case(
        TF + "s = \\\n    tf.Session( graph = g )\n", "graph = g, config"
    ),
    "e_comments": case(
        TF + "s = tf.Session(\n    graph=g,  # one\n    # two\n    config=c  # three\n"
        ")  # four\n",
        "# one",
        "# two",
        "# three",
        "# four",
        WRAPPED,
    ),
    "e_semicolons": case(TF + "a = 1; s = tf.Session(); b = 2\n", WRAPPED),
    "e_init": case("from tensorflow import Session\ns = Session()\n", NPU),
    "e_empty": left(""),
    "e_only_comment": left("# tensorflow\n"),
    "e_nested": case(
        TF + "c = tf.ConfigProto(graph_options=tf.GraphOptions(\n"
        "    optimizer_options=tf.OptimizerOptions(opt_level=0)))\n",
        "npu_graph_options(graph_options=tf.GraphOptions(",
        "npu_optimizer_options(optimizer_options=tf.OptimizerOptions(",
    ),
}
