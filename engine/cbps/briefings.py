"""Scenario briefings: new rules, task, scoring and hints."""

from collections.abc import Mapping
from typing import Final

from engine.cbps.data.scenarios_file import Scenario
from engine.cbps.game_data import standard_game_data

_PAGES: Final[Mapping[str, str]] = {
    "1": """\
Lesson 1 of 5. The morning of 19 June: radar shows the first Japanese raids west of Task Force 58. You lead the \
fighters.
NEW: air missions, fuel, CAP, interception (4.1, 4.3-4.5).
- A mission is a group of air units with one number: its fuel. Each phase in the air costs 1, a second hex 1 or 2 \
more, a fight 3, landing 1. At 0 it is Fuel Critical; it flies a hex at a time and may be lost on landing.
- CAP waits in the box of its task group and spends nothing. When you put it on the map, a die gives it fuel 10 to 14.
- A raid flies two hexes a phase. In the hex of a raid you choose who fights. One unit for every two escorts must \
fight them; the rest shoot at the attackers. The first fight shows how many escorts there are.
YOUR TASK: stop raids I and II short of TF 58 in 1109. Nothing attacks your ships here: a raid that arrives is \
removed and counts as having got through. Every unit flies once.
HINTS
- Meet a raid two or three hexes out: a mission with fuel left can fight it again in the next phase.
- Several missions may fight one raid, one after the other. The first takes on the escorts, the next the bombers.
- Keep CAP for what slips through; in its box it is always there.
- A carrier that launches does not land in that phase, and a CVL handles only one unit.""",
    "2": """\
Lesson 2 of 5. 20 June, last light: three strikes have found the Mobile Fleet at the limit of their range. You \
lead them through the attack.
NEW: strikes, contact, surprise, enemy CAP, anti-aircraft fire, damage (4.2, 5.1-5.6, 12.2).
- First choose a target for each strike, then let the strikes attack one after the other in the order you like.
- A strike has two attempts to find its target, the second for 1 fuel. Its bombs may fall on a different force from \
the one you meant.
- Fighters are escorts: every two of them keep one CAP point off the bombers. CAP that the first strike shoots down \
cannot meet the next.
- Without any fight in the air the attack counts double. One point of fuel pays for the attack.
- The attack gives you a list of dice. Aim each one at a ship before the first is rolled.
YOUR TASK: hit carriers. Zuikaku is worth most; the light carriers of Force C hide behind battleships with many guns.
HINTS
- Two strikes on one force: send the one with more fighters first.
- Three hits cripple a light carrier and four sink it; Zuikaku takes twice as many. Spread dice thinly and nothing \
sinks.
- A second attempt is cheap if the fuel is there, but the attack needs a point too. What is left decides which units \
come home: after the attacks each unit rolls for its landing.""",
    "3": """\
Lesson 3 of 5. 19 June, late morning: raids II to IV come in while your decks are full. Two task groups and the \
Battle Line hold the hex.
NEW: flight decks, raids on ships, damage to carriers (5.7, 6.1, 6.2, 12.1).
- A unit goes Hangar, Servicing, Ready, into the air, Landed, and down to the Hangar again. Each phase a carrier \
first launches, then raises, services, lowers and lands, in that order.
- A CV launches or lands two units in a phase, a CVL one; never both in the same phase. With too many units on deck \
nothing takes off.
- Any hit closes the flight deck until a die repairs it. Each hit destroys a unit aboard, those on deck first.
- A raid that flies over the Battle Line may be shot at by battleships; it may also choose them as its target.
YOUR TASK: keep fighters over the fleet for sixteen phases, and have bombers ready at the end.
HINTS
- Let some carriers launch while others land, then swap.
- Bombers on deck are lost first and block fighters. Keep them below until the raids are over, but bring some up in \
time.
- Lower landed fighters at once: four phases after landing they can take off again.""",
    "4": """\
Lesson 4 of 5. 19 June at dawn. Where are they? Somewhere west of you Japanese forces are on the move; nobody fires a \
shot in this lesson.
NEW: forces that arrive and move on their own, searches, detection, levels of information (7, 8).
- Each turn forces arrive at the edge, and each is activated by a chit drawn from the cup. A new force may be nothing \
at all.
- Once a turn, in a phase that you choose, searches fly. A standard search covers 60 degrees out to 10 hexes, 2 hexes \
in its first turn and 4 in each later one; a narrow one goes 14 hexes out and sees only what it passes.
- A search that finds a force gives it a marker: ? (approximate), L (located), S (spotted). The marker fades by a \
step whenever the force is activated. Some results reveal more about the force.
- A strike flies only toward a force with a marker. One that makes contact shows you everything.
YOUR TASK: find out as much as you can in eight turns. Carriers at the highest level score best, and exposed false \
contacts score too.
HINTS
- Two units in one search help, and so does searching later than 0530. Fighters search poorly.
- Searches look for forces on the way home too: leave decks free for them.
- Follow up what is located with a strike at once: two activations later the marker is gone.
- A strike needs fuel for the way home. Four hexes are comfortable, six are far.""",
    "5": """\
Lesson 5 of 5. 20 June, the whole day. The Mobile Fleet withdraws to the west, you have three carrier groups and \
thirteen turns, and then it is dark.
NEW: task groups that sail, real raids, night, victory points (6.3, 6.4, 9, 10, 12, 14.2, 15.1).
- TF 58 moves one hex when the US Move chit is drawn, and at no other time. Groups may separate and rejoin.
- A force with carriers has a display of its own. What its raids have shown is its known strength; points in the \
Servicing boxes cannot fly.
- Raids depend on a die roll: they come more often in the middle of the day, and when you are in range.
- Planes that land at dusk or at night roll for a safe return. Lights help, but Japanese submarines see them too.
- Carriers catch fire only in the full game, but hits close their decks here too.
YOUR TASK: find the carriers, sink or cripple some, and bring your planes home. Ships that you lose, planes that you \
lose and Japanese ships that reach Saipan count against you.
HINTS
- Search in the first phases of a turn, and have a strike ready when the result comes.
- Look at "home by" before each launch: a strike launched at 1730 over six hexes lands at dusk.
- Close the distance in the morning; four hexes nearer is worth more than another bomber.
- CAP over every group all day. One raid on full decks undoes a good strike.""",
    "6": """\
19 June, all rules. Saipan lies behind you, and somewhere to the west is the Mobile Fleet with its carriers.
NEW: Guam's air base, submarines on both sides, fires and crippled ships, commitment (11-14).
- Forces of unknown type may be anything, or nothing. The more carriers you have revealed, the fewer real ones are \
left: the Commitment Index shows how many have come to light.
- Guam launches raids of its own and takes in aircraft that fly there. Fighters over its field catch raids at take-off.
- You have five submarines. They shadow what they find, which helps your searches, or they attack.
- A carrier that was hit may burn. Fires are rolled at the end of each turn and keep the deck closed.
YOUR TASK: guard the invasion. Each Japanese ship that leaves the map past Saipan, or is in the invasion zone at the \
end, costs you points. Beyond this, sink carriers and shoot down planes.
HINTS
- Fighters first: the historical day was won by CAP, not by strikes.
- Hold your strikes until a carrier force is located within five or six hexes.
- Place submarines across the likely routes, two or three hexes apart.
- Surface forces that slip past you cost as much as a light carrier earns. Keep a group near Saipan.
With options: land reinforcements and double forces are recommended; night operations, surface combat, retirement and \
others may be added.""",
    "7": """\
19 June as it might have been: TF 58 has steamed west all night and is five hexes nearer to the enemy at dawn.
NEW: only the position. All rules of Scenario 6 are in use.
YOUR TASK: as in Scenario 6, but both your strikes and Japanese raids are in range from the first turn. What is \
behind you is farther away: a force that gets round you is hard to catch.
HINTS
- Search at 0530 even with its penalty: whoever strikes first here wins the day.
- Have CAP up before the first chit is drawn. Raids may arrive in the second turn.
- The Battle Line ahead of the carriers draws raids away (an option lets it start there).
- With the leeward rule you begin downwind, so you can launch few aircraft at first.""",
    "8": """\
Both days: thirty turns from the dawn of 19 June to the evening of 20 June, with the night between.
NEW: hits that age, a night at sea, refuelling (20, an option), two days of planning.
- Losses from the first day remain. A carrier with an air group half gone still has to search tomorrow.
- In the evening of 19 June the Japanese make for their oilers and then withdraw, if refuelling is in use. They do \
not come back.
- Units that fly at night rest by day, if night operations are in use.
YOUR TASK: guard Saipan, beat the raids on the first day, and then catch the fleet before it is gone.
HINTS
- On the first day planes count, on the second ships. Do not spend bombers on long shots before noon.
- Close in at night: hardly anything flies, and each US Move chit is a hex gained.
- Keep one good search of the west for each turn of the second day.
- The leeward rule (17) makes the choice real: a group that flies gains no ground.""",
    "9": """\
What if there had been no Coral Sea, no Midway, no Solomons? Both fleets at full strength, two days, and Saratoga \
with TG 58.4.
NEW: ships that were sunk in earlier years, better Japanese aircrews, the Kido Butai with six carriers (Scenario 9 \
only).
- Naval air points attack with 5 and pick fleet carriers first. Their fighters shoot better than in 1944, yours hit \
them less often.
- Each naval point destroyed is a victory point.
- Charts for raids and carrier forces have a modifier: forces are bigger and raids come more often.
YOUR TASK: as in Scenario 8, against an enemy who can win.
HINTS
- Keep more CAP and send fewer bombers than you are used to: the score is made in the air.
- Interceptions with two missions are worth their fuel: escorts here shoot back.
- Keep some distance between groups: in one hex they share the Battle Line, but all raids come to them.""",
}


def briefing(number: str) -> str:
    """Return the briefing for a scenario, one paragraph or list item per line, ending with the scoring."""
    return "\n".join((_PAGES[number], *_scoring_lines(standard_game_data().scenarios[number])))


def _scoring_lines(scenario: Scenario) -> tuple[str, ...]:
    """Return the lines that describe a scenario's scoring and victory levels."""
    victory = scenario.victory
    scoring_text = "victory points of rule 15.1" if victory.score == "15.1" else victory.score
    levels = [
        f"{level} from {min_score}" if min_score is not None else f"otherwise {level}"
        for level, min_score in victory_levels(scenario)
    ]
    lines = [f"SCORE: {scoring_text}.", f"LEVELS: {', '.join(levels)}."]
    if victory.historical:
        lines.append(f"IN HISTORY: {victory.historical}.")
    return tuple(lines)


def victory_levels(scenario: Scenario) -> tuple[tuple[str, int | None], ...]:
    """Return a scenario's victory levels from best to worst, each with its minimum points (None for the last)."""
    chart = reversed(standard_game_data().charts.victory_levels.columns)
    own_levels = tuple((level.level, level.min) for level in scenario.victory.levels)
    return own_levels or tuple((level.result, level.min) for level in chart)
