"""Docstrings that users read at run time: command-line help, and the descriptions of a game's commands.

Under ``python -OO``, code has no docstrings, so this module reads them from the source instead.
"""

import ast
import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, Final

DOCSTRINGS_STRIPPED: Final = (
    "Python runs with -OO, which leaves this text out; run it without -OO to read it."
)
"""Shown if a docstring is in neither the compiled code nor the source."""


def docstring(documented: type | Callable[..., Any]) -> str:
    """Return the docstring of a class or function as written, or an empty string if it cannot be found."""
    return documented.__doc__ or _source_docstrings(documented.__module__).get(
        documented.__qualname__, ""
    )


def first_line(documented: type | Callable[..., Any]) -> str:
    """Return a docstring's first line, or an empty string if the docstring cannot be found."""
    return docstring(documented).strip().partition("\n")[0]


@cache
def _source_docstrings(module: str) -> Mapping[str, str]:
    """Return a module's docstrings, keyed by qualified name, or an empty mapping if there is no source file."""

    def docstrings_in(body: list[ast.stmt], prefix: str) -> Iterator[tuple[str, str]]:
        for node in body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                yield prefix + node.name, ast.get_docstring(node, clean=False) or ""
            if isinstance(node, ast.ClassDef):
                yield from docstrings_in(node.body, f"{prefix}{node.name}.")

    try:
        source = inspect.getsource(sys.modules[module])
    except (OSError, TypeError):
        return {}
    # ``ast.parse`` leaves docstrings out under -OO since Python 3.14.
    tree = compile(source, module, "exec", ast.PyCF_ONLY_AST, optimize=0)
    assert isinstance(tree, ast.Module), "source compiled with PyCF_ONLY_AST is a module"
    return dict(docstrings_in(tree.body, ""))
