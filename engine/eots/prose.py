"""The log sentence for each event, and the screen heading. Rule numbers are included where they help."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from engine.eots.board import board
from engine.eots.cards.losses import losses_by_face
from engine.eots.ch09_battle.air_naval import FLIERS
from engine.eots.counters import counters
from engine.eots.deck import cards as deck
from engine.eots.deck_offensive import StepLossRoll
from engine.eots.events import battle, cards, flow, offensive, tracks, units
from engine.eots.events.base import EotsEvent
from engine.eots.frames import CardPlayFrame, EventFrame, OffensiveFrame, Phase, TurnFrame
from engine.eots.ids import CHINA_BOX, CardId, HexId, Side, UnitId
from engine.eots.scenarios import scenario
from engine.eots.state import HIDDEN, State
from engine.kernel.ids import Rule
from engine.kernel.sentences import Plural, SentenceFormatter

SIDES: Final = {Side.ALLIED: Plural("The Allies"), Side.JAPAN: "Japan"}
"""The sides' names at the beginning of a sentence."""
_OWNERS: Final = {Side.ALLIED: "Allied", Side.JAPAN: "Japan"}
"""The sides' names before the word "strength"."""
ADJECTIVES: Final = {Side.ALLIED: "Allied", Side.JAPAN: "Japanese"}
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
"""Months covered by turns 1 to 12."""
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


def unit_name(unit: UnitId) -> str:
    """Return a counter's full name."""
    return counters()[unit].name


def place_name(place: str) -> str:
    """Return a hex number with its printed name. For any other place, return the place's name."""
    if place == CHINA_BOX:
        return "the China box"
    row = board().hexes.get(HexId(place))
    if row is None:
        return place.replace("-", " ")
    return f"{place} {row.name}" if row.name else place


def card_name(card: CardId) -> str:
    """Return a card's id and title, or "a card" if its face is hidden."""
    return "a card" if card == HIDDEN else f"{card} {deck()[card].title}"


_USES: Final[Mapping[str, str]] = {
    "oc": "as an operations card",
    "china-offensive": "for a China offensive",
    "withdraw-hq": "to withdraw an HQ",
    "return-hq": "to bring an HQ back",
    "build-route": "to build a transport route",
    "end-rivalry": "to end inter-service rivalry",
    "lost": "as an event, because the enemy took it",
}
"""Descriptions of how cards are used. A use without an entry is described by its name after "as a" or "as an"."""
DISCARD: Final = Rule("4.22")
"""Rule cited for a discard that counts as a play."""
SHOWN_HEXES: Final = 4
"""Maximum number of hexes that a sentence names. Further hexes are only counted."""


def _places(hexes: tuple[HexId, ...]) -> str:
    names = ", ".join(place_name(hex_id) for hex_id in hexes[:SHOWN_HEXES])
    return names if len(hexes) <= SHOWN_HEXES else f"{names} and {len(hexes) - SHOWN_HEXES} more"


_NATIONS: Final[dict[str, str]] = {
    "philippines": Plural("The Philippines"),
    "dutch-east-indies": Plural("The Dutch East Indies"),
}
"""Names of nations. Any other nation's name is its id in title case."""

_FORMATTER: Final = SentenceFormatter(
    {
        "at": place_name,
        "card": card_name,
        "hexes": _places,
        "hq": unit_name,
        "nation": lambda nation: _NATIONS.get(nation, nation.replace("-", " ").title()),
        "side": SIDES.__getitem__,
        "unit": unit_name,
        "units": lambda units: ", ".join(map(unit_name, units)),
        "winner": SIDES.__getitem__,
    }
).fill
"""Fills the fields of a sentence. A field with the same name has the same format in every sentence."""


_GROUND_COMBAT: Final = "9.4"
_PURPOSES: Final[Mapping[str, str]] = {
    "special-reaction": "special reaction",
    "china": "China offensive",
    "europe": "War in Europe",
    "submarine": "submarine warfare",
    "bombing": "strategic bombing",
}
"""Descriptions of rolls. For any other roll, the log shows the purpose's id."""


def _describe_die_rolled(event: tracks.DieRolled) -> str:
    modifier = f", modified by {event.modifier:+d}" if event.modifier else ""
    needed_text = "" if event.needed is None else f"; {event.needed} or less succeeds"
    purpose = _PURPOSES.get(event.purpose, event.purpose)
    if event.purpose in deck():
        purpose = card_name(CardId(event.purpose))
    if event.about:
        purpose += f" for {unit_name(UnitId(event.about)) if event.about in counters() else place_name(event.about)}"
    return _FORMATTER(
        f"{{side:rolls|roll}} {event.face}{modifier}{needed_text} ({purpose}, {event.rule}){_cost(event)}",
        event,
    )


def _cost(event: tracks.DieRolled) -> str:
    """Return the step losses caused by a card's roll, or an empty string for any other roll (C3.6)."""
    card = deck().get(CardId(event.purpose))
    for step in card.effects if card is not None else ():
        if isinstance(step, StepLossRoll):
            steps = losses_by_face(step).result(event.face)
            return f": {steps} step{'' if steps == 1 else 's'}" if steps else ": no effect"
    return ""


def _describe_combat_roll(event: battle.CombatRoll) -> str:
    parts = ", ".join(f"{line.label} {line.value:+d}" for line in event.modifiers)
    modifiers_text = f" [{parts}]" if parts else ""
    part = "ground" if isinstance(event, battle.GroundRolled) else "air-naval"
    critical = " (critical)" if isinstance(event, battle.AirNavalRolled) and event.critical else ""
    return _FORMATTER(
        f"{{at}}, {part}: {_OWNERS[event.side]} strength {{total}}, die {{face}}{modifiers_text}: "
        f"{{hits:hit|hits}}{critical}",
        event,
    )


def _describe_air_naval_decided(event: battle.AirNavalDecided) -> str:
    """Return a sentence with the winner, the totals and the rule.

    The winner's total is first, unless aircraft decide (9.3).
    """
    low_total, high_total = sorted((event.offensive_total, event.reaction_total))
    if event.rule == FLIERS:
        return _FORMATTER(
            f"{{winner:wins|win}} the air-naval combat, {low_total} to {high_total}, "
            "with the only aircraft left ({rule})",
            event,
        )
    return _FORMATTER(
        f"{{winner:wins|win}} the air-naval combat, {high_total} to {low_total} ({{rule}})", event
    )


NATIONS_WILL: Final = Rule("16.41")
WILL: Final = {
    "16.41": "a nation surrenders or returns",
    "16.42": "Japan holds on in Alaska or Hawaii",
    "16.43": "strategic success",
    "16.44": "strategic bombing",
    "16.45": "US casualties",
    "16.46": "no US carriers on the map",
    "16.47": "no progress of the war",
}
"""Reasons for changes in Political Will, by rule. For a card event, the log names the card instead."""


def will_cause(event: tracks.NationSurrendered | tracks.NationRecaptured) -> str:
    """Return the reason why Political Will changes after a surrender or recapture: "Malaya surrenders" (16.41)."""
    return describe(event).removesuffix(" (13.1)")


def _describe_political_will_moved(event: tracks.PoliticalWillMoved) -> str:
    card = CardId(event.rule)
    if card in deck():
        return f"US Political Will is now {event.to} ({card_name(card)})"
    cause_text = f": {WILL[event.rule]}" if event.rule in WILL else ""
    return f"US Political Will is now {event.to} ({event.rule}){cause_text}"


def _describe_card_played(event: cards.CardPlayed) -> str:
    prefix = "the future offensives card " if event.future else ""
    use = _USES.get(event.use) or f"as {'an ' if event.use == 'event' else 'a '}{event.use}"
    return _FORMATTER(f"{{side:plays|play}} {prefix}{{card}} {use}", event)


def _describe_frame_replaced(event: flow.FrameReplaced) -> str:
    """Return the heading if a segment is beginning, otherwise an empty string (4.0)."""
    frame = event.frame
    if not isinstance(frame, TurnFrame) or not frame.entered or frame.phase is Phase.INITIATIVE:
        return ""
    return f"{PHASE_NAMES[frame.phase]}:"


def _describe_cards_dealt(event: cards.CardsDealt) -> str:
    passes = _FORMATTER(" and {passes:pass|passes}", event) if event.passes else ""
    number = len(event.cards)
    if not number and not event.passes:
        return ""
    return _FORMATTER(
        f"{{side:is|are}} dealt {number} card{'s' if number != 1 else ''}{passes}", event
    )


def _describe_unit_moved(event: offensive.UnitMoved) -> str:
    number = len(event.entered)
    steps = f"{number} hex{'es' if number != 1 else ''}"
    return f"{unit_name(event.unit)} moves to {place_name(event.entered[-1])} ({steps})"


def _describe_battle_began(event: battle.BattleBegan) -> str:
    number = len(event.units)
    return f"Battle of {place_name(event.at)}: {number} unit{' takes' if number == 1 else 's take'} part"


_MARKS: Final[Mapping[tracks.Marker, tuple[str, str]]] = {
    "barges": ("Japanese barges run", "Japanese barges are no longer available"),
    "defence-doctrine": ("The Japanese islands are fortified", "The fortifications are gone"),
    "hump": ("The airlift over the Hump is open", "The airlift over the Hump is closed"),
    "interceptors": (
        "High-altitude interceptors guard Japan",
        "High-altitude interceptors are gone",
    ),
    "kwai-bridge": (
        "The bridge on the River Kwai is built",
        "The bridge on the River Kwai is gone",
    ),
    "pt-boats": ("PT boats patrol", "PT boats no longer patrol"),
    "soviet-invasion": ("The Soviets are in Manchuria", "The Soviets have left Manchuria"),
    "tojo-resigned": ("Tojo has resigned", "Tojo is in office"),
}
"""Text for each lasting marker when it is set and when it is removed."""


def _describe_china_front_moved(event: tracks.ChinaFrontMoved) -> str:
    box = event.to.name.replace("_", " ").lower().replace("chungking", "Chungking")
    return f"Chinese front: {box} ({event.rule})"


SENTENCES: Final[Mapping[type[EotsEvent], str | Callable[[Any], str]]] = {
    flow.GameStarted: lambda event: (
        f"Scenario {scenario(event.position.scenario).name} begins: "
        f"turn {event.position.turn}, {SEASONS[event.position.turn - 1]}"
    ),
    flow.TurnBegan: lambda event: f"Turn {event.turn}, {SEASONS[event.turn - 1]}, begins",
    flow.FrameReplaced: _describe_frame_replaced,
    flow.GameEnded: "The game is over: {outcome.reason}",
    units.UnitPlaced: "{unit} is placed in {at} ({rule})",
    units.StepLost: "{unit} loses a step ({rule})",
    units.StepGained: "{unit} is restored ({rule})",
    units.UnitEliminated: "{unit} is eliminated ({rule})",
    units.UnitRemoved: "{unit} leaves the game ({rule})",
    units.UnitScheduled: "{unit} goes to the turn track, turn {turn} ({rule})",
    units.UnitBoxed: "{unit} is delayed ({rule})",
    units.ControlChanged: "{side:now controls|now control} {hexes} ({rule})",
    cards.CardsDealt: _describe_cards_dealt,
    cards.CardDrawn: "{side:draws|draw} {card} ({rule})",
    cards.CardPlayed: _describe_card_played,
    cards.CardDiscarded: lambda event: (
        _FORMATTER("{side:discards|discard} {card}", event)
        + ("" if event.rule == DISCARD else f" ({event.rule})")
    ),
    cards.CardReclaimed: "{side:takes|take} {card} from the discard pile ({rule})",
    cards.CardSettled: lambda event: (
        _FORMATTER("{card} leaves the game ({rule})", event) if event.removed else ""
    ),
    cards.FuturePlaced: "{side:places|place} {card} for a future offensive",
    cards.DeckReshuffled: "{side:reshuffles|reshuffle} the discards ({rule})",
    cards.DrawPileAdded: "{side:shuffles|shuffle} the discards into a draw pile for later ({rule})",
    cards.PassUsed: "{side:passes|pass}",
    cards.CardTakenBack: "{side:takes|take} {card} back (CP-04)",
    offensive.OffensiveBegan: "{side:opens|open} an offensive with {card} ({event:event|operations card}, value {ov})",
    offensive.HqChosen: "{hq} may activate up to {limit:unit|units}",
    offensive.UnitActivated: "{side:activates|activate} {unit}",
    offensive.UnitMoved: _describe_unit_moved,
    offensive.ZoiTouched: "{unit} enters enemy air range at {at} (7.25E)",
    offensive.AspSpent: "{side:spends|spend} {points:shipping point|shipping points}",
    offensive.BattleDeclared: "Battle in {at} {special:by special reaction (7.27)|(7.24)}",
    offensive.UnitJoined: "{unit} joins the battle in {at}",
    offensive.UnitCovers: "{unit} covers the landing in {at}",
    offensive.SpecialReactionTried: "Special reaction to {at} {success:succeeds|fails}",
    offensive.ConditionSet: "The intelligence condition is now {condition} ({rule})",
    offensive.IntelligenceRolled: "The intelligence roll {success:succeeds|fails}",
    offensive.OffensiveCancelled: "The offensive is cancelled and everything is undone ({rule})",
    offensive.OffensiveEnded: "The offensive is over",
    offensive.UnitsExpelled: "{units} must leave the beaches ({rule})",
    offensive.RetreatOrdered: "{units} must retreat from {at} ({rule})",
    offensive.ActivationTakenBack: "{unit} goes back to {at}; its activation is undone ({rule})",
    offensive.LossTargetsFixed: "One of {units} will lose a step ({rule})",
    offensive.ActivationLost: "{unit} can reach no battle and stands down ({rule})",
    tracks.DieRolled: _describe_die_rolled,
    tracks.PoliticalWillMoved: _describe_political_will_moved,
    tracks.WarInEuropeMoved: "War in Europe: {to:+d} ({rule})",
    tracks.ChinaFrontMoved: _describe_china_front_moved,
    tracks.ChinaOffensiveTried: "The China offensive {success:succeeds|fails} (13.72)",
    tracks.DivisionsLeftChina: "{count:division leaves|divisions leave} China (11.23)",
    tracks.IndiaMoved: lambda event: f"India: {event.to.name.lower()} ({event.rule})",
    tracks.RivalrySet: "{side:is|are} {rivalry:under|free of} inter-service rivalry ({rule})",
    tracks.AspLevelChanged: "{side:now has|now have} {level:shipping point|shipping points} ({rule})",
    tracks.EscortsSet: "Japanese escorts now count +{level} ({rule})",
    tracks.NationSurrendered: "{nation:surrenders|surrender} (13.1)",
    tracks.NationRecaptured: "{nation:is|are} recaptured (13.1)",
    tracks.SubmarineWarfareResolved: "Submarine warfare: {success:Japan draws one card fewer|no effect} (12.21)",
    tracks.ReinforcementsDelayed: "Allied reinforcements in turn {turn} are delayed ({rule})",
    tracks.GroundStepsCut: (
        "The Allies lose {steps:ground replacement step|ground replacement steps} of turn {turn} ({rule})"
    ),
    tracks.JapanPointsSet: (
        "Japan now has {naval:naval replacement point|naval replacement points} "
        "and {air:air replacement point|air replacement points} (11.2)"
    ),
    tracks.BombingResolved: "{unit} bombs Japan: {success:success|no effect} (12.3)",
    tracks.RouteBuilt: "A transport route is built through {at} ({rule})",
    tracks.MarkerSet: lambda event: f"{_MARKS[event.marker][0 if event.on else 1]} ({event.rule})",
    tracks.TokyoExpressMoved: lambda event: (
        _FORMATTER("The Tokyo Express serves {at}", event)
        if event.at
        else "The Tokyo Express is gone"
    ),
    tracks.MandatesGained: "{side:holds|hold} the Mandates from now on (13.84)",
    battle.BattleBegan: _describe_battle_began,
    battle.BattleCancelled: "The battle of {at} does not take place ({rule})",
    battle.AirNavalRolled: _describe_combat_roll,
    battle.GroundRolled: _describe_combat_roll,
    battle.HitsLost: lambda event: (
        _FORMATTER("{side:has|have} {hits:hit|hits} left at {at} without a target: ", event)
        + (
            "the next step costs more (9.4B)"
            if event.rule == _GROUND_COMBAT
            else "the next step costs more, or no friendly aircraft is left to match it (9.2F)"
        )
    ),
    battle.IntrinsicLost: lambda event: (
        _FORMATTER("{count:garrison unit|garrison units} of {at} ", event)
        + f"{'is' if event.count == 1 else 'are'} lost ({event.rule})"
    ),
    battle.AirNavalDecided: _describe_air_naval_decided,
    battle.GroundDecided: "{winner:wins|win} the ground combat ({rule})",
}
"""The log sentence for each type of event. Types that are missing do not appear in the log."""


def describe(event: EotsEvent) -> str:
    """Return the log sentence for an event; an empty string if the event does not appear in the log."""
    sentence = SENTENCES.get(type(event), "")
    return _FORMATTER(sentence, event) if isinstance(sentence, str) else sentence(event)


def turn_name(state: State) -> str:
    """Return the turn's number and season."""
    return f"T{state.turn} {SEASONS[state.turn - 1]}"


def heading(state: State) -> str:
    """Return the turn, followed by the offensive's step, the side to play, or the segment."""
    if state.outcome is not None:
        return f"Game over: {state.outcome.reason}"
    if not state.frames:
        return "No game"
    segment_text = turn_name(state)
    for frame in reversed(state.frames):
        match frame:
            case OffensiveFrame(step=step) if state.offensive is not None:
                owner = ADJECTIVES[state.offensive.side]
                return f"{segment_text} | {owner} offensive, {state.offensive.card}, step {step}: {STEP_NAMES[step]}"
            case EventFrame(card=card) if state.offensive is None:
                return f"{segment_text} | {ADJECTIVES[deck()[card].side]} event, {card}"
            case CardPlayFrame(side=side):
                return f"{segment_text} | Offensives: {SIDES[side]} to play"
            case TurnFrame(phase=phase):
                return f"{segment_text} | {PHASE_NAMES[phase]}"
            case _:
                continue
    return segment_text
