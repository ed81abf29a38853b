"""The optional rules and switchable rulings of the game (2.35, appendix D)."""

from typing import Final

from engine.cbps.scenario_rules import scenario_rules
from engine.cbps.state import Battle
from engine.kernel.ids import Rule
from engine.kernel.rulings import Ruling, collect_rulings

# -- optional rules (2.35, 16-24)

ADDITIONAL_SHIPS: Final = Ruling(
    id="additional-ships",
    rule=Rule("2.35"),
    question="Are the Additional Japanese ships in play?",
    answers={"on": "yes", "off": "no, historical ships first"},
)
DOUBLE_FORCES: Final = Ruling(
    id="double-forces",
    rule=Rule("7.5"),
    question="Can a force turn out to be two forces?",
    answers={"on": "yes", "off": "no"},
)
LAND_REINFORCEMENTS: Final = Ruling(
    id="land-reinforcements",
    rule=Rule("16.0"),
    question="May Guam be reinforced from Iwo Jima and Yap?",
    answers={"on": "yes", "off": "no"},
)


def _optional_rule(name: str, rule: str, question: str) -> Ruling:
    """Create an optional rule that is off by default."""
    return Ruling(id=name, rule=Rule(rule), question=question, answers={"off": "no", "on": "yes"})


DECK_CRASHES: Final = _optional_rule(
    "deck-crashes", "4.452", "Can a failed landing cause a deck crash?"
)
LEEWARD: Final = _optional_rule(
    "leeward-movement", "17.0", "Do carriers need the wind to launch and land?"
)
VARIABLE_WIND: Final = _optional_rule(
    "variable-wind", "17.6", "Is the wind direction rolled before play? (with leeward movement)"
)
SHADOWING: Final = _optional_rule(
    "search-shadowing", "18.1", "May searches shadow the forces that they find?"
)
LONG_SEARCHES: Final = _optional_rule(
    "long-searches", "18.2", "May fighters search out to 12 hexes?"
)
UNCERTAIN_LOCATION: Final = _optional_rule(
    "uncertain-location", "18.3", "Can a located force turn out to be in another hex?"
)
MORNING_SEARCH: Final = _optional_rule(
    "morning-search", "18.4", "Is the first search flown before the first arrivals?"
)
RETIREMENT: Final = _optional_rule("retirement", "19.0", "Do beaten Japanese forces retire?")
REFUELLING: Final = _optional_rule(
    "refuelling", "20.0", "Does the Mobile Fleet refuel on 20 June? (Scenario 8)"
)
SURFACE_COMBAT: Final = _optional_rule("surface-combat", "21.0", "May ships fight with guns?")
NIGHT_OPERATIONS: Final = _optional_rule(
    "night-operations", "22.0", "Do night fighters fly at night?"
)
SHUTTLE_RAIDS: Final = _optional_rule("shuttle-raids", "23.0", "May carrier raids fly on to Guam?")
WITHOUT_58_1: Final = _optional_rule("without-58.1", "24.1", "Is TG 58.1 left out?")
SHORT_WARNING: Final = Ruling(
    id="intercept-range",
    rule=Rule("24.2"),
    question="Is radar warning shorter?",
    answers={"off": "no", "2": "by 2 hexes", "3": "by 3 hexes", "4": "by 4 hexes"},
)
WITHOUT_BOATS: Final = _optional_rule(
    "without-submarines", "24.3", "Are the US submarines left out?"
)
NEW_AIRCRAFT: Final = _optional_rule("new-aircraft", "24.4", "Do the Japanese fly newer aircraft?")
HISTORICAL_FLEET: Final = _optional_rule(
    "historical-fleet", "7.41", "Does the historical Mobile Fleet appear? (Scenarios 6 and 8)"
)
LINE_AHEAD: Final = _optional_rule(
    "battle-line-ahead", "6.12", "May the Battle Line start ahead? (Scenario 7)"
)
STAFF: Final = Ruling(
    id="staff",
    rule=Rule("6.1"),
    question="How many commanders share the US side?",
    answers={"one": "one", "two": "two", "three": "three", "four": "four"},
    decides_roles=True,
)

# -- air operations (4, 6, 17, 22)

STRIKE_RADIUS: Final = Ruling(
    id="strike-radius",
    rule=Rule("4.22"),
    specs=("OP-5",),
    question="How far from its groups may a strike without a target fly?",
    answers={"2": "2 hexes", "1": "1 hex"},
)
CAP_LANDING: Final = Ruling(
    id="cap-landing",
    rule=Rule("4.33"),
    specs=("OP-6",),
    question="May CAP land straight from its box?",
    answers={"free": "yes, without fuel", "off": "no, it must go on the map first"},
)
NIGHT_LAUNCH: Final = Ruling(
    id="night-launch",
    rule=Rule("6.24"),
    specs=("OP-18",),
    question="May aircraft be launched at night without rule 22?",
    answers={"off": "no", "on": "yes"},
)
LIT_LANDING: Final = Ruling(
    id="lit-landing",
    rule=Rule("6.432"),
    specs=("OP-19",),
    question="Does the dusk or night modifier apply to a Fuel Critical landing in a lit hex?",
    answers={"off": "no", "on": "yes"},
)
LANDING_POINT: Final = Ruling(
    id="landing-point",
    rule=Rule("4.451"),
    specs=("OP-66",),
    question="Is a mission that lands with its last point of fuel Fuel Critical?",
    answers={"after": "yes, the landing point is paid first", "before": "no"},
)
SECOND_HEX: Final = Ruling(
    id="second-hex",
    rule=Rule("4.432"),
    specs=("OP-68",),
    question="May a mission with 1 fuel move two hexes?",
    answers={"off": "no, it is Fuel Critical after the first", "on": "yes"},
)

# -- Japanese forces (7, 9, 13, 19, 20)

ARRIVAL_ALARM: Final = Ruling(
    id="arrival-alarm",
    rule=Rule("7.15"),
    specs=("OP-20",),
    question="Is an arrival rerolled again if its new hex is near US carriers too?",
    answers={"once": "no", "again": "yes, as long as it is too near"},
)
SUSPECT_ROW: Final = Ruling(
    id="suspect-row",
    rule=Rule("7.37"),
    specs=("OP-57",),
    question="How is row 8-10 of the 1-2 Carriers table read?",
    answers={"literal": "as printed", "shifted": "as if its cells had not slipped by one column"},
)
EAST_EDGE: Final = Ruling(
    id="east-edge",
    rule=Rule("12.45"),
    specs=("OP-21",),
    question="Where do surface forces pass by crippled ships?",
    answers={"zones": "in every zone that touches the east edge", "off": "nowhere"},
)
HAS_RAIDED: Final = Ruling(
    id="has-raided",
    rule=Rule("7.21"),
    specs=("OP-22",),
    question="Which carrier forces move as if they had launched a raid?",
    answers={
        "raid": "those that have launched one",
        "points": "those with points on their displays",
    },
)
AWAY_MOVES: Final = Ruling(
    id="away-moves",
    rule=Rule("7.21"),
    specs=("OP-23",),
    question="What does a carrier force do if no hex leads away from the US carriers?",
    answers={"stay": "it stays", "aside": "it moves to a hex at the same distance"},
)
SECOND_HALF: Final = Ruling(
    id="second-half",
    rule=Rule("7.54"),
    specs=("OP-3",),
    question="Is the second half of a double force detected like the first half?",
    answers={"off": "no, it is undetected", "on": "yes"},
)
EMPTY_CUP: Final = Ruling(
    id="empty-level-1-cup",
    rule=Rule("7.35"),
    specs=("OP-24",),
    question="What happens if a level-1 chit must be drawn from an empty cup?",
    answers={"refill": "chits set aside go back into it", "nothing": "it is a false contact"},
)
ONE_POOL: Final = Ruling(
    id="one-pool",
    rule=Rule("7.43"),
    specs=("OP-27",),
    question="Are Additional ships drawn together with the Historical ones?",
    answers={"on": "yes, from the start", "off": "no, once those are used up"},
)
BOX_SHIFT: Final = Ruling(
    id="box-shift",
    rule=Rule("9.12"),
    specs=("OP-33",),
    question="When do the boxes of a Butai display move up?",
    answers={"activation": "at its activation", "phase": "in every Japanese Air Movement Segment"},
)
DEPARTED_COMMITMENT: Final = Ruling(
    id="departed-commitment",
    rule=Rule("13.13"),
    specs=("OP-46",),
    question="Do forces that have left play count in the Commitment Index?",
    answers={"on": "yes, by their last value", "off": "no"},
)
COMMITMENT_TESTS: Final = Ruling(
    id="commitment-tests",
    rule=Rule("13.22"),
    specs=("OP-47",),
    question="Which new carrier forces take the Commitment Test?",
    answers={"seen": "those that a search or a raid reveals", "all": "all"},
)
HALVES_TESTED: Final = Ruling(
    id="commitment-of-halves",
    rule=Rule("13.221"),
    specs=("OP-70",),
    question="Do the halves of a double force take the Commitment Test?",
    answers={"off": "no", "on": "yes, each that seems to have carriers"},
)
GONE_FOR_GOOD: Final = Ruling(
    id="exited-counters",
    rule=Rule("7.23"),
    specs=("OP-71",),
    question="Can the counter of a force that has left the map arrive again?",
    answers={"off": "no", "on": "yes"},
)
VOID_HITS: Final = Ruling(
    id="hits-on-surface-forces",
    rule=Rule("14.162"),
    specs=("OP-62",),
    question="What happens to hits on a force that turns out to be a surface force?",
    answers={"heaviest": "its heaviest unit has taken them", "void": "they are void"},
)

# -- raids, interception, damage to US ships

ODD_ESCORTS: Final = Ruling(
    id="odd-escorts",
    rule=Rule("4.52"),
    specs=("OP-10",),
    question="How many fighters must fight an odd number of escorts?",
    answers={"up": "half, rounded up", "down": "half, rounded down, but at least one"},
)
FLAK_ON_RAIDS: Final = Ruling(
    id="flak-on-raids",
    rule=Rule("5.51"),
    specs=("OP-15",),
    question="Which of a raid's points can its target's flak hit?",
    answers={"attackers": "attackers only", "all": "fighters and attackers alike"},
)
LONE_ESCORTS: Final = Ruling(
    id="lone-escorts",
    rule=Rule("5.71"),
    specs=("OP-17",),
    question="What does a raid do if all its attackers have been shot down?",
    answers={"on": "it flies on to its target", "home": "it goes home at once"},
)
RAID_LIMIT: Final = Ruling(
    id="raid-limit",
    rule=Rule("10.1"),
    specs=("OP-35",),
    question="Do raids on the return track count against a force's limit of two?",
    answers={"on": "yes, until they have landed", "off": "no, only those on the map"},
)
NOTHING_LEFT: Final = Ruling(
    id="nothing-left",
    rule=Rule("10.1"),
    specs=("OP-36",),
    question="Does a carrier force stay revealed if its losses cancel its raid?",
    answers={"undone": "no, everything revealed is undone", "kept": "yes"},
)
RETURNING_POINTS: Final = Ruling(
    id="returning-points",
    rule=Rule("10.1"),
    specs=("OP-37",),
    question="Are points on the return track unavailable for the next raid?",
    answers={"on": "yes", "off": "no"},
)
LOST_TARGET: Final = Ruling(
    id="lost-target",
    rule=Rule("10.23"),
    specs=("OP-38",),
    question="What does a raid do if its target has no carriers left?",
    answers={"nearest": "it turns to the nearest group with a carrier", "home": "it goes home"},
)
GUAM_NO_OP: Final = Ruling(
    id="guam-no-op",
    rule=Rule("11.23"),
    specs=("OP-39",),
    question="Do the points on Guam move up while a raid from Guam is out?",
    answers={"off": "no", "on": "yes"},
)
GUAM_REDUCTION: Final = Ruling(
    id="guam-reduction",
    rule=Rule("11.24"),
    specs=("OP-40",),
    question="Are raids from Guam reduced for its losses a second time?",
    answers={
        "off": "no, its net Air Value already accounts for them",
        "on": "yes, by the reduction chart",
    },
)
SUBMARINE_ROLLS: Final = Ruling(
    id="submarine-rolls",
    rule=Rule("14.22"),
    specs=("OP-51",),
    question="How often do Japanese submarines attack a lit hex?",
    answers={"hex": "once, whatever it holds", "group": "once for each task group"},
)
SHUTTLE_SLOT: Final = Ruling(
    id="shuttle-slot",
    rule=Rule("23.3"),
    specs=("OP-56",),
    question="Does a raid on its way to Guam count against its force's limit of two?",
    answers={"on": "yes, until it lands", "off": "no"},
)
RAID_THRESHOLD: Final = Ruling(
    id="raid-threshold",
    rule=Rule("10.1"),
    specs=("OP-65",),
    question="What is the lowest die total that launches a raid?",
    answers={"chart": "the chart's value, 5", "4": "4", "3": "3"},
)
IDLE_INTERCEPTORS: Final = Ruling(
    id="idle-interceptors",
    rule=Rule("4.51"),
    specs=("OP-69",),
    question="Does a committed mission pay for a fight if no raid is left to fight?",
    answers={"free": "no", "paid": "yes, 3 fuel"},
)
OVER_GUAM: Final = Ruling(
    id="over-guam",
    rule=Rule("16.21"),
    specs=("OP-72",),
    question="Must all interceptors over Guam fight raids that come to land there?",
    answers={"chosen": "no, those that are committed", "all": "yes, all that have fuel"},
)

# -- searches and submarines

LATEST_DETECTION: Final = Ruling(
    id="lower-detection",
    rule=Rule("8.13"),
    specs=("OP-29",),
    question="Does a force that was spotted become located when a later search only locates it?",
    answers={"keep": "no, the better marker stays", "latest": "yes, the latest result counts"},
)
HOMEWARD_ZONES: Final = Ruling(
    id="homeward-zones",
    rule=Rule("8.28"),
    specs=("OP-31",),
    question="Which zone does a search examine on its way home?",
    answers={
        "hex": "that of the hex from which it starts, each once",
        "order": "far, middle and near in turn",
    },
)
BOAT_CONTACT: Final = Ruling(
    id="submarine-contact",
    rule=Rule("14.14"),
    specs=("OP-28",),
    question="Does contact by a submarine count as detection?",
    answers={"off": "no", "on": "yes, the force is spotted"},
)
BOAT_FOLLOWS: Final = Ruling(
    id="submarine-shadowing",
    rule=Rule("14.152"),
    specs=("OP-49",),
    question="When does a submarine that shadows a force suffer ASW?",
    answers={"moves": "when the force moves", "activated": "whenever the force is activated"},
)
BOAT_TARGET: Final = Ruling(
    id="submarine-target",
    rule=Rule("14.16"),
    specs=("OP-50",),
    question="Which carrier of a known force does a submarine hit?",
    answers={"choice": "the player chooses", "random": "a random one, a CV if there is one"},
)
FOUND_CARRIERS: Final = Ruling(
    id="found-carriers",
    rule=Rule("18.23"),
    specs=("OP-74",),
    question="Which searches turn for home once they have found a known carrier force? (with long searches)",
    answers={"long": "only 12-hex searches", "fighters": "all searches flown only by fighters"},
)
BLOCKED_RELOCATION: Final = Ruling(
    id="blocked-relocation",
    rule=Rule("18.34"),
    specs=("OP-54",),
    question="Where does a force go if its new hex is off the map or contains US ships?",
    answers={"short": "one hex short of that", "stay": "where it was"},
)

# -- strikes, damage, surface combat (5, 12.2, 21)

WRONG_TARGET_FUEL: Final = Ruling(
    id="wrong-target-fuel",
    rule=Rule("5.25"),
    specs=("OP-11",),
    question="Does a strike pay fuel to fly to a wrong target in another hex?",
    answers={"free": "no", "paid": "yes, 1 fuel"},
)
SERVICED_CAP: Final = Ruling(
    id="serviced-cap",
    rule=Rule("5.41"),
    specs=("OP-13",),
    question="Do Japanese points that are being serviced count for CAP?",
    answers={"off": "no, they are unavailable", "on": "yes"},
)
CAP_AFTER_SURPRISE: Final = Ruling(
    id="cap-after-surprise",
    rule=Rule("5.43"),
    specs=("OP-14",),
    question="Is CAP rolled for a later strike when complete surprise forbade it for the first?",
    answers={"on": "yes", "off": "no, the force has none in this phase"},
)
DOUBLED_ATTACKS: Final = Ruling(
    id="doubled-attacks",
    rule=Rule("5.61"),
    specs=("OP-16",),
    question="Which strikes on carrier forces attack with doubled value?",
    answers={
        "unfought": "those that fought no CAP",
        "surprise": "those for which surprise forbade CAP",
    },
)
LOST_WITH_CARRIERS: Final = Ruling(
    id="lost-with-carriers",
    rule=Rule("12.24"),
    specs=("OP-41",),
    question="How many lost points count as lost with a carrier whose whole value is gone?",
    answers={"share": "its share of them", "value": "as many as its Air Value"},
)
BATTLESHIP_HITS: Final = Ruling(
    id="battleship-hits",
    rule=Rule("12.21"),
    specs=("OP-42",),
    question="When are hits on Japanese battleships permanent?",
    answers={"at-once": "at once", "ageing": "after two turns, like those on carriers"},
)
JAPANESE_DECKS: Final = Ruling(
    id="japanese-decks",
    rule=Rule("12.29"),
    specs=("OP-43",),
    question="When is a Japanese flight deck out of action?",
    answers={"half": "at half the capacity in hits", "crippled": "when the carrier is crippled"},
)
CRIPPLED_TARGETS: Final = Ruling(
    id="crippled-targets",
    rule=Rule("5.1"),
    specs=("OP-61",),
    question="May a strike attack a lone crippled Japanese ship?",
    answers={"on": "yes, as a Located target", "off": "no"},
)
ESCORT_MODIFIER: Final = Ruling(
    id="escort-modifier",
    rule=Rule("5.42"),
    specs=("OP-67",),
    question="Do escorts that fire at CAP also use the modifier against fighters?",
    answers={"one": "no, only -1", "both": "yes, both"},
)
RETURN_FLIGHT: Final = Ruling(
    id="return-flight",
    rule=Rule("4.451"),
    question="Do the strikes of Scenario 2 fly home beyond the limit of their fuel?",
    answers={"off": "no", "on": "yes"},
)

# -- scenarios

FLANK_RULE: Final = Ruling(
    id="flank-rule",
    rule=Rule("15.1"),
    question="Does a force in the invasion zone count as exited at the end of a one-day scenario?",
    answers={"on": "yes", "off": "no"},
)
CRIPPLE_RULE: Final = Ruling(
    id="cripple-rule",
    rule=Rule("21.0"),
    question="May lone crippled ships be caught after the last turn? (without surface combat)",
    answers={"on": "yes", "off": "no"},
)

LATER_RULINGS: Final = (FOUND_CARRIERS,)
"""Rulings added after the rules version was set. Positions list them only if chosen, so old records stay valid."""
RULINGS: Final = collect_rulings(globals())
"""All rulings, as listed in menus and read from ``state.options``."""


def is_on(battle: Battle, ruling: Ruling) -> bool:
    """Return whether a match uses an optional rule. Scenarios 1 to 5 use none (appendix C)."""
    return scenario_rules(battle).has_full_rules and ruling.value(battle.options) == "on"
