"""Which events can be played: a card is offered as event when every step of it is known to the interpreters (5.3)."""

from collections.abc import Iterator
from typing import Final

from engine.eots.deck import Card, cards
from engine.eots.deck_campaign import (
    China,
    Draw,
    Escorts,
    India,
    PoliticalWill,
    SetRivalry,
    WarInEurope,
)
from engine.eots.deck_offensive import (
    Activate,
    AllowOnly,
    AspForbid,
    AspTemp,
    BattleHexes,
    CancelOffensive,
    CritOnModified,
    DieMod,
    ExclusiveChoice,
    FreeActivation,
    Immune,
    Intel,
    IsrException,
    Kamikaze,
    KamikazeBonus,
    Limit,
    NavalMove,
    OverrideCommand,
    RequireActivated,
    RequireAmphib,
    RequireBattleHex,
    StepLossRoll,
    StrengthMod,
    WaiveMarineRequirement,
    WaiveSupply,
)
from engine.eots.ids import CardId
from engine.kernel.ids import Refusal, Rule

KNOWN_STEPS: Final = (
    Activate,
    AllowOnly,
    AspForbid,
    AspTemp,
    BattleHexes,
    CancelOffensive,
    China,
    CritOnModified,
    DieMod,
    Draw,
    Escorts,
    ExclusiveChoice,
    FreeActivation,
    Immune,
    India,
    Intel,
    IsrException,
    Kamikaze,
    KamikazeBonus,
    Limit,
    NavalMove,
    OverrideCommand,
    PoliticalWill,
    RequireActivated,
    RequireAmphib,
    RequireBattleHex,
    SetRivalry,
    StepLossRoll,
    StrengthMod,
    WaiveMarineRequirement,
    WaiveSupply,
    WarInEurope,
)
"""Steps that the interpreters carry out."""


def is_known(card: Card) -> bool:
    """Return whether the whole event of a card can be carried out."""
    return bool(card.effects) and all(isinstance(step, KNOWN_STEPS) for step in card.effects)


def check_known(card: CardId) -> Iterator[Refusal]:
    """Yield a refusal when the event of a card is not offered yet (5.3)."""
    if not is_known(cards()[card]):
        yield Refusal(
            Rule("5.3"), f"the event of {card} {cards()[card].title} is not offered in this version"
        )
