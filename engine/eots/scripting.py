"""The script words of Empire of the Sun: positions by hand, expectations on units, control, tracks and cards."""

from collections.abc import Mapping, Sequence
from typing import Final

from engine.eots import scripting_checks, scripting_names, scripting_setup, scripting_verbs
from engine.eots.position import Position
from engine.eots.state import State
from engine.kernel.lexicon import Lexicon
from engine.scripts.words import Asked, ScriptWords

WORDS: Final = (*scripting_setup.WORDS, *scripting_checks.WORDS)
"""Every form with a short explanation."""


class EotsWords(ScriptWords[Position]):
    """Setup and expectations of Empire of the Sun."""

    def words(self) -> tuple[tuple[str, str], ...]:
        """Return the forms."""
        return WORDS

    def lexicon(self) -> Lexicon:
        """Return every name that stands in command lines."""
        return scripting_names.lexicon()

    def examples(self) -> Mapping[str, str]:
        """Return a whole script line for every verb of the notation."""
        return scripting_verbs.EXAMPLES

    def asks(self) -> tuple[Asked, ...]:
        """Return every rule that can ask, in the order of play."""
        return scripting_verbs.ASKS

    def setup(self, position: Position, words: Sequence[str]) -> Position:
        """Return the position changed by a setup line."""
        return scripting_setup.setup(position, words)

    def check(self, state: State, words: Sequence[str]) -> str:
        """Return why an expectation does not hold, empty when it does."""
        return scripting_checks.check(state, words)


EOTS_WORDS: Final = EotsWords()
"""The one instance."""
