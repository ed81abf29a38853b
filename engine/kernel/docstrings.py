"""Docstrings that people read while the program runs: help of the command line, and what a command of a game does.

Compiled code has none under ``python -OO``; then they are read from the source.
"""

import ast
import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, Final

LEFT_OUT: Final = "Python runs with -OO, which leaves this text out; run it without -OO to read it."
"""Shown where neither compiled code nor source has a docstring."""


def docstring(what: type | Callable[..., Any]) -> str:
    """Return the docstring of a class or function as it was written, empty if it cannot be found."""
    return what.__doc__ or _in_source(what.__module__).get(what.__qualname__, "")


def first_line(what: type | Callable[..., Any]) -> str:
    """Return the first line of a docstring, empty if it cannot be found."""
    return docstring(what).strip().partition("\n")[0]


@cache
def _in_source(module: str) -> Mapping[str, str]:
    """Return the docstrings of a module by the names of what they describe; empty without a source file."""

    def found(body: list[ast.stmt], prefix: str) -> Iterator[tuple[str, str]]:
        for node in body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                yield prefix + node.name, ast.get_docstring(node, clean=False) or ""
            if isinstance(node, ast.ClassDef):
                yield from found(node.body, f"{prefix}{node.name}.")

    try:
        source = inspect.getsource(sys.modules[module])
    except (OSError, TypeError):
        return {}
    return dict(found(ast.parse(source).body, ""))
