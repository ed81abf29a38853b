"""A country's turn: its steps, and the action of each (8)."""

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from msgspec.structs import replace

from engine.qmg.ch08_steps import unsupplied
from engine.qmg.ch09_cards import draw
from engine.qmg.ch12_victory import end_round, score_spaces, scores
from engine.qmg.events import StepBegan, TurnBegan
from engine.qmg.frames import (
    AirStepFrame,
    BonusFrame,
    DiscardStepFrame,
    PlayStepFrame,
    SupplyStepFrame,
    TurnFrame,
)
from engine.qmg.ids import COUNTRIES, FORCE_INDEX, HAND_SIZE, MINOR
from engine.qmg.run import Handler, Run, acted


class TurnHandler(Handler[TurnFrame]):
    """Runs the steps in order, each with its windows (8.1, 10.7)."""

    frame = TurnFrame

    def try_step(self, run: Run, frame: TurnFrame) -> bool:
        """Continue until another frame is pushed, the next turn begins, or the game is over."""
        stack = run.stack
        while stack[-1] is frame and run.state.outcome is None:
            stage = STAGES[frame.stage]
            stack[-1] = frame = replace(frame, stage=stage.next)
            stage.act(run, frame.country)
        return True


class TurnStage(NamedTuple):
    """One stage of a turn: its action, and the name of the next stage."""

    act: Callable[[Run, str], None]
    next: str


def _begin(run: Run, country: str) -> None:
    """Begin the turn. A card used in response, such as Volkssturm, is not the Play step's card (10.7, 16.8)."""
    run.add(TurnBegan(country=country, round=run.state.round or 1))
    run.window(acted("turn_begin", country))


def _next_round(run: Run, country: str) -> None:
    run.add(TurnBegan(country=country, round=run.state.round + 1))
    run.window(acted("turn_begin", country))


def _step(name: str) -> Callable[[Run, str], None]:
    def begin(run: Run, country: str) -> None:
        run.add(StepBegan(step=name))
        run.window(acted(f"{name}_step_begin", country))

    return begin


def _answered(kind: str) -> Callable[[Run, str], None]:
    return lambda run, country: run.window(acted(kind, country))


def _air_begin(run: Run, country: str) -> None:
    """Begin the Air step, which exists only in Total War (8.1, 13.1)."""
    if run.state.total_war:
        _step("air")(run, country)


def _air(run: Run, country: str) -> None:
    if run.state.total_war:
        run.push(AirStepFrame(country=country))


def _supply(run: Run, country: str) -> None:
    pieces = unsupplied(run.state, country)
    if pieces:
        departed = tuple(piece for piece in run.state.turn.departed if piece in pieces)
        run.push(SupplyStepFrame(country=country, left=pieces, departed=departed))


def _victory_begin(run: Run, country: str) -> None:
    """Begin the Victory step, or skip it and its windows if an enemy Army is in the Home (12.2, 18.20)."""
    run.add(StepBegan(step="victory"))
    if scores(run.state, country):
        run.window(acted("victory_step_begin", country))
    else:
        frame = run.stack[-1]
        assert isinstance(frame, TurnFrame), frame
        run.replace_top(replace(frame, stage="minor"))


def _victory(run: Run, country: str) -> None:
    score_spaces(run, country)
    run.push(BonusFrame(country=country))


def _minor(run: Run, country: str) -> None:
    """Score the spaces of France or China, even if the country itself could not score (12.3)."""
    minor = MINOR.get(country)
    if run.state.total_war and minor is not None and scores(run.state, minor):
        score_spaces(run, minor)


def _draw(run: Run, country: str) -> None:
    draw(run, country, HAND_SIZE - len(run.state.cards_of(country).hand))


def _end(run: Run, country: str) -> None:
    at = FORCE_INDEX[country]
    if at + 1 < len(COUNTRIES):
        run.replace_top(TurnFrame(country=COUNTRIES[at + 1], stage="begin"))
        return
    end_round(run)
    if run.state.outcome is None:
        run.replace_top(TurnFrame(country=COUNTRIES[0], stage="round"))


STAGES: Final[Mapping[str, TurnStage]] = {
    "begin": TurnStage(_begin, "play-begin"),
    "round": TurnStage(_next_round, "play-begin"),
    "play-begin": TurnStage(_step("play"), "play"),
    "play": TurnStage(lambda run, country: run.push(PlayStepFrame(country=country)), "air-begin"),
    "air-begin": TurnStage(_air_begin, "air"),
    "air": TurnStage(_air, "supply-begin"),
    "supply-begin": TurnStage(_step("supply"), "supply"),
    "supply": TurnStage(_supply, "victory-begin"),
    "victory-begin": TurnStage(_victory_begin, "victory"),
    "victory": TurnStage(_victory, "victory-end"),
    "victory-end": TurnStage(_answered("victory_step"), "minor"),
    "minor": TurnStage(_minor, "discard-begin"),
    "discard-begin": TurnStage(_step("discard"), "discard"),
    "discard": TurnStage(
        lambda run, country: run.push(DiscardStepFrame(country=country)), "discard-end"
    ),
    "discard-end": TurnStage(_answered("discard_step"), "draw-begin"),
    "draw-begin": TurnStage(_step("draw"), "draw"),
    "draw": TurnStage(_draw, "end"),
    "end": TurnStage(_end, "end"),
}
"""The sequence of a turn (10.7)."""
