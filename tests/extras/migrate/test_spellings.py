"""Every rule in every spelling of its own example; exceptions are listed, with why."""

from __future__ import annotations

import pytest

pytest.importorskip("libcst")

from npu_lab.extras.migrate.engine import migrate
from npu_lab.extras.migrate.finding import Options
from npu_lab.extras.migrate.rules import RULES
from npu_lab.extras.source import reading
from tests.extras.migrate import spellings
from tests.extras.migrate.test_rules import CASES, options

COMPAT = {"tensorflow": "tensorflow.compat.v1"}
PARENTS = {
    "tensorflow": "tensorflow.compat:v1",
    "tensorflow.compat.v1": "tensorflow.compat:v1",
    "tensorflow.keras.backend": "tensorflow.keras:backend",
    "horovod.tensorflow": "horovod:tensorflow",
}
OTHERS = {"horovod.tensorflow": "horovod.torch"}
IMPORTS = {
    "alias": spellings.renamed,
    "from-parent": lambda text, like: spellings.renamed(
        text, like, PARENTS.__getitem__
    ),
    "compat": lambda text, like: spellings.other_module(
        text, like, lambda full: COMPAT.get(full, full)
    ),
    "from-import": spellings.from_imported,
    "from-import-as": lambda text, like: spellings.from_imported(text, like, "_"),
}
ARGUMENTS = {"positional": spellings.by_position, "keyword": spellings.by_keyword}

_FILE = "what starts the rule is the file, or another rule's change"
_NONE = "what it is for takes no arguments"
_PROTO = "a protocol buffer takes keywords only, and the call stays inside the new one"
# Rules without a call whose arguments could be given in two ways.
NO_ARGUMENTS = {
    "I1": _FILE, "V1": _FILE, "V2": _FILE, "V10": _FILE, "I4": _FILE, "I6": _FILE,
    "H1": _NONE, "H2": _NONE, "H6": _NONE, "S9": _NONE, "S10": _NONE,
    "S2": _PROTO, "S3": _PROTO,
    "N2": "it is for the definition of a function",
    "S14": "it is for a constant",
}  # fmt: skip
# Reported and left.
LEFT = {
    ("N1", "positional"): "what stands between x and the rate has no place in the new",
}
# Known by their names alone, and reported when they are another library's.
BY_NAME = {"S10": "check_available_gpus is a function that projects define themselves"}
# Where no name of the script leads to a module, the adapter's own stands.
CONFIG = ("tf.ConfigProto()", "config_pb2.ConfigProto()")
WRITTEN = {
    (rule, form): CONFIG
    for rule in ("M1", "L1")
    for form in ("from-import", "from-import-as")
}


def moved(rule, mode, text):
    return migrate(text, options(rule, mode), "a.py")


@pytest.mark.parametrize("form", IMPORTS)
@pytest.mark.parametrize(("rule", "mode"), CASES)
def test_by_any_import(rule, mode, form):
    change = IMPORTS[form]
    before, after = (change(text, rule.before) for text in (rule.before, rule.after))
    after = after.replace(*WRITTEN.get((rule.id, form), ("", "")))
    made = moved(rule, mode, before).text
    assert made == after
    assert moved(rule, mode, made).text == made


@pytest.mark.parametrize("form", ARGUMENTS)
@pytest.mark.parametrize(("rule", "mode"), CASES)
def test_by_any_way_of_giving_arguments(rule, mode, form):
    has = spellings.has_arguments(rule.before)
    assert has != (rule.id in NO_ARGUMENTS), NO_ARGUMENTS.get(rule.id)
    before = ARGUMENTS[form](rule.before)
    made = moved(rule, mode, before)
    if (rule.id, form) in LEFT:
        assert made.text == before
        assert (rule.id, "hand") in {(f.rule, f.level) for f in made.findings}
        return
    assert reading.problem_of(made.text) is None
    assert spellings.plain(made.text) == spellings.plain(rule.after)
    assert moved(rule, mode, made.text).text == made.text


@pytest.mark.parametrize(("rule", "mode"), CASES)
def test_another_librarys_is_left(rule, mode):
    text = spellings.other_module(
        rule.before, rule.before, lambda full: OTHERS.get(full, "torch")
    )
    assert text != rule.before
    if rule.id in BY_NAME:
        text = "import torch as tf\nn = len(tf.check_available_gpus())\n"
    made = moved(rule, mode, text)
    assert made.text == text
    said = [(f.rule, f.level) for f in made.findings if f.rule != "API"]
    assert said == ([(rule.id, "hand")] if rule.id in BY_NAME else [])


def test_the_exceptions_are_of_rules():
    listed = {*NO_ARGUMENTS, *BY_NAME, *(rule for rule, _ in [*LEFT, *WRITTEN])}
    assert listed <= set(RULES)


@pytest.mark.parametrize(
    ("change", "after"),
    [
        (IMPORTS["alias"], "import tensorflow as tf_\ntf_.a.Session(0, tf=x.tf)\n"),
        (IMPORTS["from-parent"],
         "from tensorflow.compat import v1 as tf_\ntf_.a.Session(0, tf=x.tf)\n"),
        (IMPORTS["from-import"],
         "from tensorflow.a import Session\nSession(0, tf=x.tf)\n"),
        (IMPORTS["from-import-as"],
         "from tensorflow.a import Session as Session_\nSession_(0, tf=x.tf)\n"),
    ],
)  # fmt: skip
def test_a_spelling(change, after):
    text = "import tensorflow as tf\ntf.a.Session(0, tf=x.tf)\n"
    assert change(text, text) == after


def test_a_way_of_giving_arguments():
    text = "tf.Session(config=c)\ntf.Session('', g)\nf(*a, b=1)\n"
    assert spellings.by_position(text) == (
        "tf.Session('', None, c)\ntf.Session('', g)\nf(*a, b=1)\n"
    )
    assert spellings.by_keyword(text) == (
        "tf.Session(config=c)\ntf.Session(target='', graph=g)\nf(*a, b=1)\n"
    )
    assert spellings.plain(text) == (
        "tf.Session(config=c)\ntf.Session(graph=g)\nf(*a, b=1)\n"
    )


@pytest.mark.parametrize(("local", "changed"), [({"utils"}, True), (set(), False)])
@pytest.mark.parametrize(
    ("imported", "name"),
    [("from utils import check_available_gpus", "check_available_gpus"),
     ("import utils", "utils.check_available_gpus")],
)  # fmt: skip
def test_a_function_of_the_project_is_known_by_its_name(imported, name, local, changed):
    text = f"import tensorflow as tf\n{imported}\nn = {name}()\n"
    made = migrate(text, Options(local=frozenset(local)), "a.py")
    assert ("['/device:CPU:0']" in made.text) == changed
    assert [f.level for f in made.findings] == ["changed" if changed else "hand"]


@pytest.mark.parametrize(("line", "changed"), [("", True), ("tf = 1\n", False)])
def test_a_creator_where_only_the_session_is_imported(line, changed):
    text = f"from tensorflow.train import MonitoredSession\n{line}MonitoredSession()\n"
    made = migrate(text, Options(), "a.py").text
    assert ("=tf.train.ChiefSessionCreator(" in made) == changed
    assert changed or made == text
