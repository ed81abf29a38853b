"""The rulings that a game may switch (index of the rules, section 5); the first value is the specification's."""

from collections.abc import Mapping
from typing import Final

from engine.eots.bidding import BIDDING_PW, BIDDING_VP, VALUES
from engine.eots.ch07_offensive.escort_carriers import CVE_SUPPORT
from engine.kernel.errors import DataError
from engine.kernel.ruleset import Option


def _option(name: str, text: str, *values: str) -> Option:
    return Option(id=name, text=text, values=values)


OPTIONS: Final[tuple[Option, ...]] = (
    _option(
        "mixed-hexsides",
        "May a supply line use the water of a mixed hexside? (OP-1)",
        "choose",
        "land-only",
    ),
    _option(
        "supply-eligible-port",
        "Paths that make a port supply eligible (OP-2)",
        "land-or-sea",
        "sea-only",
    ),
    _option("japan-supply-cities", "Cities that supply Japan (OP-31)", "home-islands", "honshu"),
    _option("kwai-path", "Course of the Bangkok-Rangoon railway (OP-18)", "via-2010", "direct"),
    _option("naval-stacking", "What six naval units count (OP-10)", "six-in-all", "six-of-a-type"),
    _option("excess-air", "Return of excess air units (OP-13)", "two-turns", "next-turn"),
    _option(
        "disengage-landing", "Disengagement from a landing (OP-14)", "yes", "ground-movement-only"
    ),
    _option(
        "strategic-zoi",
        "Strategic movement and ZOI (OP-21)",
        "no-leaving-no-entering",
        "no-entering",
    ),
    _option("er-halving", "Halving at extended range (OPB-2)", "per-unit", "on-the-sum"),
    _option("critical-scope", "What a critical hit lifts (OPB-4)", "lifts-f2", "lifts-f2-and-f4"),
    _option("intrinsic-plus-three", "Do intrinsic units give +3? (OPB-7)", "counts", "does-not"),
    _option(
        "steps-compared",
        "Steps compared after ground combat (OPB-8)",
        "ground-combat",
        "whole-battle",
    ),
    _option("b29-loss", "Bombing rolls that cost a B29 a step (OPB-13)", "modified-9", "natural-9"),
    _option(
        "oahu-points",
        "Units that US naval replacements serve (OPB-12)",
        "us-units",
        "any-allied-naval-unit",
    ),
    _option(
        "oahu-even-turns",
        "US naval replacement of even turns (OPB-31)",
        "chart-point-stays",
        "all-need-oahu",
    ),
    _option("hainan", "Is Hainan's port a Chinese one? (OPB-19)", "not-china", "china"),
    _option("boxed-by-event", "Units that an event delays (CP-44)", "europe-roll", "none"),
    _option("empty-deck", "When a deck runs out (CP-46)", "reshuffle-discards", "no-draw"),
    _option(CVE_SUPPORT, "US escort carriers support landings only (18.0)", "off", "on"),
    _option(BIDDING_VP, "Bid added to the Japanese points at the end (16.48A)", *VALUES),
    _option(BIDDING_PW, "Bid added to Political Will at the start of a campaign (16.48B)", *VALUES),
    _option("historical-japanese-hand", "Historical first Japanese hand (17.25F)", "off", "on"),
    _option(
        "map-corners",
        "Allied sources on the stepped corners of the map (MAP-18)",
        "stepped",
        "straight",
    ),
    _option(
        "kwai-plus-one",
        "What the +1 of the Kwai railway asks for (OPB-41)",
        "route-and-unit",
        "unit-only",
    ),
    _option(
        "hump-airfields",
        "Airfields that keep the Hump open (OPB-16)",
        "dacca-and-jarhat",
        "northern-india",
    ),
    _option(
        "hq-arrival-port", "Ports in which HQs arrive (OPB-37)", "eligible-or-supplied", "eligible"
    ),
    _option(
        "blockade-hex",
        "Resource hexes that break the blockade of Japan (OPB-39)",
        "japanese",
        "any",
    ),
    _option("barge-side", "Hexsides that barges cross (OP-15)", "all-water", "any-sea"),
    _option("a5-bonus", "What A-5 adds to (CP-05)", "defence", "defence-and-attack"),
    _option("palawan", "Is Palawan Philippine? (OPB-40)", "philippine", "not-philippine"),
    _option(
        "burma-2108",
        "Does 2108 belong to Burma? (OPB-17)",
        "burma",
        "not-burma",
    ),
    _option(
        "mandate-hexes", "Mandates hexes that are counted (OPB-20)", "all-17", "named-locations"
    ),
    _option("biak", "Is Biak part of New Guinea? (OPB-21)", "new-guinea", "not-new-guinea"),
    _option("ponape", "Is Ponape a Marshall island? (OPB-23)", "marshall", "not-marshall"),
    _option(
        "australia-mandates",
        "Mandates when Australia surrenders (OPB-38)",
        "bases-fall",
        "bases-stay",
    ),
    _option(
        "pw-recovery",
        "Nations whose Political Will comes back (OPB-26)",
        "edition-2021",
        "edition-3-0",
    ),
    _option(
        "occupation-hex",
        "Hexes of the Alaska and Hawaii penalties (OPB-27)",
        "same-hex",
        "any-hex-of-the-group",
    ),
    _option(
        "short-game-rules",
        "Where 17.26 applies (OPS-4)",
        "one-year-scenarios",
        "also-longer-scenarios",
    ),
    _option(
        "tournament-note",
        "Supply of hexes that count for points (OPS-6)",
        "hypothetical-unit",
        "off",
        "real-unit",
    ),
    _option("philippine-ports", "How 17.48 N and O count (OPS-7)", "one-scale", "literal"),
    _option(
        "siam-nauru",
        "Siam and Nauru at the start of 1943 and 1944 (OPS-3)",
        "siam-japanese-nauru-allied",
        "siam-allied-nauru-japanese",
    ),
    _option(
        "victory-values",
        "Points that the editions print differently (DS-8, 9, 16, 17, 21)",
        "edition-2021",
        "edition-3-0",
    ),
    _option(
        "sr-switch",
        "Whom special reaction pulls into its battle (OP-8)",
        "in-the-hex",
        "in-range",
    ),
    _option("sr-hq", "HQ of special reaction (OP-22)", "any-hq-in-range", "the-reaction-hq"),
    _option(
        "fo-last-card",
        "When a future offensives card may be used (OP-12)",
        "card-in-hand",
        "very-last-play",
    ),
    _option("tojo-discard", "May J-43 be discarded? (CP-36)", "before-1944", "never"),
    _option(
        "false-condition",
        "A-1, A-16, A-60, A-67, J-18 with a false condition (CP-02)",
        "without-effect",
        "not-playable",
    ),
    _option("oboe-command", "Does A-76 override 6.12? (CP-10)", "overrides", "does-not"),
    _option(
        "temporary-asp",
        "When temporary ASP are added under rivalry (CP-21)",
        "after-halving",
        "before-halving",
    ),
    _option("j9-strategic", "Strategic naval movement under J-9 (CP-24)", "42", "30"),
    _option(
        "midway-screen",
        "When J-12 adds 4 to Allied intelligence (CP-25)",
        "neither-screen",
        "one-lacks",
    ),
)
"""Switches that the chapters read from ``state.options``."""


def check_options(options: Mapping[str, str]) -> None:
    """Accept chosen options.

    Raises:
        DataError: An option or a value is unknown.
    """
    known = {option.id: option for option in OPTIONS}
    for name, value in options.items():
        if name not in known:
            raise DataError(
                "options", name, f"there is no option '{name}'; known are {', '.join(known)}"
            )
        if value not in known[name].values:
            raise DataError(
                "options", name, f"'{value}' is not one of {', '.join(known[name].values)}"
            )
