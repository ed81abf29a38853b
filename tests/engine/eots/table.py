"""A complete game from a test position: command lines go in, questions and events come out."""

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec.structs import replace

from engine.eots.commands import EotsCommand
from engine.eots.deck import card_ids
from engine.eots.events.base import EotsEvent
from engine.eots.evolve import evolve
from engine.eots.flow import EotsRun
from engine.eots.frames import CardPlayFrame, Phase, TurnFrame
from engine.eots.handlers import MACHINE
from engine.eots.ids import CardId, HexId, Side, UnitId
from engine.eots.position_december import OPENING_CARDS
from engine.eots.ruleset import EOTS
from engine.eots.scripting import EOTS_WORDS
from engine.eots.state import Deck, Offensive, State
from engine.kernel.decision import Decision
from engine.kernel.dice import DerivedDice, Die, ScriptedDice
from engine.kernel.ids import Role


class _Faces:
    """Scripted die faces first, then derived ones."""

    def __init__(self, faces: Iterable[int]) -> None:
        self.scripted = ScriptedDice(*faces)
        self.rest = DerivedDice(b"table".ljust(32, b"."), 0)

    def roll(self, die: Die) -> int:
        return (self.scripted if self.scripted.faces_left else self.rest).roll(die)

    def pick(self, items: Any) -> str:  # noqa: ANN401  # any row of names
        return self.rest.pick(items)


class Table:
    """A game in progress."""

    def __init__(self, state: State, faces: Iterable[int] = ()) -> None:
        """Run to the first question.

        Args:
            state: The position with its frames.
            faces: Faces of the coming rolls, in order.
        """
        self.dice = _Faces(faces)
        self._verb = ""
        self.ledger = EotsRun(state, evolve, self.dice)
        MACHINE.advance(self.ledger)

    @property
    def state(self) -> State:
        return self.ledger.state

    @property
    def offensive(self) -> Offensive:
        assert self.state.offensive is not None
        return self.state.offensive

    @property
    def asked(self) -> str:
        """Return the role that is asked; empty if none is."""
        return ",".join(EOTS.active_roles(self.state))

    @property
    def decision(self) -> Decision[EotsCommand]:
        return EOTS.decision(self.state, EOTS.active_roles(self.state)[0])

    @property
    def rule(self) -> str:
        return str(self.decision.rule)

    @property
    def default(self) -> str:
        return EOTS.notation.line(self.decision.default)

    @property
    def lines(self) -> list[str]:
        """Return the options as command lines."""
        return [EOTS.notation.line(option) for option in self.decision.options]

    def offers(self, start: str) -> list[str]:
        """Return the options that begin with the given words."""
        return [line for line in self.lines if line.startswith(start)]

    def __call__(self, *lines: str) -> "Table":
        """Give commands of the role that is asked. Each must be an option, or end a step that has ended already."""
        for line in lines:
            before, self._verb = self._verb, line.partition(" ")[0]
            if EOTS_WORDS.has_ended(self.state, before, self._verb):
                continue
            role = EOTS.active_roles(self.state)[0]
            command: EotsCommand = EOTS.notation.parse(line)
            assert command in EOTS.legal_commands(self.state, role), (
                line,
                self.rule,
                self.lines[:30],
            )
            EOTS.resolve(self.ledger, role, command)
        return self

    def until(self, rule: str, role: str = "") -> "Table":
        """Give default answers until a rule asks a question or, if a role is given, asks that role."""
        for _ in range(200):
            if self.rule == rule and role in {"", self.asked}:
                return self
            self(self.default)
        raise AssertionError(self.rule)

    def refusals(self, role: str, line: str) -> list[str]:
        """Return the rules against a command."""
        found = EOTS.why_not(self.state, Role(role), EOTS.notation.parse(line))
        return [str(refusal.rule) for refusal in found]

    def at(self, unit: str) -> str:
        return self.state.units[UnitId(unit)].at

    def steps(self, unit: str) -> int:
        return self.state.units[UnitId(unit)].steps

    def controller(self, at: str) -> Side:
        return self.state.control[HexId(at)]

    def facts(self, kind: type[EotsEvent]) -> list[Any]:
        """Return all events of a type so far."""
        return [event for event in self.ledger.events if isinstance(event, kind)]


def with_cards(
    state: State, hands: Mapping[Side, str], futures: Mapping[Side, str] | None = None
) -> State:
    """Return the state with hands and future offensives cards. All other cards are undrawn; J-1 and J-2 are removed."""
    decks = {}
    for side in Side:
        hand = tuple(CardId(card) for card in hands.get(side, "").split())
        future = (futures or {}).get(side)
        held = {*hand, future}
        left = [card for card in card_ids(side) if card not in held]
        decks[side] = Deck(
            hand=hand,
            draw=tuple(card for card in left if card not in OPENING_CARDS),
            removed=tuple(card for card in left if card in OPENING_CARDS),
            future=None if future is None else CardId(future),
        )
    return replace(state, decks=decks)


def to_play(
    state: State,
    side: Side,
    *,
    allied: str = "A-31",
    japan: str = "J-23",
    allied_future: str | None = None,
    japan_future: str | None = None,
) -> State:
    """Return the state in the Offensives Segment with hands, given as ids separated by blanks."""
    futures = {Side.ALLIED: allied_future, Side.JAPAN: japan_future}
    placed = {side: card for side, card in futures.items() if card is not None}
    dealt = with_cards(state, {Side.ALLIED: allied, Side.JAPAN: japan}, placed)
    frames = (TurnFrame(phase=Phase.OFFENSIVES, entered=True), CardPlayFrame(side=side))
    return replace(dealt, frames=frames)


def at_phase(state: State, phase: Phase, **cards: str | None) -> State:
    """Return the state at the beginning of a segment, with cards as in `to_play`."""
    dealt = to_play(state, Side.ALLIED, **cards)  # type: ignore[arg-type]  # hands are never None
    return replace(dealt, frames=(TurnFrame(phase=phase),))
