"""Describes each card's event in sentences for players. The rules read the steps in ``data/cards.json`` instead."""

from collections.abc import Mapping
from typing import Final

from engine.eots.ids import CardId

_US_RIVALRY: Final = "Inter-service rivalry begins for the US. Draw a card."
_JAPANESE_RIVALRY: Final = "Inter-service rivalry begins for Japan. Draw a card."
_INTERCEPT: Final = "Turns a surprise attack into an interception. Draw a card."
_CANCEL: Final = "Cancels an Allied offensive: all its units return to where they started."
_CHINA_LEFT: Final = "The China marker moves one box towards the collapse of the government."
_CHINA_RIGHT: Final = (
    "The China marker moves one box towards a stable front, but not into that box."
)
_INDIA: Final = (
    "The India marker moves one box towards revolts. Next turn the Allies have fewer ground replacements, "
    "and none for Commonwealth units."
)
_EUROPE_DOWN: Final = (
    "The War in Europe gets worse for the Allies: by 2 in 1942, by 1 in 1943, not at all later."
)
_EUROPE_UP: Final = (
    "The War in Europe improves for the Allies: by 1 in 1942 and 1943, by 2 in 1944, by 3 in 1945."
)
_EUROPE_UP_FASTER: Final = (
    "The War in Europe improves for the Allies: by 1 in 1942, by 2 in 1943, by 3 in 1944 and 1945."
)
_KAMIKAZE: Final = (
    "Within 11 hexes of Tokyo, the Allies lose 2 naval steps in a battle and Japan loses 1 air step. "
    "Draw a card."
)
_SWAP: Final = "You may then exchange a card from your hand for any card in your discard pile."
_PARATROOPS: Final = (
    "An offensive by the South or South Seas HQ with logistics 5. "
    "Before movement, paratroops seize a hex within range of your aircraft."
)
_ESCORT: Final = (
    "An offensive by the Combined Fleet HQ with logistics 2. "
    "The Escort marker goes up by one level against Allied submarines."
)
_B29_RAID: Final = (
    "An offensive with logistics 1 whose only ground unit may be a brigade. "
    "On a roll of 0-4, a B29 near Tokyo or in China loses a step."
)
_TOKYO_LANDING: Final = (
    "Logistics 8 under the Central Pacific HQ, 4 under any other. "
    "You must land within 10 hexes of Tokyo."
)
_NEW_ZEALAND: Final = (
    "A surprise attack by the ANZAC HQ with logistics 2. "
    "The only ground unit may be the 3rd New Zealand Division."
)


def _offensive(value: int, *more_text: str) -> str:
    return " ".join((f"An offensive with logistics {value}.", *more_text))


def _southwest(value: int, other_value: int, *more_text: str) -> str:
    first_sentence = (
        f"Logistics {value} under the Southwest Pacific HQ, {other_value} under any other."
    )
    return " ".join((first_sentence, *more_text))


def _central(value: int, other_value: int, *more_text: str) -> str:
    first_sentence = (
        f"Logistics {value} under the Central Pacific HQ, {other_value} under any other."
    )
    return " ".join((first_sentence, *more_text))


def _submarine(time_text: str, *results: str) -> str:
    return (
        f"Submarines attack {time_text} the battles. Roll a die: {', '.join(results)}. Draw a card."
    )


_ONE_ALLIED_STEP: Final = ("on 0-4 an Allied ship loses a step", "on 5-9 nothing happens")

CARD_SENTENCES: Final[Mapping[CardId, str]] = {
    CardId(card): sentence
    for card, sentence in {
        "J-1": (
            "The strike on Oahu: three carriers and BB Hiei attack by surprise on turn 1. "
            "US Political Will rises by 8."
        ),
        "J-2": "The opening offensive of turn 1: all three Japanese HQs together activate 26 units.",
        "J-3": (
            "A surprise attack by ground units only, with logistics 3. "
            "Your ground rolls get +4 in place of other modifiers in Malaya, jungle and mixed terrain."
        ),
        "J-4": _INTERCEPT,
        "J-5": "Japan receives 2 air replacement steps, to use now or later.",
        "J-6": f"{_CHINA_LEFT} Only after the Doolittle Raid (A-6).",
        "J-7": _US_RIVALRY,
        "J-8": _offensive(4, "Naval units only. Air-naval rolls against Commonwealth ships get +1."),
        "J-9": _offensive(6, "At most one ground unit. Both sides' ships may move 21 hexes."),
        "J-10": _offensive(6, "Only while Japan is free of inter-service rivalry."),
        "J-11": _US_RIVALRY,
        "J-12": _offensive(
            8,
            "All battles must be on one-hex islands. Allied intelligence rolls get +4 (high fails) "
            "unless the Allies watch French Frigate Shoals.",
        ),
        "J-13": "Turns a surprise attack into an interception, even after a failed intelligence roll.",
        "J-14": _offensive(5, "At most one ground unit. Your fleet carriers (CV) defend with +2."),
        "J-15": _INDIA,
        "J-16": _offensive(4, "Air and ground units only."),
        "J-17": (
            "A counter-offensive with logistics 3, which intercepts: only aircraft, or only ships without carriers. "
            "CA, CL and APD attack with +2. Draw a card."
        ),
        "J-18": (
            "If Japan controls 2108 and 2109, the railway from Bangkok to Rangoon is built. "
            "Japanese HQs then get +1 efficiency in Burma and Northern India."
        ),
        "J-19": _CANCEL,
        "J-20": _offensive(
            5,
            "If a BB attacks a hex with an Allied air unit and no Allied BB, "
            "the air unit loses a step before the battle.",
        ),
        "J-21": "Cancels an offensive by the SEAC HQ. One full Indian corps is reduced. Draw a card.",
        "J-22": _CANCEL,
        "J-23": _offensive(3, "Ground rolls get +1 where a brigade fights."),
        "J-24": _submarine("after", *_ONE_ALLIED_STEP),
        "J-25": _offensive(4, "US carriers attack with -2."),
        "J-26": _CHINA_LEFT,
        "J-27": _submarine(
            "after",
            "on 0-4 an Allied ship loses a step",
            "on 5-7 Allied ships lose two steps",
            "on 8-9 nothing happens",
        ),
        "J-28": _offensive(
            4, "At most one ground unit. The Tokyo Express supplies a hex of your choice this turn."
        ),
        "J-29": _offensive(4, "Air and naval units only. Your carriers attack with +2."),
        "J-30": "Japan receives 3 air replacement steps, to use now or later.",
        "J-31": "For the rest of the game, Japanese ground rolls on one-hex islands get +1.",
        "J-32": _offensive(
            4,
            "Air units only. Air-naval rolls get +1 within 6 hexes of a carrier (CV or CVL) that stays inactive.",
        ),
        "J-33": f"Ends Japan's inter-service rivalry. {_SWAP}",
        "J-34": _US_RIVALRY,
        "J-35": "Ships carry up to 3 ground units from one coastal hex and the hexes around it to one friendly port.",
        "J-36": _submarine("before", *_ONE_ALLIED_STEP),
        "J-37": _ESCORT,
        "J-38": _ESCORT,
        "J-39": "Japan receives 2 ground replacement steps for units within 3 hexes of Rangoon, to use now.",
        "J-40": _offensive(4, "Air and ground units only."),
        "J-41": _CHINA_LEFT,
        "J-42": _CHINA_LEFT,
        "J-43": (
            "US Political Will falls by 2, and the Soviets may invade Manchuria (A-79). "
            "From 1944 on, you must play it in the turn in which you draw it."
        ),
        "J-44": _offensive(
            4,
            "You get 2 more shipping points. The Tokyo Express supplies a hex of your choice this turn.",
        ),
        "J-45": (
            "A counter-offensive, which intercepts, with logistics 5 under the Combined Fleet HQ, 4 under any other. "
            "A kamikaze attack takes one more step."
        ),
        "J-46": (
            "A counter-offensive, which intercepts, with logistics 5 under the Combined Fleet HQ, 4 under any other. "
            "Allied carriers defend with +2."
        ),
        "J-47": "An offensive by the South or South Seas HQ with logistics 7. Your CA attack with +2.",
        "J-48": (
            "An offensive by the South or South Seas HQ with logistics 5. "
            "Air and ground units only, which need no supply."
        ),
        "J-49": _INTERCEPT,
        "J-50": "An offensive by the South or South Seas HQ with logistics 6. Air and ground units only.",
        "J-51": _EUROPE_DOWN,
        "J-52": _EUROPE_DOWN,
        "J-53": _EUROPE_DOWN,
        "J-54": _EUROPE_DOWN,
        "J-55": "The War in Europe gets worse for the Allies: by 3 in 1942, by 2 in 1943, by 1 in 1944.",
        "J-56": _EUROPE_DOWN,
        "J-57": _EUROPE_DOWN,
        "J-58": _PARATROOPS,
        "J-59": _PARATROOPS,
        "J-60": _PARATROOPS,
        "J-61": _KAMIKAZE,
        "J-62": _KAMIKAZE,
        "J-63": _KAMIKAZE,
        "J-64": f"{_CANCEL} It may cost one of its CA or DD a step. Draw a card.",
        "J-65": (
            "A counter-offensive, which intercepts, with logistics one above the Allied card's value. "
            "Air and naval units only. BB Yamato loses a step afterwards."
        ),
        "J-66": _KAMIKAZE,
        "J-67": f"Ends Japan's inter-service rivalry. {_SWAP}",
        "J-68": f"Ends Japan's inter-service rivalry. {_SWAP}",
        "J-69": _INTERCEPT,
        "J-70": _INTERCEPT,
        "J-71": (
            "Japan receives 2 air replacement steps. Allied strategic bombing rolls get +1, "
            "which is bad for the Allies, until they have an airbase within 5 hexes of Tokyo."
        ),
        "J-72": "Japan receives 3 naval replacement steps, to use now or later.",
        "J-73": (
            "An offensive by the South or South Seas HQ with logistics 3. "
            "Japan may use barges from now on, unless PT Boats (A-23) has been played."
        ),
        "J-74": "US Political Will falls by 1.",
        "J-75": _submarine("before", *_ONE_ALLIED_STEP),
        "J-76": _B29_RAID,
        "J-77": "The Combined Fleet HQ and up to 4 ships move to a port within 3 hexes of a resource hex.",
        "J-78": "The Tainan air unit enters the game.",
        "J-79": _B29_RAID,
        "J-80": "The Allied reinforcements of next turn are delayed. Draw a card.",
        "J-81": _KAMIKAZE,
        "J-82": _INDIA,
        "J-83": "An offensive by the South HQ with logistics 4. Your CA, CL and APD attack with +2.",
        "J-84": _INTERCEPT,
        "J-85": (
            "A counter-offensive, which intercepts, with logistics equal to the Allied card's value. Naval units only."
        ),
        "J-86": _submarine(
            "after", "on 0-7 an Allied ship loses a step", "on 8-9 nothing happens"
        ),
        "A-1": "US Political Will rises by 1 if Japan controls Manila.",
        "A-2": _JAPANESE_RIVALRY,
        "A-3": "The Allies receive 2 ground replacement steps for Australian units, to use now.",
        "A-4": "Ends the US inter-service rivalry. The ABDA HQ enters in a port of the Dutch East Indies.",
        "A-5": (
            "A counter-offensive, which intercepts, with logistics 3 and no shipping points. "
            "Allied aircraft defend with +2."
        ),
        "A-6": "US Political Will rises by 1. Japan may play its China Operation (J-6) from now on.",
        "A-7": "An offensive by the SEAC HQ with logistics 4. Air and ground units only. Ground rolls get +2.",
        "A-8": (
            "Turns a surprise attack into an interception if Japanese aircraft or ships are active. Draw a card."
        ),
        "A-9": (
            "An offensive by the Southwest or Central Pacific HQ with logistics 12. You must invade Japan. "
            "You get 4 more shipping points."
        ),
        "A-10": f"Ends the US inter-service rivalry. {_SWAP}",
        "A-11": _EUROPE_UP,
        "A-12": (
            "Turns a surprise attack into an ambush: your air-naval rolls get +4, your hits come first, "
            "and 9 or more after modifiers is a critical hit."
        ),
        "A-13": "A surprise attack with logistics 5. At most one ground unit.",
        "A-14": _EUROPE_UP,
        "A-15": "The Allies receive 2 US naval replacement steps, to use now.",
        "A-16": "A Japanese air unit within range of a US HQ and outside Japan loses a step.",
        "A-17": (
            "The air route over the Hump is open for the rest of the game. "
            "The AVG or a 14th Air Force unit may regain a step."
        ),
        "A-18": "The Allies have one more shipping point in every turn.",
        "A-19": _offensive(3, "Air and ground units only."),
        "A-20": "Halsey replaces Ghormley at the South Pacific HQ and opens an offensive with logistics 4.",
        "A-21": _southwest(6, 4),
        "A-22": (
            "A Japanese ground unit in Burma or Northern India is deactivated. The 77th Brigade arrives next turn."
        ),
        "A-23": "Japan may not use barges for the rest of the game. Draw a card.",
        "A-24": (
            "Japan has one shipping point fewer for the rest of the game. "
            "An active CA, CL or APD within range of US aircraft loses a step. Draw a card."
        ),
        "A-25": (
            "An offensive by the Southwest Pacific HQ with logistics 3. "
            "US air, US ground and Australian ground units only. US ground units attack with -1."
        ),
        "A-26": (
            "Turns a surprise attack into an ambush: your air-naval and ground rolls get +4, and your hits come first."
        ),
        "A-27": "Ozawa replaces Yamamoto at the Combined Fleet HQ.",
        "A-28": _offensive(
            3,
            "A landing on an undefended one-hex island also takes the undefended one-hex islands next to it.",
        ),
        "A-29": _offensive(4, "Your ground rolls get +1."),
        "A-30": _offensive(
            4,
            "It must attack an Aleutian hex that Japan holds. "
            "While Japan holds one, the card has no other use than a discard.",
        ),
        "A-31": _offensive(6, "Air units only."),
        "A-32": _southwest(7, 4),
        "A-33": _offensive(
            3,
            "Air and ground units only. Ends the US inter-service rivalry. You may build a transport route.",
        ),
        "A-34": "An offensive by a joint or Commonwealth HQ with logistics 4. Commonwealth units only.",
        "A-35": _NEW_ZEALAND,
        "A-36": _offensive(5, "US CA attack with +2."),
        "A-37": (
            "A surprise attack with logistics 6. At most one ground unit. Ground rolls on one-hex islands get +2."
        ),
        "A-38": _offensive(
            4, "Air and ground units only. If the HQ can activate a Chinese unit, it must activate one."
        ),
        "A-39": (
            "Ends the US inter-service rivalry. The Allies receive 3 Chinese ground steps and 1 air step to use now, "
            "and may build a transport route."
        ),
        "A-40": _southwest(5, 3),
        "A-41": _EUROPE_UP,
        "A-42": _EUROPE_UP,
        "A-43": _JAPANESE_RIVALRY,
        "A-44": _NEW_ZEALAND,
        "A-45": _central(8, 4),
        "A-46": (
            "A surprise attack by the Southwest Pacific HQ with logistics 1. "
            "Despite rivalry, one US warship other than a carrier may join the Army."
        ),
        "A-47": _EUROPE_UP_FASTER,
        "A-48": (
            "Logistics 4 under the SEAC HQ, 3 under any other. Air and ground units only. "
            "A Chinese unit regains a step, and Chinese armies in range are activated free of charge."
        ),
        "A-49": _CHINA_RIGHT,
        "A-50": _southwest(
            4,
            3,
            "Under that HQ, one US warship other than a carrier may join the Army despite rivalry.",
        ),
        "A-51": _offensive(4, "Air units only. The 14th Air Force enters, and the AVG leaves the game."),
        "A-52": f"Ends the US inter-service rivalry. {_SWAP}",
        "A-53": _central(6, 4),
        "A-54": _southwest(4, 3),
        "A-55": _central(
            6, 4, "Japanese carriers attack with -2. A Japanese air unit loses a step at the end."
        ),
        "A-56": _southwest(4, 3),
        "A-57": (
            "An offensive by a Commonwealth or joint HQ with logistics 5. Commonwealth, Chinese and US air units only."
        ),
        "A-58": "An offensive by the SEAC HQ with logistics 4. Commonwealth, Chinese and US air units only.",
        "A-59": _INTERCEPT,
        "A-60": "If a B29 is in the China box, Japan loses a random card from its hand.",
        "A-61": _submarine(
            "before",
            "on 0-4 a Japanese ship loses a step",
            "on 5-7 Japanese ships lose two steps",
            "on 8-9 nothing happens",
        ),
        "A-62": _southwest(
            8, 6, "A battle must be in the Philippines. The US Army may land on one-hex islands alone."
        ),
        "A-63": _central(6, 4),
        "A-64": _southwest(4, 3),
        "A-65": _southwest(
            8, 6, "A battle must be in the Philippines. Ends the US inter-service rivalry."
        ),
        "A-66": _EUROPE_UP_FASTER,
        "A-67": "If a B29 on the map is within range of Tokyo, Japan loses a random card from its hand.",
        "A-68": _submarine(
            "after", "on 0-7 a Japanese ship of your choice loses a step", "on 8-9 nothing happens"
        ),
        "A-69": _southwest(8, 6, "The 11th Airborne Division may drop within range of US aircraft."),
        "A-70": (
            "An offensive by the SEAC HQ with logistics 6. Commonwealth, Chinese and US air units only. "
            "The 7th Armoured Brigade enters first."
        ),
        "A-71": _southwest(6, 4),
        "A-72": _central(
            8,
            4,
            "If a US carrier fights in Japan, Japan plays a weather card or loses a random card from its hand.",
        ),
        "A-73": _EUROPE_UP_FASTER,
        "A-74": _TOKYO_LANDING,
        "A-75": _TOKYO_LANDING,
        "A-76": _offensive(5, "All Allied aircraft and ships, but only Australian ground units."),
        "A-77": _CHINA_RIGHT,
        "A-78": (
            "Midget submarines: on 0-7 an inactive Japanese ship in a port outside Japan loses a step. Draw a card."
        ),
        "A-79": (
            "After Tojo has resigned (J-43), the Soviets take 3302 and 3303 from Japan for good, "
            "and the China marker moves two boxes towards a stable front."
        ),
        "A-80": "Japan loses its modifiers against Allied submarines for the rest of the game. Draw a card.",
        "A-81": _CHINA_RIGHT,
        "A-82": _CHINA_RIGHT,
        "A-83": _CHINA_RIGHT,
        "A-84": (
            "A surprise attack by the Central Pacific HQ with US carriers only, as many as its efficiency. "
            "No reaction card changes the surprise, and weather cannot cancel it."
        ),
    }.items()
}  # fmt: skip
"""One or more sentences for each card, without the values that are printed on every card."""
