"""The ruleset of Empire of the Sun. This module only connects the other modules to the kernel."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from typing_extensions import override

from engine.eots import hidden_cards
from engine.eots.card_piles import card_piles, with_card_face
from engine.eots.ch16_victory.scoring import SCORING, EotsScoring
from engine.eots.combined_sentences import log_sentences
from engine.eots.commands import COMMAND_UNION, COMMANDS, EotsCommand
from engine.eots.data.reading import data_digest
from engine.eots.die_rolls import die_rolls
from engine.eots.events.base import EotsEvent
from engine.eots.events.flow import GameStarted
from engine.eots.evolve import EVENT_UNION, evolve
from engine.eots.flow import EotsRun
from engine.eots.handlers import MACHINE
from engine.eots.ids import CardId, Side
from engine.eots.invariants import violations
from engine.eots.names import name_refusals, with_unit_names
from engine.eots.position import Position, position_from_state
from engine.eots.position_checks import check_position
from engine.eots.prose import describe, heading, turn_name
from engine.eots.redaction import redact_event, redact_order
from engine.eots.reveal_requests import max_reveal_requests
from engine.eots.rulings import RULINGS
from engine.eots.setup import scenario_infos, starting_position
from engine.eots.state import State
from engine.eots.view import EotsView, project_state
from engine.kernel.cards import PileContents
from engine.kernel.dice import Dice
from engine.kernel.die_rolls import DieRoll
from engine.kernel.framed import HintedRuleset
from engine.kernel.ids import Refusal, Role, Rule
from engine.kernel.notation import Notation
from engine.kernel.ruleset import ScenarioInfo
from engine.kernel.rulings import Ruling

ROLES: Final = tuple(Role(side) for side in Side)


class EmpireOfTheSun(
    HintedRuleset[State, EotsCommand, EotsEvent, EotsView, Position, EotsRun, Side]
):
    """Empire of the Sun, 2021 edition."""

    game = "eots"
    title = "Empire of the Sun"
    role_titles = {Side.ALLIED: "Allies", Side.JAPAN: "Japan"}  # noqa: RUF012  # read only
    edition = "2021"
    version = 4
    notation: Notation[EotsCommand] = Notation(COMMANDS)
    command_type = COMMAND_UNION
    event_type = EVENT_UNION
    position_type = Position
    machine = MACHINE
    sequence_rule = Rule("4.0")
    end_rule = Rule("16.0")
    # A reshuffle event can name every card in a deck, and must fit into one log entry.
    hidden_entry_bytes = 512

    @property
    @override
    def data_digest(self) -> str:  # type: ignore[override]  # computed on first use, because few commands need it
        return data_digest()

    @override
    def scenarios(self) -> tuple[ScenarioInfo, ...]:
        """Return the scenarios (17.0)."""
        return scenario_infos()

    @override
    def default_scenario(self) -> str:
        """Return the default scenario (17.25)."""
        return "1943"

    @override
    def options(self) -> tuple[Ruling, ...]:
        return RULINGS

    @override
    def position(self, scenario: str, options: Mapping[str, str]) -> Position:
        return starting_position(scenario, options)

    @override
    def check_position(self, position: Position) -> None:
        check_position(position)

    @override
    def open_game(self, position: Position, dice: Dice) -> tuple[EotsEvent, ...]:
        run = self.run(self.initial_state(), dice)
        run.add(GameStarted(position=position))
        MACHINE.advance(run)
        return run.events

    @override
    def run(self, state: State, dice: Dice) -> EotsRun:
        return EotsRun(state, evolve, dice)

    @override
    def initial_state(self) -> State:
        return State()

    @override
    def to_position(self, state: State) -> Position:
        return position_from_state(state)

    @override
    def roles(self, state: State) -> tuple[Role, ...]:
        del state
        return ROLES

    @override
    def unknown_names(self, command: EotsCommand) -> Iterator[Refusal]:
        return name_refusals(command)

    @override
    def with_display_names(self, refusal: Refusal) -> Refusal:
        return with_unit_names(refusal)

    @override
    def evolve(self, state: State, event: EotsEvent) -> State:
        return evolve(state, event)

    @override
    def project(self, state: State, role: Role | None) -> EotsView:
        """Build the view of one side or, if the side is None, of a spectator."""
        return project_state(state, None if role is None else Side(role))

    @override
    def redact(self, event: EotsEvent, role: Role | None) -> EotsEvent:
        return redact_event(event, None if role is None else Side(role))

    @override
    def redact_command(self, command: EotsCommand, giver: Role, role: Role | None) -> EotsCommand:
        """Hide the parts of a command that the viewing side may not see."""
        return redact_order(command, Side(giver), None if role is None else Side(role))

    @override
    def decks(self) -> Mapping[Role, tuple[str, ...]]:
        return {Role(side): cards for side, cards in hidden_cards.all_decks().items()}

    @override
    def card_piles(self, state: State, role: Role) -> Mapping[str, PileContents]:
        return card_piles(state, Side(role))

    @override
    def max_reveal_requests(self, command: EotsCommand) -> int:
        return max_reveal_requests(command)

    @override
    def with_hidden_card(self, state: State, role: Role, pile: str, card: str) -> State:
        return with_card_face(state, Side(role), pile, CardId(card))

    @override
    def secret_owner(self, event: EotsEvent) -> Role | None:
        side = hidden_cards.secret_owner(event)
        return None if side is None else Role(side)

    @override
    def revealed_cards(self, event: EotsEvent) -> tuple[str, ...]:
        """Return the card that an event reveals to both sides. Empty if the event does not reveal a card."""
        return hidden_cards.revealed_cards(event)

    @override
    def hidden_pile(
        self,
        state: State,
        role: Role,
        place: str,
        event: EotsEvent | None = None,
        picked_cards: Sequence[str] = (),
    ) -> tuple[str, ...]:
        return hidden_cards.hidden_pile(state, Side(role), place, event, picked_cards)

    @override
    def complete_event(
        self, state: State, event: EotsEvent, picked_cards: Sequence[str]
    ) -> tuple[EotsEvent, int]:
        """Fill in the card faces that only the event's side knows."""
        return hidden_cards.complete_event(state, event, picked_cards)

    @override
    def log_sentence(self, event: EotsEvent) -> str:
        return describe(event)

    @override
    def log_sentences(self, events: Sequence[EotsEvent]) -> Iterator[str]:
        """Yield the log sentences for one command's events, including the causes of Political Will changes (16.41)."""
        return log_sentences(events)

    @override
    def die_rolls(self, event: EotsEvent) -> tuple[DieRoll, ...]:
        return die_rolls(event)

    @override
    def heading(self, state: State) -> str:
        """Describe the current point in the sequence of play."""
        return heading(state)

    @override
    def turn_name(self, state: State) -> str:
        return turn_name(state)

    @property
    @override
    def scoring(self) -> EotsScoring:
        return SCORING

    @override
    def violations(self, state: State) -> Iterator[str]:
        return violations(state)


EOTS: Final = EmpireOfTheSun()
"""The game's ruleset, as listed in the registry."""
