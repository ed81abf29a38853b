"""Schema of the schedules in `scenarios.json`. README.md in the same directory explains the keys."""

from typing import Literal

import msgspec

from engine.eots.data.scenarios_file import Strict, TurnReplacements
from engine.eots.ids import HexId, Pool, Side
from engine.eots.victory_terms import ChinaBox, IndiaBox


class OptionalRule(Strict, frozen=True, kw_only=True):
    """An optional rule that the players may agree on."""

    id: str
    rule: str
    text: str


class EuropeRoll(Strict, frozen=True, kw_only=True):
    """The roll that sends units to Europe (10.22)."""

    who: str
    highest_face_by_level: dict[int, int]
    """Highest die roll that sends a unit to Europe, by War in Europe level."""
    us_isr_modifier: int
    returns_after_turns: int
    effect: str


class ReinforcementRules(Strict, frozen=True, kw_only=True):
    """The order and texts of the Reinforcement Segment (10)."""

    rule: str
    order: tuple[str, ...]
    allied_delay: str
    europe_roll: EuropeRoll
    placement: str
    cannot_place: str
    face: str


class ConditionalSteps(Strict, frozen=True, kw_only=True):
    """Replacement steps that a side gains if it controls one of the listed hexes (11.33)."""

    side: Side
    pool: Pool
    steps: int
    turns: tuple[int, ...]
    controls_one_of: tuple[HexId, ...]
    text: str


class JapanGround(Strict, frozen=True, kw_only=True):
    """Ground steps that Japan can gain by taking divisions out of China (11.23)."""

    highest_steps: int
    turns: tuple[int, ...]
    text: str


class Storage(Strict, frozen=True, kw_only=True):
    """Kinds of replacement steps that a side may save for later turns."""

    allied: str
    japan: str


class ReplacementRules(Strict, frozen=True, kw_only=True):
    """The replacements chart (11.2-11.35)."""

    rule: str
    per_turn: tuple[TurnReplacements, ...]
    conditional: tuple[ConditionalSteps, ...]
    japan_ground: JapanGround
    storage: Storage
    china_condition: str


class AspRules(Strict, frozen=True, kw_only=True):
    """Changes in the number of amphibious shipping points (10.31, 10.32)."""

    rule: str
    allied_gain: int
    first_turn: int
    no_gain_at_levels: tuple[int, ...]
    """War in Europe levels at which the Allies gain no points."""
    japan_minimum: int


class AlliedHand(Strict, frozen=True, kw_only=True):
    """Number of cards and passes for a range of turns, inclusive."""

    from_turn: int
    to_turn: int
    cards: int
    passes: int


class AlliedDraw(Strict, frozen=True, kw_only=True):
    """Number of cards and passes that the Allied player receives (12.5)."""

    rule: str
    by_turn: tuple[AlliedHand, ...]
    minimum: int
    highest_passes: int
    text: str


class JapanPasses(Strict, frozen=True, kw_only=True):
    """Number of passes for a hand of at least this many cards."""

    cards_at_least: int
    passes: int


class JapanDraw(Strict, frozen=True, kw_only=True):
    """Number of cards and passes that the Japanese player receives (12.1)."""

    rule: str
    reserve_turns: tuple[int, ...]
    reserve_cards: int
    resource_divisor: int
    """Number of resource hexes that Japan must control for each card. The number of cards is rounded up."""
    minimum: int
    passes: tuple[JapanPasses, ...]
    """Passes by hand size. The first matching row applies."""
    text: str


class TurnBox(Strict, frozen=True, kw_only=True):
    """A box on the game turn track."""

    turn: int
    label: str


class TrackBounds(msgspec.Struct, frozen=True, kw_only=True):
    """A track's lowest and highest box."""

    lowest: int = msgspec.field(name="min")
    highest: int = msgspec.field(name="max")


class EuropeTrack(Strict, frozen=True, kw_only=True):
    """The War in Europe track (15)."""

    lowest: int = msgspec.field(name="min")
    highest: int = msgspec.field(name="max")
    levels: dict[str, tuple[int, ...]]
    """The boxes that belong to each level: `none` and 1 to 4."""


class TrackTables(Strict, frozen=True, kw_only=True):
    """The boxes of each track. Lists are ordered from the losing end to the stable end."""

    political_will: TrackBounds
    war_in_europe: EuropeTrack
    china_front: tuple[ChinaBox, ...]
    india: tuple[IndiaBox, ...]
    burma_road: dict[Literal["closed-no-hump", "closed-hump", "open"], int]
    """Numbers subtracted from a China offensive's baseline, by box (13.72)."""
    japan_divisions_in_china: TrackBounds
    strategic_record: TrackBounds


class Schedules(Strict, frozen=True, kw_only=True):
    """Tables shared by all scenarios."""

    reinforcements: ReinforcementRules
    replacements: ReplacementRules
    asp: AspRules
    allied_draw: AlliedDraw
    japan_draw: JapanDraw
    turn_track: tuple[TurnBox, ...]
    tracks: TrackTables


class ScenariosFile(msgspec.Struct, frozen=True, kw_only=True):
    """The parts of `scenarios.json` that the program uses."""

    optional_rules: tuple[OptionalRule, ...]
    schedules: Schedules
    scenarios: tuple[dict[str, msgspec.Raw], ...]
    """Each scenario's keys with their undecoded values. Omitted keys are inherited from the parent scenario."""
