"""Small helpers to read Python source: values, scopes, names, arguments of calls."""

import ast
import functools


class Text(str):
    """Text for the compiler, beside constants, which are Python's own values."""


class Thing:
    """An object that the host makes: its class, and the call with the scope that it stands in."""

    def __init__(self, owner, call=None, scope=None):
        self.owner, self.call, self.scope = owner, call, scope


class Scope:
    """Where an expression stands: a function or None, and the object that its `self` is."""

    def __init__(self, function=None, thing=None):
        self.function, self.thing = function, thing


@functools.cache
def walk(node):
    return tuple(ast.walk(node))


def last(node):
    """`d` of `a.b.d`, of a name, and of a text."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value.strip('"').split(".")[-1]
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def is_marked(node, mark):
    return any(mark in ast.unparse(decorator) for decorator in node.decorator_list)


def named(call, name, place=None):
    """The argument of a call, by its name or its place."""
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    return call.args[place] if place is not None and place < len(call.args) else None


def operate(op, left, right):
    if isinstance(op, ast.Pow):
        return left**right
    if isinstance(op, ast.Div):
        return left / right
    return left * right if isinstance(op, ast.Mult) else left + right if isinstance(op, ast.Add) else left - right
