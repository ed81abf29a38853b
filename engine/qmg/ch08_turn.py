"""A country's turn: its steps and their actions (8)."""

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from msgspec.structs import replace
from typing_extensions import override

from engine.qmg.ch08_steps import unsupplied_pieces
from engine.qmg.ch09_cards import draw_cards
from engine.qmg.ch12_victory import end_round, has_victory_step, score_spaces
from engine.qmg.events import StepBegan, TurnBegan
from engine.qmg.frames import (
    AirStepFrame,
    BonusFrame,
    DiscardStepFrame,
    PlayStepFrame,
    SupplyStepFrame,
    TurnFrame,
)
from engine.qmg.ids import COUNTRIES, FORCE_INDEX, HAND_SIZE, MINOR_FORCE
from engine.qmg.run import Handler, Run, action_trigger


class TurnHandler(Handler[TurnFrame]):
    """Runs a turn: its steps in order, each with its windows (8.1, 10.7)."""

    frame = TurnFrame

    @override
    def try_step(self, run: Run, frame: TurnFrame) -> bool:
        """Continue until another frame is pushed, the next turn begins, or the game is over."""
        stack = run.stack
        while stack[-1] is frame and run.state.outcome is None:
            stage = TURN_STAGES[frame.stage]
            # Record the next stage first, because the action may push frames or replace this frame.
            stack[-1] = frame = replace(frame, stage=stage.next)
            stage.carry_out(run, frame.country)
        return True


class TurnStage(NamedTuple):
    """One stage of a turn: what it does, and the name of the next stage."""

    carry_out: Callable[[Run, str], None]
    next: str


def _begin_turn(run: Run, country: str) -> None:
    """Begin the turn. A card used now, such as Volkssturm, does not count as the Play step's card (10.7, 16.8)."""
    run.add(TurnBegan(country=country, round=run.state.round or 1))
    run.open_window(action_trigger("turn_begin", country))


def _next_round(run: Run, country: str) -> None:
    run.add(TurnBegan(country=country, round=run.state.round + 1))
    run.open_window(action_trigger("turn_begin", country))


def _begin_step_action(name: str) -> Callable[[Run, str], None]:
    def begin(run: Run, country: str) -> None:
        run.add(StepBegan(step=name))
        run.open_window(action_trigger(f"{name}_step_begin", country))

    return begin


def _open_window_action(kind: str) -> Callable[[Run, str], None]:
    return lambda run, country: run.open_window(action_trigger(kind, country))


def _begin_air_step(run: Run, country: str) -> None:
    """Begin the Air step. Only Total War has an Air step (8.1, 13.1)."""
    if run.state.total_war:
        _begin_step_action("air")(run, country)


def _air_step(run: Run, country: str) -> None:
    if run.state.total_war:
        run.push(AirStepFrame(country=country))


def _supply_step(run: Run, country: str) -> None:
    pieces = unsupplied_pieces(run.state, country)
    if pieces:
        # Record the pieces that left these spaces before this step. If another one leaves later,
        # the piece in the space is no longer the one that was out of supply (10.5).
        departed_pieces = tuple(piece for piece in run.state.turn.departed if piece in pieces)
        run.push(SupplyStepFrame(country=country, left=pieces, departed=departed_pieces))


def _begin_victory_step(run: Run, country: str) -> None:
    """Begin the Victory step. If an enemy Army is in the Home, skip the step and its windows (12.2, 18.20)."""
    run.add(StepBegan(step="victory"))
    if has_victory_step(run.state, country):
        run.open_window(action_trigger("victory_step_begin", country))
    else:
        frame = run.stack[-1]
        assert isinstance(frame, TurnFrame), frame
        run.replace_top(replace(frame, stage="minor"))


def _victory_step(run: Run, country: str) -> None:
    score_spaces(run, country)
    run.push(BonusFrame(country=country))


def _score_minor_force(run: Run, country: str) -> None:
    """Score the spaces of France or China. This happens even if the country itself cannot score (12.3)."""
    minor = MINOR_FORCE.get(country)
    if run.state.total_war and minor is not None and has_victory_step(run.state, minor):
        score_spaces(run, minor)


def _draw_step(run: Run, country: str) -> None:
    draw_cards(run, country, HAND_SIZE - len(run.state.cards_of(country).hand))


def _end_turn(run: Run, country: str) -> None:
    index = FORCE_INDEX[country]
    if index + 1 < len(COUNTRIES):
        run.replace_top(TurnFrame(country=COUNTRIES[index + 1], stage="begin"))
        return
    end_round(run)
    if run.state.outcome is None:
        run.replace_top(TurnFrame(country=COUNTRIES[0], stage="round"))


TURN_STAGES: Final[Mapping[str, TurnStage]] = {
    "begin": TurnStage(_begin_turn, "play-begin"),
    "round": TurnStage(_next_round, "play-begin"),
    "play-begin": TurnStage(_begin_step_action("play"), "play"),
    "play": TurnStage(lambda run, country: run.push(PlayStepFrame(country=country)), "air-begin"),
    "air-begin": TurnStage(_begin_air_step, "air"),
    "air": TurnStage(_air_step, "supply-begin"),
    "supply-begin": TurnStage(_begin_step_action("supply"), "supply"),
    "supply": TurnStage(_supply_step, "victory-begin"),
    "victory-begin": TurnStage(_begin_victory_step, "victory"),
    "victory": TurnStage(_victory_step, "victory-end"),
    "victory-end": TurnStage(_open_window_action("victory_step"), "minor"),
    "minor": TurnStage(_score_minor_force, "discard-begin"),
    "discard-begin": TurnStage(_begin_step_action("discard"), "discard"),
    "discard": TurnStage(
        lambda run, country: run.push(DiscardStepFrame(country=country)), "discard-end"
    ),
    "discard-end": TurnStage(_open_window_action("discard_step"), "draw-begin"),
    "draw-begin": TurnStage(_begin_step_action("draw"), "draw"),
    "draw": TurnStage(_draw_step, "end"),
    "end": TurnStage(_end_turn, "end"),
}
"""The stages of a turn by name, each with the name of the next one (10.7)."""
