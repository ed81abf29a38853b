"""The words of play by lines that only read: each gives the lines to print, which nobody has cleaned yet."""

from collections.abc import Iterator
from typing import Final

from engine.kernel.errors import FlagplotError
from engine.kernel.rulings import switch_lines
from play.loglines import folded
from play.session import Session
from tui.playback.account import NO_BATTLE, Account, fights
from tui.playback.sheet import sheet_text
from tui.presenter import Presenter, map_text

_MOST_LINES: Final = 40
"""Finds printed at once."""
_MAP_SIZE: Final = (78, 22)
_WORDS: Final = frozenset(
    {"why", "hand", "log", "since", "battle", "hex", "map", "find", "page", "rules", "verbs"}
)
_BOARD_WIDTH: Final = 76


class PlainReading:
    """A method per word; each takes what stands behind the word."""

    def __init__(self, session: Session, presenter: Presenter) -> None:
        """Read a session in the words of its game."""
        self._session = session
        self._presenter = presenter
        self.account = Account(session, presenter)

    def answer(self, word: str, rest: str) -> Iterator[str] | None:
        """Return what a word reads out; None when it is no such word."""
        return getattr(self, word)(rest) if word in _WORDS else None

    def why(self, rest: str) -> Iterator[str]:
        """Yield the rules against a command."""
        try:
            command = self._session.parse(rest)
        except FlagplotError as error:
            yield str(error)
            return
        refusals = self._session.refusals(command)
        for refusal in refusals:
            yield f"  {refusal}"
        if not refusals:
            yield (
                "Nothing forbids it."
                if self._session.decision()
                else "You have no decision to make now."
            )

    def hand(self, rest: str) -> Iterator[str]:
        """Yield the own cards with their text."""
        del rest
        yield from self._presenter.hand_lines(self._session.view())

    def log(self, rest: str) -> Iterator[str]:
        """Yield the last sentences."""
        count = int(rest) if rest.isdecimal() else 20
        for line in list(folded(self._session.log()))[-count:]:
            yield f"  {'~ ' if line.is_draft else ''}{line.text}"

    def since(self, rest: str) -> Iterator[str]:
        """Yield what happened since the own move."""
        del rest
        news = tuple(self.account.lines())
        for line in news:
            yield f"  {line}"
        if not news:
            yield "Nobody else has moved since your move."

    def battle(self, rest: str) -> Iterator[str]:
        """Yield the boards of the battles that are fought or declared, else of the last one."""
        del rest
        sheets = fights(self._session, self._presenter)
        for sheet in sheets:
            yield from sheet_text(sheet, _BOARD_WIDTH)
        if not sheets:
            yield NO_BATTLE

    def hex(self, rest: str) -> Iterator[str]:
        """Yield what is in a place of the map."""
        yield from self._presenter.hex_lines(self._session.view(), rest)

    def map(self, rest: str) -> Iterator[str]:
        """Yield the map around a place."""
        view = self._session.view()
        lines = map_text(self._presenter, view, rest or self._presenter.home(view), _MAP_SIZE)
        yield from lines or ("There is no such hex.",)

    def find(self, rest: str) -> Iterator[str]:
        """Yield places, units and cards by name."""
        hits = self._presenter.find(self._session.view(), rest)
        for hit in hits[:_MOST_LINES]:
            yield f"  {hit.hex_id:<6}{hit.title}"
            for line in hit.text.splitlines() if len(hits) == 1 else ():
                yield f"      {line}"
        if not hits:
            yield "Nothing has this name."

    def page(self, rest: str) -> Iterator[str]:
        """Yield one of the presenter's pages, or the names of all."""
        pages = self._presenter.pages(self._session.view())
        for key, name, lines in pages:
            if key == rest:
                yield name
                for line in lines:
                    yield f"  {line}"
                return
        yield "Pages: " + ", ".join(f"{key} {name}" for key, name, _ in pages)

    def rules(self, rest: str) -> Iterator[str]:
        """Yield a paragraph of the rules, or what has these words."""
        from engine import registry

        reference = registry.reference(self._session.ruleset.game)
        found = reference.found(rest)
        if not found:
            hits = reference.search(rest) if rest else ()
            for hit in hits[:_MOST_LINES]:
                yield f"  {hit.number:<8} {hit.title}"
            if not hits:
                yield "No paragraph has this number or these words."
            return
        for paragraph in found:
            yield f"{paragraph.number} {paragraph.title}"
            switches = switch_lines(self._session.ruleset.options(), paragraph.number)
            for line in (*paragraph.text.splitlines(), *switches):
                yield f"  {line}"

    def verbs(self, rest: str) -> Iterator[str]:
        """Yield every command of the notation."""
        del rest
        for verb in self._session.ruleset.notation.verbs():
            words = " ".join([verb.word, *(name.upper() for name in verb.fields)])
            yield f"  {words:<28} {verb.summary}"
