"""Script help: an example of every command, and a list of the rules that require a decision."""

from typing import Final

from engine.scripts.words import DecisionRule

EXAMPLES: Final = {
    "air-attack": "germany: air-attack ukraine",
    "air-defense": "ussr: air-defense",
    "battle": "germany: battle germany moscow ussr",
    "build": "germany: build germany army western_europe",
    "choose": "usa: choose 2",
    "deploy": "uk: deploy uk united_kingdom",
    "designate": "germany: designate germany army germany",
    "discard": "germany: discard de_build_army#2",
    "discard-top": "italy: discard-top",
    "done": "germany: done",
    "drop": "germany: drop de_build_army",
    "eliminate": "ussr: eliminate germany army ukraine",
    "lose-point": "italy: lose-point",
    "marshal": "uk: marshal france western_europe united_kingdom",
    "name": "usa: name uk",
    "pass": "ussr: pass",
    "play": "germany: play de_build_army",
    "reallocate": "germany: reallocate",
    "recruit": "uk: recruit uk army africa",
    "remove": "italy: remove italy army africa",
    "reposition": "usa: reposition usa southeast_pacific",
    "superiority": "uk: superiority uk united_kingdom north_sea germany",
    "take": "uk: take uk_build_army",
    "use": "ussr: use su_moscow",
    "withdraw": "germany: withdraw germany army ukraine",
    "yes": "italy: yes",
}
"""An example script line for each verb."""

DECISION_RULES: Final = (
    DecisionRule("13.9", "constructed decks: which card to choose", "take"),
    DecisionRule(
        "3.1", "every country in set-up: which cards from the first hand to discard", "discard"
    ),
    DecisionRule(
        "10.4",
        "every country that could answer in a window: whether to use a card",
        "use reallocate air-defense pass",
    ),
    DecisionRule(
        "8.2",
        "active country: the Play step",
        "play drop use reallocate discard-top lose-point",
    ),
    DecisionRule(
        "8.3", "active country: which card to find with Reallocate Resources", "take done"
    ),
    DecisionRule(
        "7.1",
        "where to build an Army, or which one counts as built",
        "build designate recruit done",
    ),
    DecisionRule(
        "7.2", "where to build a Navy, or which one counts as built", "build designate recruit done"
    ),
    DecisionRule("7.3", "where to recruit a piece", "recruit done"),
    DecisionRule("7.4", "which space to battle, and whose piece", "battle done"),
    DecisionRule("7.5", "which piece to eliminate", "eliminate done"),
    DecisionRule("7.8", "which part of a card to use, or which one next", "choose done"),
    DecisionRule("9.3", "which cards to take from a pile, and in which order", "take done"),
    DecisionRule("9.4", "which cards to discard for a card", "discard yes done"),
    DecisionRule("9.5", "whether to pay a cost, and how", "yes discard remove done"),
    DecisionRule(
        "9.6", "a choice on a card: a country, a card, or yes or no", "name take yes remove done"
    ),
    DecisionRule("9.7", "which card to play with another card", "play done"),
    DecisionRule("11.1", "which country to hit with Economic Warfare", "name"),
    DecisionRule("16.13", "which piece to remove, and where to rebuild it", "remove build done"),
    DecisionRule(
        "13.3", "the Air step, or a card that moves Air Forces", "deploy marshal superiority done"
    ),
    DecisionRule(
        "13.4",
        "where to move an Air Force left alone, or which one to eliminate",
        "reposition eliminate done",
    ),
    DecisionRule("13.6", "battling country: whether to make an Air Attack", "air-attack done"),
    DecisionRule("6.6", "Supply step: which piece to remove next", "remove"),
    DecisionRule("12.1", "Victory step: which Status scores next", "use pass"),
    DecisionRule("8.4", "Discard step: which cards to discard", "discard done use"),
)
"""Every rule that requires a decision, roughly in turn order. ``withdraw`` (4.2) and some cards can always be used."""
