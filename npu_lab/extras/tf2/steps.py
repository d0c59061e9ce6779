"""How many passes a While asks for itself, and what it carries from pass to pass.

Both are read off the graph: the part of the body that the condition depends on is run
alone, which has no effects.
"""

from __future__ import annotations

from collections.abc import Mapping

from tensorflow.python.framework import op_def_registry

from npu_lab.extras.tf2 import definitions
from npu_lab.extras.tf2.definitions import Definition, Node

READS = frozenset(
    {"ReadVariableOp", "VarHandleOp", "ResourceGather", "ResourceGatherNd"}
)
"""Operations that have state and leave it as it is."""


def has_effect(node: Node) -> bool:
    """Whether a node may do more than to compute."""
    if node.op in READS:
        return False
    known = op_def_registry.get(node.op)
    return bool(definitions.functions_of(node)) or known is None or known.is_stateful


def carried(loop: Node, functions: Mapping[str, Definition]) -> tuple[str, ...]:
    """The arguments of the body that change from pass to pass and that effects use."""
    body = functions[loop.attr["body"].func.name]
    effects = [n.name for n in body.node_def if has_effect(n)]
    used = definitions.upstream(body, [*body.control_ret.values(), *effects])
    changing = _changing(body)
    return tuple(name for name in changing if name in used)


def _changing(body: Definition) -> list[str]:
    """Arguments for which the body gives another value than it was given."""
    names = [a.name for a in body.signature.input_arg]
    known = dict.fromkeys(names, None)
    alias: dict[str, str] = {name: name for name in known}
    for node in body.node_def:
        if node.op == "Identity":
            source = definitions.operation(node.input[0])
            if source in alias:
                alias[node.name] = alias[source]
    results = [body.ret[a.name] for a in body.signature.output_arg]
    return [
        name
        for name, result in zip(names, results, strict=True)
        if alias.get(definitions.operation(result)) != name
    ]


def counter(loop: Node, functions: Mapping[str, Definition]) -> Definition | None:
    """The body reduced to what the condition needs; None where that has effects."""
    body = functions[loop.attr["body"].func.name]
    condition = functions[loop.attr["cond"].func.name]
    if any(has_effect(n) for n in condition.node_def):
        return None
    names = [a.name for a in body.signature.input_arg]
    tested = definitions.upstream(condition, definitions.ends(condition))
    wanted = {
        i for i, a in enumerate(condition.signature.input_arg) if a.name in tested
    }
    outputs = [a.name for a in body.signature.output_arg]
    while True:
        values = [definitions.operation(body.ret[outputs[i]]) for i in wanted]
        behind = definitions.upstream(body, values, data=True)
        more = wanted | {i for i, name in enumerate(names) if name in behind}
        if more == wanted:
            break
        wanted = more
    used = [n for n in body.node_def if n.name in behind]
    if any(has_effect(n) or n.op == "ReadVariableOp" for n in used):
        return None
    result = type(body)()
    result.CopyFrom(body)
    result.signature.name = f"{body.signature.name}_npu_lab_count"
    for index, (output, name) in enumerate(zip(outputs, names, strict=True)):
        if index not in wanted:
            result.ret[output] = name
    result.control_ret.clear()
    del result.signature.control_output[:]
    del result.node_def[:]
    for node in used:
        copy = result.node_def.add()
        copy.CopyFrom(node)
        del copy.input[:]
        copy.input.extend(i for i in node.input if not i.startswith("^"))
    return result


def prologue(definition: Definition, loop: Node) -> Definition:
    """What is upstream of the loop, as a function that gives the loop's inputs."""
    given = [i for i in loop.input if not i.startswith("^")]
    waits = [i[1:] for i in loop.input if i.startswith("^")]
    behind = definitions.upstream(definition, [definitions.operation(g) for g in given])
    behind |= definitions.upstream(definition, waits)
    result = type(definition)()
    result.CopyFrom(definition)
    result.signature.name = f"{definition.signature.name}_npu_lab_prologue"
    kept = [n for n in definition.node_def if n.name in behind]
    del result.node_def[:]
    result.node_def.extend(kept)
    result.ret.clear()
    result.control_ret.clear()
    del result.signature.output_arg[:]
    del result.signature.control_output[:]
    for number, (source, kind) in enumerate(
        zip(given, loop.attr["T"].list.type, strict=True)
    ):
        argument = result.signature.output_arg.add()
        argument.name, argument.type = f"given_{number}", kind
        result.ret[argument.name] = source
    names = {n.name for n in kept}
    for node in waits:
        if node in names:
            result.control_ret[node] = node
            result.signature.control_output.append(node)
    return result


def has_effects(definition: Definition) -> bool:
    """Whether a function does more than to compute."""
    return any(has_effect(n) for n in definition.node_def)
