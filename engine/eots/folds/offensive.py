"""Fold the facts about an offensive."""

from typing import Final

from msgspec.structs import replace

from engine.eots.events import offensive as facts
from engine.eots.folds.units import with_piece
from engine.eots.ids import Side
from engine.eots.state import BattleHex, Offensive, Piece, Snapshot, State, current


def offensive_began(state: State, event: facts.OffensiveBegan) -> State:
    """Open the record with what a cancellation would restore."""
    before = Snapshot(
        units=state.units, control=state.control, arrivals=state.arrivals, tracks=state.tracks
    )
    record = Offensive(
        side=event.side,
        card=event.card,
        event=event.event,
        ov=event.ov,
        lv=event.lv,
        iv=event.iv,
        special_iv=event.special_iv,
        naval_move=event.naval_move,
        locked=event.locked,
        from_future=event.from_future,
        before=before,
    )
    return replace(state, offensive=record)


def hq_chosen(state: State, event: facts.HqChosen) -> State:
    """Name the HQ of the offensive or of the reaction."""
    record = current(state)
    if event.side is record.side:
        return replace(state, offensive=replace(record, hq=event.hq, limit=event.limit))
    reaction = replace(record.reaction, hq=event.hq, limit=event.limit)
    return replace(state, offensive=replace(record, reaction=reaction))


def unit_activated(state: State, event: facts.UnitActivated) -> State:
    """Add a unit to the activated ones."""
    record = current(state)
    origins = {**record.origins, event.unit: state.units[event.unit].at}
    if event.side is record.side:
        changed = replace(
            record,
            activated=(*record.activated, event.unit),
            service=event.service or record.service,
            origins=origins,
        )
        return replace(state, offensive=changed)
    reaction = replace(
        record.reaction,
        activated=(*record.reaction.activated, event.unit),
        service=event.service or record.reaction.service,
    )
    return replace(state, offensive=replace(record, reaction=reaction, origins=origins))


def unit_moved(state: State, event: facts.UnitMoved) -> State:
    """Put the unit where the leg ends."""
    piece = state.units[event.unit]
    return with_piece(state, event.unit, Piece(event.entered[-1], piece.steps))


def move_finished(state: State, event: facts.MoveFinished) -> State:
    """Record the whole move."""
    record = current(state)
    return replace(
        state, offensive=replace(record, moved={**record.moved, event.unit: event.moved})
    )


def zoi_touched(state: State, _: facts.ZoiTouched) -> State:
    """Set the flag of 7.25E."""
    return replace(state, offensive=replace(current(state), touched_zoi=True))


def asp_spent(state: State, event: facts.AspSpent) -> State:
    """Count shipping points of the turn and of the offensive."""
    tracks, record = state.tracks, current(state)
    if event.side is Side.JAPAN:
        tracks = replace(tracks, japan_asp_used=tracks.japan_asp_used + event.points)
    else:
        tracks = replace(tracks, allied_asp_used=tracks.allied_asp_used + event.points)
    if event.side is record.side:
        record = replace(record, asp_spent=record.asp_spent + event.points)
    else:
        reaction = replace(record.reaction, asp_spent=record.reaction.asp_spent + event.points)
        record = replace(record, reaction=reaction)
    return replace(state, tracks=tracks, offensive=record)


def barge_used(state: State, _: facts.BargeUsed) -> State:
    """Note the use."""
    return replace(state, offensive=replace(current(state), barge_used=True))


def battle_declared(state: State, event: facts.BattleDeclared) -> State:
    """Add a battle hex; one created by special reaction gets the units that cover it."""
    record = current(state)
    battle = BattleHex(special=event.special, contested_landing=event.contested_landing)
    joined = dict(record.joined)
    if event.special:
        joined.update({unit: at for unit, at in record.covers.items() if at == event.at})
    battles = {**record.battles, event.at: battle}
    return replace(state, offensive=replace(record, battles=battles, joined=joined))


def battle_switched(state: State, event: facts.BattleSwitched) -> State:
    """Mark the battle that goes first."""
    record = current(state)
    battles = {**record.battles, event.at: replace(record.battles[event.at], switched=True)}
    return replace(state, offensive=replace(record, battles=battles))


def battle_resolved(state: State, event: facts.BattleResolved) -> State:
    """Close a battle."""
    record = current(state)
    battles = {**record.battles, event.at: replace(record.battles[event.at], resolved=True)}
    return replace(state, offensive=replace(record, battles=battles))


def unit_joined(state: State, event: facts.UnitJoined) -> State:
    """Commit a unit to a battle."""
    record = current(state)
    return replace(state, offensive=replace(record, joined={**record.joined, event.unit: event.at}))


def unit_covers(state: State, event: facts.UnitCovers) -> State:
    """Commit a unit to cover a landing."""
    record = current(state)
    return replace(state, offensive=replace(record, covers={**record.covers, event.unit: event.at}))


def special_reaction_tried(state: State, event: facts.SpecialReactionTried) -> State:
    """Note the attempt."""
    record = current(state)
    return replace(
        state, offensive=replace(record, specials_tried=(*record.specials_tried, event.at))
    )


def condition_set(state: State, event: facts.ConditionSet) -> State:
    """Change the intelligence condition."""
    return replace(state, offensive=replace(current(state), condition=event.condition))


def intelligence_rolled(state: State, _: facts.IntelligenceRolled) -> State:
    """Use the one roll up."""
    return replace(state, offensive=replace(current(state), rolled=True))


def reaction_played(state: State, event: facts.ReactionPlayed) -> State:
    """Count a reaction card."""
    record = current(state)
    counter = event.card if event.counter else record.reaction.counter_card
    reaction = replace(
        record.reaction, events=(*record.reaction.events, event.card), counter_card=counter
    )
    return replace(state, offensive=replace(record, reaction=reaction))


def units_expelled(state: State, event: facts.UnitsExpelled) -> State:
    """Bar landed units from the battle."""
    record = current(state)
    return replace(state, offensive=replace(record, expelled=(*record.expelled, *event.units)))


def retreat_ordered(state: State, event: facts.RetreatOrdered) -> State:
    """Note who must retreat."""
    record = current(state)
    retreats = {**record.retreats, **dict.fromkeys(event.units, event.at)}
    return replace(state, offensive=replace(record, retreats=retreats))


def units_displaced(state: State, event: facts.UnitsDisplaced) -> State:
    """Note who must make an emergency move."""
    record = current(state)
    return replace(state, offensive=replace(record, displaced=(*record.displaced, *event.units)))


def offensive_cancelled(state: State, _: facts.OffensiveCancelled) -> State:
    """Restore what the offensive changed; its card does not count as played (5.32D)."""
    record = current(state)
    before = record.before
    played = state.events_played
    if record.event and record.card in played:
        last = len(played) - 1 - played[::-1].index(record.card)
        played = played[:last] + played[last + 1 :]
    return replace(
        state,
        events_played=played,
        units=before.units,
        control=before.control,
        arrivals=before.arrivals,
        tracks=before.tracks,
        offensive=None,
    )


def offensive_ended(state: State, _: facts.OffensiveEnded) -> State:
    """Drop the record."""
    return replace(state, offensive=None)


FOLDS: Final = {
    facts.OffensiveBegan: offensive_began,
    facts.HqChosen: hq_chosen,
    facts.UnitActivated: unit_activated,
    facts.UnitMoved: unit_moved,
    facts.MoveFinished: move_finished,
    facts.ZoiTouched: zoi_touched,
    facts.AspSpent: asp_spent,
    facts.BargeUsed: barge_used,
    facts.BattleDeclared: battle_declared,
    facts.BattleSwitched: battle_switched,
    facts.BattleResolved: battle_resolved,
    facts.UnitJoined: unit_joined,
    facts.UnitCovers: unit_covers,
    facts.SpecialReactionTried: special_reaction_tried,
    facts.ConditionSet: condition_set,
    facts.IntelligenceRolled: intelligence_rolled,
    facts.ReactionPlayed: reaction_played,
    facts.UnitsExpelled: units_expelled,
    facts.RetreatOrdered: retreat_ordered,
    facts.UnitsDisplaced: units_displaced,
    facts.OffensiveCancelled: offensive_cancelled,
    facts.OffensiveEnded: offensive_ended,
}
