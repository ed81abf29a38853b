"""Completion in bash of words that contain ``=``, such as ``japan=greedy``.

Bash splits a word at ``=`` and replaces only the part after it, while Click expects and returns the whole word.
"""

from click.shell_completion import BashComplete, CompletionItem, add_completion_class
from typing_extensions import override

_EQUALS = "="


class BashWordCompletion(BashComplete):
    """Joins the parts of a word for Click, and returns only the last part to bash."""

    _prefix = ""
    """Part of the word that bash keeps, such as ``japan=``; empty if the word has no such part."""

    @override
    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the words before the one to complete, and the beginning of that word."""
        args, incomplete = super().get_completion_args()
        words: list[str] = []
        is_joined = False
        for part in (*args, incomplete):
            if words and (part == _EQUALS or is_joined):
                words[-1] += part
            else:
                words.append(part)
            is_joined = part == _EQUALS
        word = words.pop()
        before, equals, _ = word.rpartition(_EQUALS)
        self._prefix = before + equals
        return words, word

    @override
    def format_completion(self, item: CompletionItem) -> str:
        """Return a completion as a line for bash."""
        return f"{item.type},{str(item.value).removeprefix(self._prefix)}"


def register() -> None:
    """Use this completion for bash."""
    add_completion_class(BashWordCompletion, "bash")
