"""The turn of a country: its steps and their actions (8)."""

from collections.abc import Callable, Mapping
from typing import Final

from msgspec.structs import replace

from engine.qmg.ch08_steps import unsupplied
from engine.qmg.ch09_cards import draw
from engine.qmg.ch12_victory import end_round, score_spaces, scores, victory_trigger
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
from engine.qmg.run import Handler, Run


class TurnHandler(Handler[TurnFrame]):
    """The steps in their order, each with its windows (8.1, 10.7)."""

    frame = TurnFrame

    def go(self, run: Run, frame: TurnFrame) -> bool:
        """Go one stage on."""
        stage = STAGES[frame.stage]
        run.replace(replace(frame, stage=stage.next))
        stage.act(run, frame.country)
        return True


class Stage:
    """One stage of a turn: what happens, and which comes next."""

    def __init__(self, act: Callable[[Run, str], None], following: str) -> None:
        """Name the act and the stage behind it."""
        self.act = act
        self.next = following


def _begin(run: Run, country: str) -> None:
    number = run.state.round or 1
    run.add(TurnBegan(country=country, round=number))
    run.window(victory_trigger(run.state, "turn_begin"))


def _step(name: str) -> Callable[[Run, str], None]:
    def begin(run: Run, _country: str) -> None:
        run.add(StepBegan(step=name))
        run.window(victory_trigger(run.state, f"{name}_step_begin"))

    return begin


def _play(run: Run, country: str) -> None:
    run.enter(PlayStepFrame(country=country))


def _air_begin(run: Run, country: str) -> None:
    if run.state.total_war:
        _step("air")(run, country)


def _air(run: Run, country: str) -> None:
    if run.state.total_war:
        run.enter(AirStepFrame(country=country))


def _supply(run: Run, country: str) -> None:
    pieces = unsupplied(run.state, country)
    if pieces:
        run.enter(SupplyStepFrame(country=country, left=pieces))


def _victory_begin(run: Run, country: str) -> None:
    run.add(StepBegan(step="victory"))
    if scores(run.state, country):
        run.window(victory_trigger(run.state, "victory_step_begin"))
    else:
        frame = run.stack[-1]
        assert isinstance(frame, TurnFrame), frame
        run.replace(replace(frame, stage="minor"))


def _victory(run: Run, country: str) -> None:
    score_spaces(run, country)
    run.enter(BonusFrame(country=country))


def _victory_end(run: Run, _country: str) -> None:
    run.window(victory_trigger(run.state, "victory_step"))


def _minor(run: Run, country: str) -> None:
    minor = MINOR.get(country)
    if run.state.total_war and minor is not None and scores(run.state, minor):
        score_spaces(run, minor)


def _discard(run: Run, country: str) -> None:
    run.enter(DiscardStepFrame(country=country))


def _discard_end(run: Run, _country: str) -> None:
    run.window(victory_trigger(run.state, "discard_step"))


def _draw(run: Run, country: str) -> None:
    draw(run, country, HAND_SIZE - len(run.state.cards_of(country).hand))


def _end(run: Run, country: str) -> None:
    at = FORCE_INDEX[country]
    if at + 1 < len(COUNTRIES):
        run.replace(TurnFrame(country=COUNTRIES[at + 1], stage="begin"))
        return
    end_round(run)
    if run.state.outcome is None:
        run.replace(TurnFrame(country=COUNTRIES[0], stage="round"))


def _next_round(run: Run, country: str) -> None:
    run.add(TurnBegan(country=country, round=run.state.round + 1))
    run.window(victory_trigger(run.state, "turn_begin"))


STAGES: Final[Mapping[str, Stage]] = {
    "begin": Stage(_begin, "play-begin"),
    "round": Stage(_next_round, "play-begin"),
    "play-begin": Stage(_step("play"), "play"),
    "play": Stage(_play, "air-begin"),
    "air-begin": Stage(_air_begin, "air"),
    "air": Stage(_air, "supply-begin"),
    "supply-begin": Stage(_step("supply"), "supply"),
    "supply": Stage(_supply, "victory-begin"),
    "victory-begin": Stage(_victory_begin, "victory"),
    "victory": Stage(_victory, "victory-end"),
    "victory-end": Stage(_victory_end, "minor"),
    "minor": Stage(_minor, "discard-begin"),
    "discard-begin": Stage(_step("discard"), "discard"),
    "discard": Stage(_discard, "discard-end"),
    "discard-end": Stage(_discard_end, "draw-begin"),
    "draw-begin": Stage(_step("draw"), "draw"),
    "draw": Stage(_draw, "end"),
    "end": Stage(_end, "end"),
}
"""The skeleton of a turn (10.7)."""
