"""Identifiers for forces, countries, teams, pieces and card types (0, 1, 9.2)."""

from typing import Final, Literal, TypeAlias

from engine.kernel import hidden

Force: TypeAlias = Literal["germany", "uk", "japan", "ussr", "italy", "usa", "france", "china"]
Team: TypeAlias = Literal["axis", "allies"]
Kind: TypeAlias = Literal["army", "navy", "air"]
"""Kinds of pieces."""
CardType: TypeAlias = Literal[
    "build_army",
    "build_navy",
    "land_battle",
    "sea_battle",
    "event",
    "economic_warfare",
    "response",
    "status",
    "bolster",
    "air_power",
]

GERMANY: Final = "germany"
UK: Final = "uk"
JAPAN: Final = "japan"
USSR: Final = "ussr"
ITALY: Final = "italy"
USA: Final = "usa"
FRANCE: Final = "france"
CHINA: Final = "china"

COUNTRIES: Final = (GERMANY, UK, JAPAN, USSR, ITALY, USA)
"""The playable countries in turn order (3.3). A country's index is its position in this tuple."""
FORCES: Final = (*COUNTRIES, FRANCE, CHINA)
"""Owners of pieces. The countries are first, so that their indexes are the same as in ``COUNTRIES``."""
FORCE_INDEX: Final = {force: index for index, force in enumerate(FORCES)}

AXIS: Final = "axis"
ALLIES: Final = "allies"
TEAMS: Final = (AXIS, ALLIES)
MEMBERS: Final = {AXIS: (GERMANY, JAPAN, ITALY), ALLIES: (UK, USSR, USA, FRANCE, CHINA)}
"""Forces of each team (0)."""
TEAM_BY_FORCE: Final = {force: team for team, forces in MEMBERS.items() for force in forces}
PLAYERS: Final = {
    team: tuple(country for country in COUNTRIES if TEAM_BY_FORCE[country] == team)
    for team in TEAMS
}
"""Countries of each team in turn order."""
DECIDER: Final = {force: {FRANCE: UK, CHINA: USA}.get(force, force) for force in FORCES}
"""The country that decides for each force: the UK for France, the USA for China (4.2, 13.7, 13.8)."""
MINOR_FORCE: Final = {UK: FRANCE, USA: CHINA}
"""The force without a deck that each of these countries controls (13.7, 13.8)."""

ARMY: Final = "army"
NAVY: Final = "navy"
AIR: Final = "air"
KINDS: Final = (ARMY, NAVY, AIR)

BUILD_ARMY: Final = "build_army"
BUILD_NAVY: Final = "build_navy"
LAND_BATTLE: Final = "land_battle"
SEA_BATTLE: Final = "sea_battle"
EVENT: Final = "event"
ECONOMIC_WARFARE: Final = "economic_warfare"
RESPONSE: Final = "response"
STATUS: Final = "status"
BOLSTER: Final = "bolster"
AIR_POWER: Final = "air_power"
BASIC_TYPES: Final = (BUILD_ARMY, BUILD_NAVY, LAND_BATTLE, SEA_BATTLE)
"""Card types that a country can take when it reallocates resources (8.3)."""

HIDDEN: Final = hidden.HIDDEN
"""Placeholder for a card whose face this copy of the game does not know (9.3)."""
HAND_SIZE: Final = 7
ROUNDS: Final = 20


def other_team(team: str) -> str:
    """Return the opposing team."""
    return ALLIES if team == AXIS else AXIS


def instance_name(instance: str) -> str:
    """Return an instance's card id: the part before ``#``."""
    return instance.partition("#")[0]
