"""Every step that an event of a card can be made of; match on the class (C4.2)."""

from engine.eots.deck_campaign import (
    AirborneDrop,
    BuildTransRoute,
    Capability,
    China,
    ControlAdjacentIslands,
    DelayReinforcements,
    DiscardRandom,
    Draw,
    Escorts,
    Evacuate,
    HqEfficiency,
    India,
    Marker,
    OpenTransRoute,
    ParadropControl,
    PlaceUnit,
    PoliticalWill,
    Redeploy,
    RemoveUnit,
    ReplaceHq,
    ReplacementPenalty,
    Replacements,
    ReshuffleEndOfTurn,
    ScheduleReinforcement,
    SetRivalry,
    SovietInvasion,
    Special,
    Supersede,
    SwapWithDiscard,
    TokyoExpress,
    WarInEurope,
)
from engine.eots.deck_offensive import (
    Activate,
    AllowOnly,
    AspForbid,
    AspPermanent,
    AspTemp,
    BattleHexes,
    CancelOffensive,
    CritOnModified,
    DeactivateUnit,
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
    NoReactivation,
    OverrideCommand,
    RequireActivated,
    RequireAmphib,
    RequireBattleHex,
    StepLoss,
    StepLossRoll,
    StrengthMod,
    WaiveMarineRequirement,
    WaiveSupply,
)

__all__ = [
    "Activate",
    "AirborneDrop",
    "AllowOnly",
    "AspForbid",
    "AspPermanent",
    "AspTemp",
    "BattleHexes",
    "BuildTransRoute",
    "CancelOffensive",
    "Capability",
    "China",
    "ControlAdjacentIslands",
    "CritOnModified",
    "DeactivateUnit",
    "DelayReinforcements",
    "DieMod",
    "DiscardRandom",
    "Draw",
    "Effect",
    "Escorts",
    "Evacuate",
    "ExclusiveChoice",
    "FreeActivation",
    "HqEfficiency",
    "Immune",
    "India",
    "Intel",
    "IsrException",
    "Kamikaze",
    "KamikazeBonus",
    "Limit",
    "Marker",
    "NavalMove",
    "NoReactivation",
    "OpenTransRoute",
    "OverrideCommand",
    "ParadropControl",
    "PlaceUnit",
    "PoliticalWill",
    "Redeploy",
    "RemoveUnit",
    "ReplaceHq",
    "ReplacementPenalty",
    "Replacements",
    "RequireActivated",
    "RequireAmphib",
    "RequireBattleHex",
    "ReshuffleEndOfTurn",
    "ScheduleReinforcement",
    "SetRivalry",
    "SovietInvasion",
    "Special",
    "StepLoss",
    "StepLossRoll",
    "StrengthMod",
    "Supersede",
    "SwapWithDiscard",
    "TokyoExpress",
    "WaiveMarineRequirement",
    "WaiveSupply",
    "WarInEurope",
]

Effect = (
    Activate
    | AllowOnly
    | Limit
    | RequireActivated
    | ExclusiveChoice
    | FreeActivation
    | WaiveSupply
    | OverrideCommand
    | IsrException
    | NavalMove
    | AspTemp
    | AspForbid
    | AspPermanent
    | NoReactivation
    | WaiveMarineRequirement
    | Intel
    | Immune
    | BattleHexes
    | RequireBattleHex
    | RequireAmphib
    | CancelOffensive
    | DeactivateUnit
    | DieMod
    | StrengthMod
    | CritOnModified
    | StepLoss
    | StepLossRoll
    | Kamikaze
    | KamikazeBonus
    | PlaceUnit
    | ReplaceHq
    | RemoveUnit
    | ScheduleReinforcement
    | Replacements
    | ReplacementPenalty
    | DelayReinforcements
    | ParadropControl
    | AirborneDrop
    | Evacuate
    | Redeploy
    | ControlAdjacentIslands
    | PoliticalWill
    | WarInEurope
    | China
    | India
    | SetRivalry
    | Escorts
    | Capability
    | Marker
    | Supersede
    | BuildTransRoute
    | OpenTransRoute
    | HqEfficiency
    | SovietInvasion
    | TokyoExpress
    | Draw
    | SwapWithDiscard
    | DiscardRandom
    | ReshuffleEndOfTurn
    | Special
)
"""One step of an event."""
