"""Arguments of a call: found by position or keyword alike, replaced or appended."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst


def starred(call: cst.Call) -> bool:
    """Whether `*args` or `**kw` hide which arguments the call gives."""
    return any(argument.star for argument in call.args)


def find(call: cst.Call, name: str, signature: Sequence[str] = ()) -> int | None:
    """The index of the argument `name`, which `signature` may give a position.

    A call that is `starred` may give it without this finding it.
    """
    for index, argument in enumerate(call.args):
        if argument.keyword is not None and argument.keyword.value == name:
            return index
    if name in signature:
        index = signature.index(name)
        given = call.args[: index + 1]
        if len(given) > index and not any(a.keyword or a.star for a in given):
            return index
    return None


def value(
    call: cst.Call, name: str, signature: Sequence[str] = ()
) -> cst.BaseExpression | None:
    """What the call gives for `name`, None when it does not."""
    index = find(call, name, signature)
    return None if index is None else call.args[index].value


def positional(call: cst.Call) -> int:
    """How many arguments come by position."""
    return sum(1 for argument in call.args if not argument.keyword)


def with_value(call: cst.Call, index: int, new: cst.BaseExpression) -> cst.Call:
    """The call with another value for its argument `index`."""
    args = list(call.args)
    args[index] = args[index].with_changes(value=new)
    return call.with_changes(args=args)


def with_keyword(call: cst.Call, name: str, new: cst.BaseExpression) -> cst.Call:
    """The call with `name=new` after its last argument; comments keep their places."""
    added = cst.Arg(
        value=new,
        keyword=cst.Name(name),
        equal=cst.AssignEqual(
            cst.SimpleWhitespace(""),
            cst.SimpleWhitespace(""),
        ),
    )
    if not call.args:
        return call.with_changes(args=[added])
    *before, last = call.args
    between = _between(call)
    if isinstance(last.comma, cst.Comma):
        closing = last.comma.whitespace_after
        comma = last.comma.with_changes(whitespace_after=_then(closing, between))
        last = last.with_changes(comma=comma)
        added = added.with_changes(
            comma=cst.Comma(whitespace_after=_without_comment(closing))
        )
    else:
        closing = last.whitespace_after_arg
        comma = cst.Comma(whitespace_after=_then(closing, between))
        last = last.with_changes(
            comma=comma, whitespace_after_arg=cst.SimpleWhitespace("")
        )
        added = added.with_changes(whitespace_after_arg=_without_comment(closing))
    return call.with_changes(args=[*before, last, added])


def _between(call: cst.Call) -> cst.BaseParenthesizableWhitespace:
    """What stands between the call's arguments: a blank, or a new line."""
    last = call.args[-1]
    own_line = len(call.args) == 1 and isinstance(
        call.whitespace_before_args, cst.ParenthesizedWhitespace
    )
    if own_line:
        return call.whitespace_before_args
    if len(call.args) > 1:
        comma = call.args[-2].comma
        if isinstance(comma, cst.Comma) and isinstance(
            comma.whitespace_after, cst.ParenthesizedWhitespace
        ):
            return _without_comment(comma.whitespace_after)
    del last
    return cst.SimpleWhitespace(" ")


def _then(
    closing: cst.BaseParenthesizableWhitespace,
    between: cst.BaseParenthesizableWhitespace,
) -> cst.BaseParenthesizableWhitespace:
    """White space before the new argument, with the comment that `closing` holds."""
    between = _without_comment(between)
    if not isinstance(closing, cst.ParenthesizedWhitespace):
        return between
    if not isinstance(between, cst.ParenthesizedWhitespace):
        if closing.first_line.comment is None and not closing.empty_lines:
            return between
        return closing  # the comment ends its line, so the argument takes the next
    return between.with_changes(
        first_line=closing.first_line, empty_lines=closing.empty_lines
    )


def _without_comment(
    space: cst.BaseParenthesizableWhitespace,
) -> cst.BaseParenthesizableWhitespace:
    if not isinstance(space, cst.ParenthesizedWhitespace):
        return space
    return space.with_changes(
        first_line=space.first_line.with_changes(
            whitespace=cst.SimpleWhitespace(""), comment=None
        ),
        empty_lines=[],
    )
