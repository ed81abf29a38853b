"""One sentence per fact for the log, and the heading of the screen; own words, with rule numbers where they help."""

from collections.abc import Callable, Mapping
from typing import Final, cast

from engine.eots.board import board
from engine.eots.counters import counters
from engine.eots.deck import cards
from engine.eots.events import battle, flow, movement, offensive, strategic, tracks, units
from engine.eots.events import cards as card_facts
from engine.eots.events.base import EotsEvent
from engine.eots.frames import CardPlayFrame, OffensiveFrame, Phase, TurnFrame
from engine.eots.ids import CHINA_BOX, CardId, HexId, Side, UnitId
from engine.eots.state import HIDDEN, State

SIDE_NAMES: Final = {Side.ALLIED: "Allied", Side.JAPAN: "Japan"}
SEASONS: Final = (
    "Dec 41",
    "Jan-Apr 42",
    "May-Aug 42",
    "Sep-Dec 42",
    "Jan-Apr 43",
    "May-Aug 43",
    "Sep-Dec 43",
    "Jan-Apr 44",
    "May-Aug 44",
    "Sep-Dec 44",
    "Jan-Apr 45",
    "May-Aug 45",
)
"""Months of the turns 1 to 12."""
STEP_NAMES: Final = {
    1: "activation",
    2: "movement",
    3: "battle declaration",
    4: "cancellation",
    5: "bonuses",
    6: "special reaction",
    7: "intelligence",
    8: "reaction",
    9: "attack cards",
    10: "before battle",
    11: "battles",
    12: "after battle",
    13: "post-battle movement",
    14: "emergency movement",
    15: "conclusion",
}
PHASE_NAMES: Final[Mapping[Phase, str]] = {
    Phase.REINFORCEMENT: "Reinforcements",
    Phase.REPLACEMENT: "Replacements",
    Phase.STRATEGIC_WARFARE: "Strategic warfare",
    Phase.DEAL: "Deal",
    Phase.INITIATIVE: "Initiative",
    Phase.OFFENSIVES: "Offensives",
    Phase.NATIONAL_STATUS: "National status",
    Phase.POLITICAL_WILL: "Political will",
    Phase.ATTRITION: "Attrition",
    Phase.END_OF_TURN: "End of turn",
}


def side_name(side: Side) -> str:
    """Return a side as the log names it."""
    return SIDE_NAMES[side]


def unit_name(unit: UnitId) -> str:
    """Return the full name of a counter."""
    return counters()[unit].name


def place_name(at: str) -> str:
    """Return a hex with its printed name, or the name of a place off the map."""
    if at == CHINA_BOX:
        return "the China box"
    row = board().hexes.get(HexId(at))
    if row is None:
        return at.replace("-", " ")
    return f"{at} {row.name}" if row.name else at


def card_name(card: CardId) -> str:
    """Return a card with its title; a hidden face is "a card"."""
    return "a card" if card == HIDDEN else f"{card} {cards()[card].title}"


_USES: Final[Mapping[str, str]] = {
    "oc": "as operations card",
    "china-offensive": "for a China offensive",
    "withdraw-hq": "to withdraw an HQ",
    "return-hq": "to bring an HQ back",
    "build-route": "to build a transport route",
    "end-rivalry": "to end inter-service rivalry",
}
"""What a card is used for; the others are played "as" what they are named."""
SHOWN_HEXES: Final = 4
"""Hexes that a sentence names before it counts the rest."""


def _places(hexes: tuple[HexId, ...]) -> str:
    shown = ", ".join(place_name(at) for at in hexes[:SHOWN_HEXES])
    return shown if len(hexes) <= SHOWN_HEXES else f"{shown} and {len(hexes) - SHOWN_HEXES} more"


def _counted(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


def _roll(event: tracks.DieRolled) -> str:
    modifier = f", modified by {event.modifier:+d}" if event.modifier else ""
    about = f" for {event.about}" if event.about else ""
    return f"{side_name(event.side)} rolls {event.face}{modifier} ({event.purpose}{about}, {event.rule})"


def _combat(event: battle.AirNavalRolled | battle.GroundRolled, part: str) -> str:
    parts = ", ".join(f"{line.label} {line.value:+d}" for line in event.modifiers)
    shown = f" [{parts}]" if parts else ""
    return (
        f"{place_name(event.at)}, {part}: {side_name(event.side)} strength {event.total}, die {event.face}{shown}: "
        f"{event.hits} hits"
    )


def _control(event: units.ControlChanged) -> str:
    return f"{side_name(event.side)} now controls {_places(event.hexes)} ({event.rule})"


def _dealt(event: card_facts.CardsDealt) -> str:
    passes = f" and {_counted(event.passes, 'pass', 'passes')}" if event.passes else ""
    return f"{side_name(event.side)} is dealt {_counted(len(event.cards), 'card', 'cards')}{passes}"


def _began(event: offensive.OffensiveBegan) -> str:
    kind = "event" if event.event else "operations card"
    return f"{side_name(event.side)} opens an offensive with {card_name(event.card)} ({kind}, value {event.ov})"


def _moved(event: offensive.UnitMoved) -> str:
    steps = _counted(len(event.entered), "hex", "hexes")
    return f"{unit_name(event.unit)} moves to {place_name(event.entered[-1])} ({steps})"


SENTENCES: Final = cast(
    "Mapping[type[EotsEvent], Callable[[EotsEvent], str]]",
    {
        flow.GameStarted: lambda e: (
            f"Scenario {e.position.scenario} begins on turn {e.position.turn}"
        ),
        flow.TurnBegan: lambda e: f"Turn {e.turn}, {SEASONS[e.turn - 1]}, begins",
        flow.GameEnded: lambda e: f"The game is over: {e.outcome.reason}",
        units.UnitPlaced: lambda e: (
            f"{unit_name(e.unit)} is placed in {place_name(e.at)} ({e.rule})"
        ),
        units.StepLost: lambda e: f"{unit_name(e.unit)} loses a step ({e.rule})",
        units.StepGained: lambda e: f"{unit_name(e.unit)} is restored ({e.rule})",
        units.UnitEliminated: lambda e: f"{unit_name(e.unit)} is eliminated ({e.rule})",
        units.UnitRemoved: lambda e: f"{unit_name(e.unit)} leaves the game ({e.rule})",
        units.UnitScheduled: lambda e: (
            f"{unit_name(e.unit)} goes to the turn track, turn {e.turn} ({e.rule})"
        ),
        units.UnitBoxed: lambda e: f"{unit_name(e.unit)} is delayed ({e.rule})",
        units.ControlChanged: _control,
        card_facts.CardsDealt: _dealt,
        card_facts.CardDrawn: lambda e: f"{side_name(e.side)} draws {card_name(e.card)} ({e.rule})",
        card_facts.CardPlayed: lambda e: (
            f"{side_name(e.side)} plays {card_name(e.card)} {_USES.get(e.use) or f'as {e.use}'}"
        ),
        card_facts.CardDiscarded: lambda e: f"{side_name(e.side)} discards {card_name(e.card)}",
        card_facts.CardSettled: lambda e: (
            f"{card_name(e.card)} leaves the game ({e.rule})" if e.removed else ""
        ),
        card_facts.FuturePlaced: lambda e: (
            f"{side_name(e.side)} places {card_name(e.card)} for a future offensive"
        ),
        card_facts.DeckReshuffled: lambda e: (
            f"{side_name(e.side)} reshuffles the discards ({e.rule})"
        ),
        card_facts.PassUsed: lambda e: f"{side_name(e.side)} passes",
        card_facts.CardTakenBack: lambda e: (
            f"{side_name(e.side)} takes {card_name(e.card)} back (CP-04)"
        ),
        offensive.OffensiveBegan: _began,
        offensive.HqChosen: lambda e: (
            f"{unit_name(e.hq)} commands: up to {_counted(e.limit, 'unit', 'units')}"
        ),
        offensive.UnitActivated: lambda e: f"{side_name(e.side)} activates {unit_name(e.unit)}",
        offensive.UnitMoved: _moved,
        offensive.ZoiTouched: lambda e: (
            f"{unit_name(e.unit)} is seen in enemy air range at {place_name(e.at)} (7.25E)"
        ),
        offensive.AspSpent: lambda e: (
            f"{side_name(e.side)} spends {_counted(e.points, 'shipping point', 'shipping points')}"
        ),
        offensive.BattleDeclared: lambda e: (
            f"Battle in {place_name(e.at)}"
            + (" by special reaction (7.27)" if e.special else " (7.24)")
        ),
        offensive.UnitJoined: lambda e: (
            f"{unit_name(e.unit)} joins the battle in {place_name(e.at)}"
        ),
        offensive.UnitCovers: lambda e: (
            f"{unit_name(e.unit)} covers the landing in {place_name(e.at)}"
        ),
        offensive.SpecialReactionTried: lambda e: (
            f"Special reaction to {place_name(e.at)} {'succeeds' if e.success else 'fails'}"
        ),
        offensive.ConditionSet: lambda e: f"The condition is now {e.condition} ({e.rule})",
        offensive.IntelligenceRolled: lambda e: (
            f"The intelligence roll {'succeeds' if e.success else 'fails'}"
        ),
        offensive.OffensiveCancelled: lambda e: (
            f"The offensive is cancelled; everything returns ({e.rule})"
        ),
        offensive.OffensiveEnded: lambda _: "The offensive is over",
        offensive.UnitsExpelled: lambda e: (
            f"{', '.join(unit_name(unit) for unit in e.units)} must leave the beaches ({e.rule})"
        ),
        offensive.RetreatOrdered: lambda e: (
            f"{', '.join(unit_name(unit) for unit in e.units)} must retreat from {place_name(e.at)} ({e.rule})"
        ),
        tracks.DieRolled: _roll,
        tracks.PoliticalWillMoved: lambda e: f"US Political Will is now {e.to} ({e.rule})",
        tracks.WarInEuropeMoved: lambda e: f"War in Europe is now {e.to:+d} ({e.rule})",
        tracks.ChinaFrontMoved: lambda e: (
            f"Chinese front: {e.to.name.replace('_', ' ').lower().replace('chungking', 'Chungking')} ({e.rule})"
        ),
        tracks.ChinaOffensiveTried: lambda e: (
            f"The China offensive {'succeeds' if e.success else 'fails'} (13.72)"
        ),
        tracks.DivisionsLeftChina: lambda e: (
            f"{_counted(e.count, 'division leaves', 'divisions leave')} China (11.23)"
        ),
        tracks.IndiaMoved: lambda e: f"India: {e.to.name.lower()} ({e.rule})",
        tracks.RivalrySet: lambda e: (
            f"{side_name(e.side)}: {'inter-service rivalry' if e.rivalry else 'strategic agreement'} ({e.rule})"
        ),
        tracks.AspLevelChanged: lambda e: (
            f"{side_name(e.side)} now has {_counted(e.level, 'shipping point', 'shipping points')} ({e.rule})"
        ),
        tracks.EscortsSet: lambda e: f"Japanese escorts now count +{e.level} ({e.rule})",
        tracks.NationSurrendered: lambda e: (
            f"{e.nation.replace('-', ' ').title()} surrenders (13.1)"
        ),
        tracks.NationRecaptured: lambda e: (
            f"{e.nation.replace('-', ' ').title()} is recaptured (13.1)"
        ),
        strategic.SubmarineWarfareResolved: lambda e: (
            f"Submarine warfare: {'Japan draws a card less' if e.success else 'no effect'} (12.21)"
        ),
        strategic.ReinforcementsDelayed: lambda e: (
            f"The Allied reinforcements of turn {e.turn} are delayed ({e.rule})"
        ),
        strategic.GroundStepsCut: lambda e: (
            f"The Allies lose {_counted(e.steps, 'ground replacement step', 'ground replacement steps')}"
            f" of turn {e.turn} ({e.rule})"
        ),
        tracks.BombingResolved: lambda e: (
            f"{unit_name(e.unit)} bombs Japan: {'success' if e.success else 'no effect'} (12.3)"
        ),
        tracks.RouteBuilt: lambda e: (
            f"A transport route is built through {place_name(e.at)} ({e.rule})"
        ),
        tracks.MarkerSet: lambda e: (
            f"{e.marker.replace('-', ' ').title()}: {'on' if e.on else 'off'} ({e.rule})"
        ),
        tracks.TokyoExpressMoved: lambda e: (
            "The Tokyo Express is gone"
            if e.at is None
            else f"The Tokyo Express serves {place_name(e.at)}"
        ),
        battle.BattleBegan: lambda e: (
            f"Battle of {place_name(e.at)}: {_counted(len(e.units), 'unit takes', 'units take')} part"
        ),
        battle.BattleCancelled: lambda e: (
            f"The battle of {place_name(e.at)} does not take place ({e.rule})"
        ),
        battle.AirNavalRolled: lambda e: (
            _combat(e, "air-naval") + (" (critical)" if e.critical else "")
        ),
        battle.GroundRolled: lambda e: _combat(e, "ground"),
        battle.IntrinsicLost: lambda e: (
            f"{_counted(e.count, 'garrison unit of', 'garrison units of')} {place_name(e.at)}"
            f" {'is' if e.count == 1 else 'are'} lost ({e.rule})"
        ),
        battle.AirNavalDecided: lambda e: (
            f"{side_name(e.winner)} wins the air-naval combat, {e.offensive_total} to {e.reaction_total} ({e.rule})"
        ),
        battle.GroundDecided: lambda e: f"{side_name(e.winner)} wins the ground combat ({e.rule})",
        strategic.MandatesGained: lambda e: (
            f"{side_name(e.side)} holds the Mandates from now on (13.84)"
        ),
        movement.ActivationLost: lambda e: (
            f"{unit_name(e.unit)} can reach no battle and stands down ({e.rule})"
        ),
    },
)
"""Facts that the log tells; the others keep the books."""


def describe(event: EotsEvent) -> str:
    """Return the log sentence of a fact, empty when it only keeps the books."""
    sentence = SENTENCES.get(type(event))
    return "" if sentence is None else sentence(event)


def turn(state: State) -> str:
    """Return number and season of the turn."""
    return f"T{state.turn} {SEASONS[state.turn - 1]}"


def heading(state: State) -> str:
    """Return where the game stands: turn, segment, step of the offensive, whose play."""
    if state.outcome is not None:
        return f"Game over: {state.outcome.reason}"
    if not state.frames:
        return "No game"
    where = turn(state)
    for frame in reversed(state.frames):
        match frame:
            case OffensiveFrame(step=step) if state.offensive is not None:
                owner = side_name(state.offensive.side)
                return f"{where} | {owner} offensive, {state.offensive.card}, step {step}: {STEP_NAMES[step]}"
            case CardPlayFrame(side=side):
                return f"{where} | Offensives: {side_name(side)} to play"
            case TurnFrame(phase=phase):
                return f"{where} | {PHASE_NAMES[phase]}"
            case _:
                continue
    return where
