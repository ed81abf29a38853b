"""What scripts can answer to a question: an example of every command, and every rule that asks for a decision."""

from typing import Final

from engine.scripts.words import Asked

EXAMPLES: Final = {
    "activate": "japan: activate jp-army-38",
    "air-drop": "allied: air-drop 2911",
    "assault": "allied: assault 4322",
    "assault-via": "allied: assault-via 4423",
    "barge-assault": "japan: barge-assault 4021",
    "battle": "japan: battle 2015",
    "battle-with": "allied: battle-with us-air-1maw 4322",
    "bomb": "allied: bomb us-b29-20bc",
    "build-route": "allied: build-route A-21 2104",
    "china-offensive": "japan: china-offensive J-9",
    "cover": "japan: cover jp-cv-akagi 4612",
    "critical": "allied: critical jp-ca-mogami",
    "discard": "allied: discard A-13",
    "deactivate": "allied: deactivate jp-army-15",
    "disengage": "japan: disengage jp-army-14 2911",
    "divisions": "japan: divisions 1",
    "done": "japan: done",
    "drop": "japan: drop",
    "emergency": "allied: emergency us-ca-us-asia 2220",
    "end-rivalry": "allied: end-rivalry A-21",
    "evacuate": "allied: evacuate cw-air-seac 1005",
    "event": "japan: event J-23",
    "ferry": "allied: ferry us-air-7af",
    "fly": "allied: fly 4322",
    "fly-strategic": "allied: fly-strategic 5808",
    "fly-via": "allied: fly-via 4221",
    "future": "japan: future J-26",
    "halt": "allied: halt",
    "hit": "japan: hit us-cv-enterprise",
    "hex": "japan: hex 4423",
    "hq": "japan: hq jp-hq-south",
    "march": "japan: march 2014",
    "oc": "japan: oc J-23",
    "organic-assault": "japan: organic-assault 4021",
    "pass": "allied: pass",
    "pick": "japan: pick jp-bb-kongo",
    "place": "allied: place cw-hq-seac 1805",
    "react": "allied: react A-5",
    "rebuild": "allied: rebuild allied-air us-air-7af 5108 1",
    "redeploy": "japan: redeploy jp-bb-yamato",
    "remove": "allied: remove us-air-1maw",
    "repair": "allied: repair us-naval us-cv-lexington",
    "retreat": "allied: retreat cw-corps-3-ind 2013",
    "return-hq": "japan: return-hq J-11 jp-hq-combined-fleet-yamamoto 3307",
    "roll": "allied: roll",
    "sail": "japan: sail 2015",
    "sail-strategic": "japan: sail-strategic 4715",
    "sail-via": "japan: sail-via 2113",
    "save": "allied: save cw-corps-3-ind",
    "shift": "japan: shift jp-cvl-zuiho jp-cv-akagi",
    "special-reaction": "allied: special-reaction 5708",
    "stay": "allied: stay us-b29-20bc",
    "take": "allied: take A-4",
    "take-back": "japan: take-back",
    "transport": "allied: transport 4828",
    "with": "japan: with jp-ca-mogami",
    "withdraw-hq": "japan: withdraw-hq J-11 jp-hq-south-seas",
}
"""An example script line for every verb."""

ASKS: Final = (
    Asked("10.11", "the owner: where does which reinforcement arrive", "place"),
    Asked("11.23", "Japan: how many divisions leave China as ground steps", "divisions"),
    Asked("11.0", "the owner: on what are replacement steps spent", "repair rebuild done"),
    Asked("12.31", "the Allies: does this B29 bomb Japan", "bomb stay"),
    Asked("17.25D", "the Allies: is A-4 one of the first cards", "take pass"),
    Asked("17.25E", "Japan: is a card exchanged for J-47", "discard pass"),
    Asked("17.25C", "the Allies: free moves before the first card", "emergency done"),
    Asked(
        "17.11",
        "the Allies in December 1941: what J-2 orders, free moves after it; in turn 2: A-4",
        "battle-with emergency take event done pass",
    ),
    Asked("4.21", "the smaller hand: is the first play seized", "event pass"),
    Asked(
        "4.22",
        "the side to play: which card, and how",
        "oc event china-offensive build-route end-rivalry withdraw-hq return-hq future discard pass",
    ),
    Asked(
        "5.34",
        "the owner of a card: which card of the hand goes for which one of the discard pile",
        "discard take pass",
    ),
    Asked(
        "5.33",
        "the owner of a card: on what its steps are used, where its unit or the fleet goes, who loses a step",
        "repair rebuild place hex redeploy hit done",
    ),
    Asked("13.77", "the Allies: is a route of the card built", "build-route done"),
    Asked(
        "5.31",
        "a military event: the hex of the Tokyo Express or of paratroops, who is evacuated, who loses a step",
        "hex evacuate hit done",
    ),
    Asked("7.21", "step 1: HQ, then units", "hq activate ferry done"),
    Asked(
        "7.23",
        "step 2: which stack moves, and where to",
        (
            "pick with drop sail sail-via sail-strategic fly fly-via fly-strategic march assault "
            "assault-via organic-assault barge-assault transport air-drop halt done"
        ),
    ),
    Asked("8.43", "the Reaction player: do ground units withdraw", "disengage done"),
    Asked(
        "7.24",
        "step 3: battle hexes, and what air units and carriers do",
        "battle-with cover take-back done",
    ),
    Asked(
        "5.32D",
        "step 4: does a card cancel the offensive; J-64: who loses a step",
        "react hit pass",
    ),
    Asked(
        "7.27",
        "step 6: does a landing get a roll for special reaction",
        "special-reaction pass",
    ),
    Asked(
        "5.32E",
        "a personage: which activation is taken back, which corps loses a step",
        "deactivate hit",
    ),
    Asked("7.25", "step 7: the intelligence condition", "roll react pass"),
    Asked(
        "7.26",
        "step 8: reaction, HQ, units, moves, then battles to join",
        (
            "hq activate pick with drop sail sail-via fly march assault organic-assault halt battle-with "
            "done pass"
        ),
    ),
    Asked(
        "5.32B",
        "steps 9 and 12, step 6 where there is no battle: attack cards, and who loses steps to them",
        "react battle-with hit pass",
    ),
    Asked("7.2", "step 11: which battle is next", "battle"),
    Asked(
        "9.2", "hits at sea and in the air, and the carriers' shift", "hit save critical shift pass"
    ),
    Asked("9.4", "hits on the ground", "hit"),
    Asked("9.5", "the loser: where does a ground unit retreat to", "retreat"),
    Asked("9.6", "step 13: what returns to which base", "pick with drop sail fly march halt done"),
    Asked("8.22", "step 14: where does a displaced ship go", "emergency"),
    Asked("8.32", "step 14: where does a displaced air unit go", "emergency"),
    Asked("8.24", "the owner: which ship above the stacking limit goes", "remove"),
    Asked("8.34", "the owner: which air unit above the stacking limit goes", "remove"),
    Asked("8.48", "the owner: which ground unit above the stacking limit goes", "remove"),
    Asked("13.63", "the Allies: what leaves Continental India", "evacuate stay"),
)
"""Every rule that asks for a decision, in the order of a turn."""
