"""The battle board as plain text: participants, strengths, and the result of each possible die roll."""

from collections.abc import Iterator

from engine.eots.ch09_battle.preview import BattlePreview
from engine.eots.counters import counters
from engine.eots.frames import BattleFrame, HitsFrame
from engine.eots.ids import Side
from engine.kernel.sentences import count_noun, pluralise
from tui.eots.index import Index
from tui.eots.texts import ADJECTIVES, SIDE_NAMES, place_name, printed_values, short_name, unit_line


def battle_lines(index: Index) -> tuple[str, ...]:
    """Return the lines about the offensive, the current battle and the declared battles; empty outside an offensive."""
    offensive = index.view.offensive
    if offensive is None:
        return ()
    limit_text = f" of {offensive.limit}" if offensive.limit else ""
    lines = [
        (
            f"{ADJECTIVES[offensive.side]} offensive with {offensive.card}, step {offensive.step} (7.2), "
            f"intelligence condition {offensive.condition}"
        ),
        (
            f"  activated {len(offensive.activated)}{limit_text}, "
            f"reacting {len(offensive.reaction_activated)}"
        ),
    ]
    current_hex = ""
    for frame in reversed(index.view.frames):
        if isinstance(frame, HitsFrame):
            lines.append(
                f"{SIDE_NAMES[frame.side]} assigns {count_noun(frame.hits, 'hit')} in {place_name(frame.hex)}"
            )
        if isinstance(frame, BattleFrame) and frame.begun:
            lines += _current_battle_lines(index, frame)
            current_hex = frame.hex
    previews = {preview.at: preview for preview in offensive.previews}
    for hex, battle in offensive.battles.items():
        state = (
            "resolved" if battle.resolved else "special reaction" if battle.special else "declared"
        )
        lines.append(f"Battle in {place_name(hex)}: {state}")
        if hex not in previews:
            joined_units = [
                unit for unit, joined_hex in offensive.joined.items() if joined_hex == hex
            ]
            lines += [f"  joined by {short_name(unit)}" for unit in joined_units]
        else:
            if hex != current_hex:
                lines += _participant_lines(index, previews[hex])
            lines += _preview_lines(previews[hex])
    return tuple(lines)


def _current_battle_lines(index: Index, frame: BattleFrame) -> Iterator[str]:
    yield f"Fighting in {place_name(frame.hex)}: {frame.stage} stage"
    for side in Side:
        units = [unit for unit in frame.participants if counters()[unit].side is side]
        if not units:
            continue
        yield f"  {SIDE_NAMES[side]}:"
        for unit in units:
            unit_view = index.units[unit]
            losses = frame.lost.count(unit) + frame.lost_before.count(unit)
            yield f"    {unit_line(unit_view)}" + (f", lost {losses}" if losses else "")


def _participant_lines(index: Index, preview: BattlePreview) -> Iterator[str]:
    """Yield the participants on both sides, including units that were already in the hex (9.1)."""
    for side in (preview.offensive, preview.offensive.enemy):
        units = [unit for unit in preview.participants if counters()[unit].side is side]
        if units:
            yield f"  {SIDE_NAMES[side]}:"
        for unit in units:
            place = index.units[unit].at
            notes = ("" if place == preview.at else f", from {place_name(place)}") + (
                ", a target only" if unit in preview.targets_only else ""
            )
            yield f"    {short_name(unit)} {printed_values(counters()[unit], index.units[unit].steps)}{notes}"


def _preview_lines(preview: BattlePreview) -> Iterator[str]:
    """Yield each side's strength, its die roll modifiers, and the hits for each die face (9.2, 9.4)."""
    if preview.intrinsic:
        units = pluralise(preview.intrinsic, "intrinsic unit defends", "intrinsic units defend")
        yield f"  {units} the city (13.76, 13.94)"
    for kind, rolls in (("air-naval", preview.air_naval), ("ground", preview.ground)):
        for roll in rolls:
            yield f"  {kind}, {SIDE_NAMES[roll.side]}: strength {roll.total}, die {roll.modifier:+d}"
            for row in roll.modifiers:
                yield f"    {row.value:+d} {row.label} ({row.rule} {row.row})"
            faces = " ".join(
                f"{face}{'!' if face in roll.critical_faces else ''}:{hits}"
                for face, hits in enumerate(roll.hits)
            )
            yield f"    hits by die {faces}"
