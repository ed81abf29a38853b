"""A static table with one view and one question, for appearance and for tests without rules."""

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec.structs import replace
from typing_extensions import override

from engine.eots.commands import COMMANDS, Activate, Done
from engine.eots.ids import CardId, Side, UnitId
from engine.eots.view import EotsView, project_state
from engine.kernel.decision import Decision, Outcome
from engine.kernel.ids import Refusal, Role, Rule
from engine.kernel.notation import Notation
from engine.kernel.ruleset import Command
from play.draft import Draft
from play.drafts import Drafts
from play.log_lines import LogLine
from play.negotiation import Negotiation, SessionError
from play.order_books import OrderBooks
from play.record_reader import RecordReader
from play.session import CommandResult, Session
from play.standing_orders import OrderBook
from saves.records import Record
from tests.engine.eots.positions import start_of, with_tracks

HAND = tuple(CardId(f"A-{number}") for number in (3, 9, 13, 17, 41, 60))


class _StillRules:
    notation = Notation(COMMANDS)
    game = "eots"
    title = "Empire of the Sun"
    scoring = None

    @staticmethod
    def active_roles(state: object) -> tuple[Role, ...]:
        """Return the role that the static question is for."""
        del state
        return (Role("allied"),)


def still_view(scenario: str = "1943", side: Side | None = Side.ALLIED) -> EotsView:
    start = start_of(scenario)
    state = with_tracks(start, allied_asp_after_reinforcement=start.tracks.allied_asp)
    view = project_state(state, side)
    return replace(view, hand=HAND) if side is Side.ALLIED else view


def activation(view: EotsView) -> Decision[Any]:
    units = [unit for unit in view.units if unit.at in ("4423", "4024", "4828", "4226", "4825")]
    options = tuple(Activate(unit=UnitId(unit.id)) for unit in units)
    return Decision(
        role=Role("allied"),
        rule=Rule("7.21"),
        prompt="Activate units: 3 of 6 left",
        options=(*options, Done()),
        default=Done(),
    )


class _StillDraft(Draft):
    @override
    def commits_at_once(self, command: Command) -> bool:
        del command
        return False


class _NoRecords(RecordReader):
    @override
    def records_after(self, seq: int) -> Sequence[Record]:
        return ()


class StillSession(Session):
    def __init__(self, view: EotsView, decision: Decision[Any] | None = None) -> None:
        self.ruleset = _StillRules()  # type: ignore[assignment]
        self._role = Role("allied")
        self.drafts = Drafts(self.ruleset)
        self.negotiation = Negotiation()
        self.records = _NoRecords(self.ruleset, lambda: ())
        self._order_changes = []
        book = OrderBook()
        self.orders = OrderBooks(self.ruleset, lambda: self._role, self._state, lambda _: book)
        self._still = view
        self._question = decision or activation(view)

    @property
    @override
    def seq(self) -> int:
        return 3

    @property
    @override
    def title(self) -> str:
        return "still"

    @override
    def _state(self) -> None:
        return None

    @property
    @override
    def draft(self) -> Draft:
        return _StillDraft(self.ruleset, self._role, None)

    @override
    async def give(self, command: Command) -> CommandResult:
        raise SessionError("nothing moves at this table")

    @override
    async def _send(self, command: Command) -> None:
        raise AssertionError(command)

    @override
    def view(self) -> EotsView:
        return self._still

    @override
    def heading(self) -> str:
        return "T5 Jan-Apr 43 | Offensives: Allies to play"

    @override
    def waiting_for(self) -> tuple[Role, ...]:
        return (Role("allied"),)

    @override
    def outcome(self) -> Outcome | None:
        return None

    @override
    def decision(self) -> Decision[Any] | None:
        return self._question

    @override
    def next_role_to_show(self) -> Role | None:
        return None

    @override
    def free_actions(self) -> tuple[Command, ...]:
        return ()

    @override
    def refusals(self, command: Command) -> tuple[Refusal, ...]:
        return (Refusal(Rule("7.21"), "out of range"),)

    @override
    def log(self, after: int = -1) -> Iterator[LogLine]:
        yield LogLine(1, "Allies play A-13 as event: offensive, South Pacific, 5 units")
        yield LogLine(2, "Allies activate CV Enterprise at 4828 Noumea (7.21)")
