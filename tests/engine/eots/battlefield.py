"""Sets up battles for rule tests in step 11, and runs the frames of chapter 9."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from msgspec.structs import replace

from engine.eots.ch09_battle.battle import HANDLERS
from engine.eots.ch09_battle.participants import participants
from engine.eots.commands import EotsCommand
from engine.eots.counters import counters
from engine.eots.events.base import EotsEvent
from engine.eots.evolve import evolve
from engine.eots.flow import EotsRun, Handler
from engine.eots.frames import BattleFrame, BattlesFrame, Frame, HitsFrame, RetreatFrame
from engine.eots.ids import CardId, HexId, Side, UnitId
from engine.eots.state import BattleHex, Condition, Mode, Moved, Reaction, State
from engine.kernel.decision import Decision
from engine.kernel.dice import Dice, ScriptedDice
from tests.engine.actions import check_actions
from tests.engine.eots.positions import Place, in_offensive, position, with_tracks

_HANDLERS: dict[type[Any], Handler[Any]] = {handler.frame: handler for handler in HANDLERS}
_LIMIT = 1_000


class Fight(NamedTuple):
    """Result of a run."""

    state: State
    events: tuple[EotsEvent, ...]
    questions: tuple[Decision[EotsCommand], ...]

    def steps(self, unit: str) -> int:
        """Return the steps of a unit."""
        return self.state.units[UnitId(unit)].steps

    def first(self, kind: type[Any], **fields: object) -> Any:  # noqa: ANN401  # any kind of fact
        """Return the first event of a type with these fields."""
        return next(
            event
            for event in self.events
            if isinstance(event, kind)
            and all(getattr(event, name) == value for name, value in fields.items())
        )

    def all(self, kind: type[Any]) -> tuple[Any, ...]:
        """Return the events of a type."""
        return tuple(event for event in self.events if isinstance(event, kind))


def landing(at: str, came_from: str, mode: Mode = Mode.ASP, ship: str | None = None) -> Moved:
    """Return the recorded move of a unit that landed."""
    return Moved(
        mode=mode,
        origin=came_from,
        path=(HexId(at),),
        entered_from=came_from,
        ship=None if ship is None else UnitId(ship),
    )


def march(at: str, came_from: str) -> Moved:
    """Return the recorded move of a unit that came overland."""
    return Moved(mode=Mode.GROUND, origin=came_from, path=(HexId(at),), entered_from=came_from)


def field(
    units: Mapping[str, Place],
    off: Side,
    at: str = "2812",
    *,
    idle: Iterable[str] = (),
    reacting: Iterable[str] = (),
    joined: Mapping[str, str] | None = None,
    moved: Mapping[str, Moved] | None = None,
    condition: Condition = Condition.INTERCEPT,
    turn: int = 2,
    card: str = "",
    event: bool = False,
    reaction_events: Iterable[str] = (),
    contested: bool = False,
    japan: Iterable[str] = (),
    allied: Iterable[str] = (),
    options: Mapping[str, str] | None = None,
    battles: Mapping[str, BattleHex] | None = None,
    **tracks: object,
) -> State:
    """Return a position in step 11 with one battle hex, or with the given battle hexes.

    Args:
        units: Units by id with their places; every unit of the Offensive player is active except the idle ones.
        off: The Offensive player.
        at: The battle hex.
        idle: Inactive units of the Offensive player.
        reacting: Activated units of the Reaction player.
        joined: Battle hex by unit, for units outside.
        moved: Moves of the offensive.
        condition: The intelligence condition.
        turn: Game turn.
        card: The offensive card.
        event: True if the card was played as an event.
        reaction_events: Reaction cards played as events.
        contested: True if the landing in the hex is contested.
        japan: Hexes under Japanese control.
        allied: Hexes under Allied control.
        options: Rulings.
        battles: Battle hexes, instead of only `at`.
        tracks: Fields of the tracks.
    """
    state = with_tracks(position(units, japan=japan, allied=allied, options=options), **tracks)
    active = [u for u in units if counters()[UnitId(u)].side is off and u not in set(idle)]
    state = in_offensive(
        state, off, card=card, event=event, activated=active, reacting=reacting, step=11
    )
    assert state.offensive is not None
    hexes = battles or {at: BattleHex(contested_landing=contested)}
    offensive = replace(
        state.offensive,
        condition=condition,
        joined={UnitId(u): HexId(h) for u, h in (joined or {}).items()},
        moved={UnitId(u): m for u, m in (moved or {}).items()},
        battles={HexId(h): battle for h, battle in hexes.items()},
        reaction=replace(
            state.offensive.reaction, events=tuple(CardId(c) for c in reaction_events)
        ),
    )
    assert isinstance(offensive.reaction, Reaction)
    return replace(state, offensive=offensive, turn=turn)


def fight(
    state: State,
    *faces: int,
    answers: Iterable[EotsCommand] = (),
    dice: Dice | None = None,
) -> Fight:
    """Return the result of all battles. Questions without a given answer take their default."""
    return run(state, (BattlesFrame(),), frozenset(_HANDLERS), ScriptedDice(*faces), answers, dice)


def assign(state: State, hits: HitsFrame, *, answers: Iterable[EotsCommand] = ()) -> Fight:
    """Return the result of one set of hits, without continuing the battle."""
    battle = BattleFrame(hex=hits.hex, begun=True)
    kinds = frozenset({HitsFrame})
    return run(state, (battle, hits), kinds, ScriptedDice(), answers)


def resume(
    state: State,
    battle: BattleFrame,
    *faces: int,
    answers: Iterable[EotsCommand] = (),
) -> Fight:
    """Return the result of a battle that is already in progress, with the participants from the position."""
    units = participants(state, battle.hex)
    frame = replace(
        battle,
        begun=True,
        participants=units,
        places=tuple(state.units[unit].at for unit in units),
    )
    kinds = frozenset({BattleFrame, HitsFrame})
    return run(state, (frame,), kinds, ScriptedDice(*faces), answers)


def retreat(state: State, *, answers: Iterable[EotsCommand] = ()) -> Fight:
    """Return the result of the retreats of step 13."""
    assert state.offensive is not None
    frame = RetreatFrame(waiting=tuple(sorted(state.offensive.retreats)))
    return run(state, (frame,), frozenset({RetreatFrame}), ScriptedDice(), answers)


def run(
    state: State,
    frames: tuple[Frame, ...],
    kinds: frozenset[type[Any]],
    scripted: ScriptedDice,
    answers: Iterable[EotsCommand],
    dice: Dice | None = None,
) -> Fight:
    """Run the handlers of these frames until another frame is on top."""
    ledger = EotsRun(state, evolve, dice or scripted)
    for frame in frames:
        ledger.push(frame)
    script = list(answers)
    questions: list[Decision[EotsCommand]] = []
    for _ in range(_LIMIT):
        top = ledger.state.frames[-1]
        if type(top) not in kinds:
            assert not script, f"never asked for {script}"
            assert scripted.faces_left == 0, "faces are left over"
            return Fight(ledger.state, ledger.events, tuple(questions))
        handler = _HANDLERS[type(top)]
        asked = handler.active_roles(ledger.state, top)
        if not asked:
            handler.step(ledger, top)
            continue
        (side,) = asked
        question = handler.decision(ledger.state, top, side)
        check_question(handler, ledger.state, top, side, question)
        questions.append(question)
        command = script.pop(0) if script else question.default
        assert command in question.options, (command, question.options)
        handler.resolve(ledger, top, side, command)
    raise AssertionError("the battle does not end")


def check_question(
    handler: Handler[Any], state: State, frame: Frame, side: Side, question: Decision[EotsCommand]
) -> None:
    """Check the invariants of every question."""
    assert question.role == side.value
    assert state.frames[-1] is frame
    check_actions(handler, state, side)
