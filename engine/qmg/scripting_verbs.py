"""Script help: an example of every command, and every rule that asks for a decision."""

from typing import Final

from engine.scripts.words import Asked

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
"""A script line for every verb."""

ASKS: Final = (
    Asked("13.9", "constructed decks: which card is chosen", "take"),
    Asked("3.1", "set-up, every country: which cards of the first hand go", "discard"),
    Asked(
        "10.4",
        "a window, every country that could have an answer: use a card",
        "use reallocate air-defense pass",
    ),
    Asked(
        "8.2",
        "the active country: the Play step",
        "play drop use reallocate discard-top lose-point",
    ),
    Asked("8.3", "the active country: the card found by Reallocate Resources", "take done"),
    Asked(
        "7.1", "where an Army is built, or which counts as built", "build designate recruit done"
    ),
    Asked("7.2", "where a Navy is built, or which counts as built", "build designate recruit done"),
    Asked("7.3", "where a piece is recruited", "recruit done"),
    Asked("7.4", "which space is battled, and whose piece", "battle done"),
    Asked("7.5", "which piece is eliminated", "eliminate done"),
    Asked("7.8", "which part of a card, or which next", "choose done"),
    Asked("9.3", "which cards of a pile are taken, in which order", "take done"),
    Asked("9.4", "which cards are discarded for a card", "discard yes done"),
    Asked("9.5", "a cost: is it paid, and with what", "yes discard remove done"),
    Asked("9.6", "a part of a card: a country, a card, yes or no", "name take yes remove done"),
    Asked("9.7", "which card is played by another card", "play done"),
    Asked("11.1", "the country that Economic Warfare hits", "name"),
    Asked("16.13", "which piece is taken off, and where it is built again", "remove build done"),
    Asked(
        "13.3", "the Air step, or a card that moves Air Forces", "deploy marshal superiority done"
    ),
    Asked(
        "13.4",
        "where an Air Force left alone goes, or which is eliminated",
        "reposition eliminate done",
    ),
    Asked("13.6", "the battling country: an Air Attack", "air-attack done"),
    Asked("6.6", "the Supply step: which piece goes next", "remove"),
    Asked("12.1", "the Victory step: which Status scores next", "use pass"),
    Asked("8.4", "the Discard step: which cards go", "discard done use"),
)
"""Every rule that asks for a decision, roughly in turn order; ``withdraw`` (4.2) and some cards fit any of them."""
