"""Commands in scripts: an example of every command, and a list of the rules that require a decision."""

from typing import Final

from engine.scripts.words import DecisionRule

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
"""An example script line for each verb."""

DECISION_RULES: Final = (
    DecisionRule("10.11", "owner: which reinforcement arrives, and where", "place"),
    DecisionRule(
        "11.23", "Japan: how many divisions to take from China as ground steps", "divisions"
    ),
    DecisionRule("11.0", "owner: how to spend replacement steps", "repair rebuild done"),
    DecisionRule("12.31", "Allies: whether this B29 bombs Japan", "bomb stay"),
    DecisionRule("17.25D", "Allies: whether to take A-4 as one of the first cards", "take pass"),
    DecisionRule("17.25E", "Japan: whether to exchange a card for J-47", "discard pass"),
    DecisionRule("17.25C", "Allies: free moves before the first card", "emergency done"),
    DecisionRule(
        "17.11",
        "Allies in December 1941: the orders of J-2 and the free moves after it; in turn 2: A-4",
        "battle-with emergency take event done pass",
    ),
    DecisionRule(
        "4.21", "side with the smaller hand: whether to seize the first play", "event pass"
    ),
    DecisionRule(
        "4.22",
        "side to play: which card to play, and how",
        "oc event china-offensive build-route end-rivalry withdraw-hq return-hq future discard pass",
    ),
    DecisionRule(
        "5.34",
        "owner of a card: which card from the hand to exchange for which one from the discard pile",
        "discard take pass",
    ),
    DecisionRule(
        "5.33",
        (
            "owner of a card: how to use its steps, where to place its unit or move the fleet, and which unit "
            "loses a step"
        ),
        "repair rebuild place hex redeploy hit done",
    ),
    DecisionRule(
        "13.77", "Allies: whether to build a transport route with the card", "build-route done"
    ),
    DecisionRule(
        "5.31",
        (
            "player of a military event: the hex for the Tokyo Express or paratroops, which unit to evacuate, and"
            " which unit loses a step"
        ),
        "hex evacuate hit done",
    ),
    DecisionRule("7.21", "step 1: HQ, then units", "hq activate ferry done"),
    DecisionRule(
        "7.23",
        "step 2: which stack to move, and where",
        (
            "pick with drop sail sail-via sail-strategic fly fly-via fly-strategic march assault "
            "assault-via organic-assault barge-assault transport air-drop halt done"
        ),
    ),
    DecisionRule("8.43", "Reaction player: whether to withdraw ground units", "disengage done"),
    DecisionRule(
        "7.24",
        "step 3: battle hexes, and the tasks of air units and carriers",
        "battle-with cover take-back done",
    ),
    DecisionRule(
        "5.32D",
        "step 4: whether to cancel the offensive with a card; with J-64 which unit loses a step",
        "react hit pass",
    ),
    DecisionRule(
        "7.27",
        "step 6: whether to roll for special reaction to a landing",
        "special-reaction pass",
    ),
    DecisionRule(
        "5.32E",
        "player of a personage card: which unit to deactivate, or which corps loses a step",
        "deactivate hit",
    ),
    DecisionRule("7.25", "step 7: whether to change the intelligence condition", "roll react pass"),
    DecisionRule(
        "7.26",
        "step 8: reaction HQ, units and moves, then which battles to join",
        (
            "hq activate pick with drop sail sail-via fly march assault organic-assault halt battle-with "
            "done pass"
        ),
    ),
    DecisionRule(
        "5.32B",
        (
            "steps 9 and 12, or step 6 without a battle: attack cards, and which units lose steps to them"
        ),
        "react battle-with hit pass",
    ),
    DecisionRule("7.2", "step 11: which battle to resolve next", "battle"),
    DecisionRule(
        "9.2",
        "hits on naval and air units, and the carriers' shift",
        "hit save critical shift pass",
    ),
    DecisionRule("9.4", "hits on ground units", "hit"),
    DecisionRule("9.5", "loser: where a ground unit retreats", "retreat"),
    DecisionRule(
        "9.6",
        "step 13: which unit returns to which base",
        "pick with drop sail fly march halt done",
    ),
    DecisionRule("8.22", "step 14: where to place a displaced ship", "emergency"),
    DecisionRule("8.32", "step 14: where to place a displaced air unit", "emergency"),
    DecisionRule("8.24", "owner: which ship over the stacking limit to remove", "remove"),
    DecisionRule("8.34", "owner: which air unit over the stacking limit to remove", "remove"),
    DecisionRule("8.48", "owner: which ground unit over the stacking limit to remove", "remove"),
    DecisionRule(
        "13.63", "Allies: which units to evacuate from Continental India", "evacuate stay"
    ),
)
"""Every rule that asks a player for a decision, in turn order."""
