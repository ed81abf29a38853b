"""The rulings and optional rules that players can choose for a game (section 5 of the rules index).

The first value of each ruling is the default given in the rules index.
"""

from collections.abc import Mapping
from typing import Final

from engine.kernel.ids import Rule
from engine.kernel.rulings import Ruling, collect_rulings

_MOST_BID: Final = 5
_BIDS: Final = {
    "off": "no bid",
    **{
        f"{n:+d}": f"{abs(n)} {'more' if n > 0 else 'less'}"
        for n in range(-_MOST_BID, _MOST_BID + 1)
        if n
    },
}
"""The possible bids. A bid of more than 3 is an overbid, but is allowed (16.48)."""
REAL_UNIT: Final = "real-unit"
"""The third reading of the tournament note: there must be a real unit in the hex (DS-11)."""

MIXED_HEXSIDES: Final = Ruling(
    id="mixed-hexsides",
    rule=Rule("0.3"),
    specs=("OP-1",),
    question="May a supply line use the water of a mixed hexside?",
    answers={
        "choose": "yes, it may use either the land or the water",
        "land-only": "no, it may use only the land",
    },
)
SUPPLY_ELIGIBLE_PORT: Final = Ruling(
    id="supply-eligible-port",
    rule=Rule("6.21"),
    specs=("OP-2",),
    question="Paths that make a port supply eligible",
    answers={"land-or-sea": "by sea, or up to 4 MP by land", "sea-only": "by sea only"},
)
JAPAN_SUPPLY_CITIES: Final = Ruling(
    id="japan-supply-cities",
    rule=Rule("6.22"),
    specs=("OP-31",),
    question="Cities that supply Japan",
    answers={"home-islands": "all eight cities of the home islands", "honshu": "those on Honshu"},
)
KWAI_PATH: Final = Ruling(
    id="kwai-path",
    rule=Rule("13.79"),
    specs=("OP-18",),
    question="Course of the Bangkok-Rangoon railway",
    answers={"via-2010": "through 2010, as printed", "direct": "from 2110 straight to 2109"},
)
NAVAL_STACKING: Final = Ruling(
    id="naval-stacking",
    rule=Rule("8.24"),
    specs=("OP-10",),
    question="How the limit of six naval units is counted",
    answers={"six-in-all": "six naval units in all", "six-of-a-type": "six of each type"},
)
EXCESS_AIR: Final = Ruling(
    id="excess-air",
    rule=Rule("8.34"),
    specs=("OP-13",),
    question="Return of excess air units",
    answers={"two-turns": "after two turns", "next-turn": "next turn"},
)
DISENGAGE_LANDING: Final = Ruling(
    id="disengage-landing",
    rule=Rule("8.43"),
    specs=("OP-14",),
    question="Disengagement from a landing",
    answers={
        "yes": "allowed",
        "ground-movement-only": "only from units that came by ground movement",
    },
)
STRATEGIC_ZOI: Final = Ruling(
    id="strategic-zoi",
    rule=Rule("6.4"),
    specs=("OP-21",),
    question="Strategic movement and ZOI",
    answers={
        "no-leaving-no-entering": "may neither leave nor enter enemy ZOI",
        "no-entering": "may leave but not enter enemy ZOI",
    },
)
ER_HALVING: Final = Ruling(
    id="er-halving",
    rule=Rule("9.2A"),
    specs=("OPB-2",),
    question="Halving at extended range",
    answers={
        "per-unit": "each unit halved and rounded",
        "on-the-sum": "the sum halved and rounded once",
    },
)
CRITICAL_SCOPE: Final = Ruling(
    id="critical-scope",
    rule=Rule("9.2F"),
    specs=("OPB-4",),
    question="Limits that a critical hit removes",
    answers={"lifts-f2": "limit F-2", "lifts-f2-and-f4": "limits F-2 and F-4"},
)
INTRINSIC_PLUS_THREE: Final = Ruling(
    id="intrinsic-plus-three",
    rule=Rule("9.4"),
    specs=("OPB-7",),
    question="Do intrinsic units give +3?",
    answers={"counts": "yes, they are ground units in the hex", "does-not": "no"},
)
STEPS_COMPARED: Final = Ruling(
    id="steps-compared",
    rule=Rule("9.4C"),
    specs=("OPB-8",),
    question="Steps compared after ground combat",
    answers={
        "ground-combat": "those lost in ground combat",
        "whole-battle": "those lost in the whole battle",
    },
)
B29_LOSS: Final = Ruling(
    id="b29-loss",
    rule=Rule("12.32"),
    specs=("OPB-13",),
    question="Bombing rolls that cost a B29 a step",
    answers={"modified-9": "9 or more after the modifier", "natural-9": "9 on the die"},
)
OAHU_POINTS: Final = Ruling(
    id="oahu-points",
    rule=Rule("11.33"),
    specs=("OPB-12",),
    question="Units that can use US naval replacements",
    answers={"us-units": "US units", "any-allied-naval-unit": "any Allied naval unit"},
)
OAHU_EVEN_TURNS: Final = Ruling(
    id="oahu-even-turns",
    rule=Rule("11.33"),
    specs=("OPB-31",),
    question="US naval replacements in even-numbered turns",
    answers={
        "chart-point-stays": "the chart's point does not depend on Oahu",
        "all-need-oahu": "every point needs Oahu",
    },
)
HAINAN: Final = Ruling(
    id="hainan",
    rule=Rule("13.71"),
    specs=("OPB-19",),
    question="Does Hainan's port belong to China?",
    answers={"not-china": "no", "china": "yes"},
)
AIR_IN_CHINA: Final = Ruling(
    id="air-in-china",
    rule=Rule("13.72B"),
    specs=("OPB-42",),
    question="Allied air units that count as being in China",
    answers={
        "box-and-coast": "those in the China Box and on the coast",
        "box": "those in the China Box",
    },
)
BOXED_BY_EVENT: Final = Ruling(
    id="boxed-by-event",
    rule=Rule("10.24"),
    specs=("CP-44",),
    question="Units that an event delays",
    answers={"europe-roll": "roll for transfer to Europe", "none": "do not roll"},
)
EMPTY_DECK: Final = Ruling(
    id="empty-deck",
    rule=Rule("5.37"),
    specs=("CP-46",),
    question="When a deck runs out",
    answers={"reshuffle-discards": "its discards are shuffled", "no-draw": "no one draws from it"},
)
CVE_SUPPORT: Final = Ruling(
    id="us-cve-amphibious-support",
    rule=Rule("18.0"),
    question="US escort carriers support landings only",
    answers={"off": "no", "on": "yes"},
)
BIDDING_VP: Final = Ruling(
    id="bidding-vp",
    rule=Rule("16.48A"),
    question="Bid added to the Japanese points at the end",
    answers=_BIDS,
)
BIDDING_PW: Final = Ruling(
    id="bidding-pw",
    rule=Rule("16.48B"),
    question="Bid added to Political Will at the start of a campaign",
    answers=_BIDS,
)
HISTORICAL_HAND: Final = Ruling(
    id="historical-japanese-hand",
    rule=Rule("17.25F"),
    question="Historical first Japanese hand",
    answers={"off": "no, dealt at random", "on": "yes"},
)
MAP_CORNERS: Final = Ruling(
    id="map-corners",
    rule=Rule("6.22"),
    specs=("MAP-18",),
    question="Allied sources on the stepped corners of the map",
    answers={"stepped": "they are sources", "straight": "only the straight edges are sources"},
)
KWAI_PLUS_ONE: Final = Ruling(
    id="kwai-plus-one",
    rule=Rule("13.79"),
    specs=("OPB-41",),
    question="What the Kwai railway's +1 requires",
    answers={
        "route-and-unit": "the HQ's route to Rangoon and a unit in supply",
        "unit-only": "a unit in supply",
    },
)
HUMP_AIRFIELDS: Final = Ruling(
    id="hump-airfields",
    rule=Rule("6.23"),
    specs=("OPB-16",),
    question="Airfields that keep the Hump open",
    answers={"dacca-and-jarhat": "Dacca and Jarhat", "northern-india": "any in Northern India"},
)
HQ_ARRIVAL_PORT: Final = Ruling(
    id="hq-arrival-port",
    rule=Rule("10.11"),
    specs=("OPB-37",),
    question="Ports in which HQs arrive",
    answers={"eligible-or-supplied": "supply eligible or in supply", "eligible": "supply eligible"},
)
BLOCKADE_HEX: Final = Ruling(
    id="blockade-hex",
    rule=Rule("13.93"),
    specs=("OPB-39",),
    question="Resource hexes that break the blockade of Japan",
    answers={"japanese": "those that Japan controls", "any": "any"},
)
BARGE_SIDE: Final = Ruling(
    id="barge-side",
    rule=Rule("8.47"),
    specs=("OP-15",),
    question="Hexsides that barges cross",
    answers={"all-water": "all-water hexsides", "any-sea": "any hexside with sea"},
)
A5_BONUS: Final = Ruling(
    id="a5-bonus",
    rule=Rule("5.33"),
    specs=("CP-05",),
    question="What A-5 increases",
    answers={
        "defence": "defence of air units",
        "defence-and-attack": "defence and attack of air units",
    },
)
PALAWAN: Final = Ruling(
    id="palawan",
    rule=Rule("13.21"),
    specs=("OPB-40",),
    question="Does Palawan belong to the Philippines?",
    answers={"philippine": "yes", "not-philippine": "no"},
)
BURMA_2108: Final = Ruling(
    id="burma-2108",
    rule=Rule("13.51"),
    specs=("OPB-17",),
    question="Does 2108 belong to Burma?",
    answers={"burma": "yes, as the border is printed", "not-burma": "no"},
)
MANDATE_HEXES: Final = Ruling(
    id="mandate-hexes",
    rule=Rule("17.38M"),
    specs=("OPB-20",),
    question="Mandates hexes that count",
    answers={"all-17": "all 17", "named-locations": "named locations"},
)
BIAK: Final = Ruling(
    id="biak",
    rule=Rule("13.85"),
    specs=("OPB-21",),
    question="Is Biak part of New Guinea?",
    answers={"new-guinea": "yes", "not-new-guinea": "no"},
)
PONAPE: Final = Ruling(
    id="ponape",
    rule=Rule("13.92"),
    specs=("OPB-23",),
    question="Is Ponape a Marshall island?",
    answers={"marshall": "yes, by its distance", "not-marshall": "no"},
)
AUSTRALIA_MANDATES: Final = Ruling(
    id="australia-mandates",
    rule=Rule("13.83"),
    specs=("OPB-38",),
    question="Mandates when Australia surrenders",
    answers={
        "bases-fall": "bases without Allied units fall",
        "bases-stay": "their bases stay Allied",
    },
)
PW_RECOVERY: Final = Ruling(
    id="pw-recovery",
    rule=Rule("16.41"),
    specs=("OPB-26",),
    question="Nations whose Political Will comes back",
    answers={"edition-2021": "those of the 2021 edition", "edition-3-0": "those of edition 3.0"},
)
OCCUPATION_HEX: Final = Ruling(
    id="occupation-hex",
    rule=Rule("16.42"),
    specs=("OPB-27",),
    question="Hexes of the Alaska and Hawaii penalties",
    answers={"same-hex": "the same hex throughout", "any-hex-of-the-group": "any hex of the group"},
)
SHORT_GAME_RULES: Final = Ruling(
    id="short-game-rules",
    rule=Rule("17.26"),
    specs=("OPS-4",),
    question="Where 17.26 applies",
    answers={
        "one-year-scenarios": "only in the one-year scenarios",
        "also-longer-scenarios": "also in the longer scenarios",
    },
)
TOURNAMENT_NOTE: Final = Ruling(
    id="tournament-note",
    rule=Rule("17.27"),
    specs=("OPS-6",),
    question="Supply required for hexes that score points",
    answers={
        "hypothetical-unit": "a unit there would be in supply",
        "off": "not required",
        REAL_UNIT: "a supplied unit is there",
    },
)
PHILIPPINE_PORTS: Final = Ruling(
    id="philippine-ports",
    rule=Rule("17.48"),
    specs=("OPS-7",),
    question="How 17.48 N and O count",
    answers={"one-scale": "as one scale of supplied ports", "literal": "each as written"},
)
SIAM_NAURU: Final = Ruling(
    id="siam-nauru",
    rule=Rule("17.3"),
    specs=("OPS-3",),
    question="Siam and Nauru at the start of 1943 and 1944",
    answers={
        "siam-japanese-nauru-allied": "Siam Japanese, Nauru Allied in 1944",
        "siam-allied-nauru-japanese": "only marked hexes of Siam, Nauru Japanese",
    },
)
VICTORY_VALUES: Final = Ruling(
    id="victory-values",
    rule=Rule("17.27"),
    specs=(
        "DS-8",
        "DS-9",
        "DS-16",
        "DS-17",
        "DS-21",
    ),
    question="Points that the editions print differently",
    answers={"edition-2021": "those of the 2021 edition", "edition-3-0": "those of edition 3.0"},
)
SOUTH_PACIFIC_VICTORY: Final = Ruling(
    id="south-pacific-victory",
    rule=Rule("17.10.7"),
    question="How the South Pacific is won",
    answers={"port-control": "ports and the resource hex", "vp-schedule": "the schedule of points"},
)
SP_MAP: Final = Ruling(
    id="sp-map",
    rule=Rule("17.10"),
    specs=("OPS-11",),
    question="Columns of the South Pacific map",
    answers={"columns-30-51": "30 to 51", "columns-30-48": "30 to 48"},
)
SP_PASSES: Final = Ruling(
    id="sp-passes",
    rule=Rule("17.10.5"),
    specs=("OPS-20",),
    question="Passes in the South Pacific",
    answers={"none": "only those in B and C", "by-12": "also those from 12.4 and 12.5"},
)
SP_OTHER_HEXES: Final = Ruling(
    id="sp-other-hexes",
    rule=Rule("17.10"),
    specs=("OPS-19",),
    question="South Pacific hexes without base or resource",
    answers={
        "empire-and-mandates": "Japanese in the Empire and the Mandates",
        "all-allied": "all Allied",
    },
)
SR_SWITCH: Final = Ruling(
    id="sr-switch",
    rule=Rule("7.27"),
    specs=("OP-8",),
    question="Units that special reaction pulls into its battle",
    answers={"in-the-hex": "units in the new battle hex", "in-range": "units in range of it"},
)
SR_HQ: Final = Ruling(
    id="sr-hq",
    rule=Rule("7.27"),
    specs=("OP-22",),
    question="HQ that allows special reaction",
    answers={
        "any-hq-in-range": "any supplied HQ in range",
        "the-reaction-hq": "the single HQ that reacts",
    },
)
FO_LAST_CARD: Final = Ruling(
    id="fo-last-card",
    rule=Rule("7.29B"),
    specs=("OP-12",),
    question="When a future offensives card may be used",
    answers={
        "card-in-hand": "with a card in hand",
        "very-last-play": "always, except as the very last play",
    },
)
TOJO_DISCARD: Final = Ruling(
    id="tojo-discard",
    rule=Rule("5.37"),
    specs=("CP-36",),
    question="May J-43 be discarded?",
    answers={"before-1944": "before 1944", "never": "never"},
)
FREE_ROUTE: Final = Ruling(
    id="free-route",
    rule=Rule("13.77"),
    specs=("CP-07",),
    question="What A-33 and A-39 waive for a transport route",
    answers={
        "control-needed": "only the cost of a card",
        "free": "also control of Northern India",
    },
)
TOJO_RESHUFFLE: Final = Ruling(
    id="tojo-reshuffle",
    rule=Rule("5.37"),
    specs=("OP-11",),
    question="Cards shuffled by J-43 or A-79 as operations cards",
    answers={
        "whole-deck": "undrawn cards, discards, the card",
        "discards": "discards and the card, drawn last",
    },
)
FALSE_CONDITION: Final = Ruling(
    id="false-condition",
    rule=Rule("5.31"),
    specs=("CP-02",),
    question="A-1, A-16, A-60, A-67, J-18 with a false condition",
    answers={"without-effect": "played without effect", "not-playable": "not playable as an event"},
)
OBOE_COMMAND: Final = Ruling(
    id="oboe-command",
    rule=Rule("6.12"),
    specs=("CP-10",),
    question="Does A-76 override 6.12?",
    answers={"overrides": "yes", "does-not": "no"},
)
TEMPORARY_ASP: Final = Ruling(
    id="temporary-asp",
    rule=Rule("14.2B"),
    specs=("CP-21",),
    question="When temporary ASP are added under rivalry",
    answers={"after-halving": "after halving", "before-halving": "before halving"},
)
J9_STRATEGIC: Final = Ruling(
    id="j9-strategic",
    rule=Rule("8.23"),
    specs=("CP-24",),
    question="Strategic naval movement under J-9",
    answers={"42": "42 hexes", "30": "30 hexes"},
)
MIDWAY_SCREEN: Final = Ruling(
    id="midway-screen",
    rule=Rule("7.25"),
    specs=("CP-25",),
    question="When J-12 adds 4 to Allied intelligence",
    answers={
        "one-lacks": "when the ZOI or the cruiser is missing",
        "neither-screen": "when both are missing",
    },
)
KWAI_LATE: Final = Ruling(
    id="kwai-late",
    rule=Rule("13.79"),
    specs=("CP-28",),
    question="When J-18 builds the bridge",
    answers={"at-play": "at play", "whenever-held": "as soon as Japan holds both hexes"},
)
RANDOM_LOSS: Final = Ruling(
    id="random-loss",
    rule=Rule("5.37"),
    specs=("CP-03",),
    question="Where a card lost to A-60, A-67, A-72 goes",
    answers={"discard-pile": "to the discard pile", "removed": "out of the game"},
)
ATTACK_CARD_WINDOW: Final = Ruling(
    id="attack-card-window",
    rule=Rule("5.32B"),
    specs=("OP-17", "CP-31"),
    question="When attack cards that act after battle are played",
    answers={"card-text": "after the battles", "step-9": "all in step 9"},
)

TURN_1_ATTRITION: Final = Ruling(
    id="turn-1-attrition",
    rule=Rule("17.11"),
    specs=("DS-1", "CP-22"),
    question="Attrition Phase of December 1941",
    answers={"none": "there is none", "played": "it is played"},
)
ARCADIA_DEAL: Final = Ruling(
    id="arcadia",
    rule=Rule("17.25"),
    specs=("OPS-9",),
    question="When the Allies decide whether A-4 is in their hand",
    answers={
        "before-the-deal": "before the deal",
        "after-the-draw": "after they have seen the other cards",
    },
)
TURN_1_AIR: Final = Ruling(
    id="turn-1-air",
    rule=Rule("17.11"),
    specs=("OPS-8",),
    question="Allied air units in range of a battle of J-2",
    answers={"must-join": "must join one", "may-join": "may join one"},
)

RULINGS: Final = collect_rulings(globals())
"""All rulings, as listed in menus. The chapters read the chosen values from ``state.options``."""

_OF_AREAS: Final = (
    JAPAN_SUPPLY_CITIES,
    KWAI_PATH,
    HAINAN,
    HUMP_AIRFIELDS,
    PALAWAN,
    BURMA_2108,
    BIAK,
    PONAPE,
)
"""Rulings whose alternative reading changes one of the map's hex lists."""


def area_rulings(options: Mapping[str, str]) -> tuple[str, ...]:
    """Return the rulings that change lists of hexes on the map in a game with these options."""
    if not options:
        return ()
    return tuple(ruling.specs[0] for ruling in _OF_AREAS if ruling.uses_alternative(options))


def bid(options: Mapping[str, str], ruling: Ruling) -> int:
    """Return the number that a bid adds; 0 if there is no bid (16.48)."""
    value = ruling.value(options)
    return 0 if value == ruling.default else int(value)
