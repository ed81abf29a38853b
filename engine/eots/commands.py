"""Every command that a player of Empire of the Sun can give. A command's tag is its verb in the text notation.

No command contains a whole plan. Large choices are split so that every list of options stays short.
"""

from typing import Final

from engine.eots.ids import CardId, HexId, Pool, UnitId
from engine.kernel.ruleset import Command
from engine.kernel.unions import leaf_types, union_of


class EotsCommand(Command, frozen=True, kw_only=True):
    """Base class for all commands."""


# card play (4.22, 5.0):


class OperationsOffensive(EotsCommand, frozen=True, kw_only=True, tag="oc"):
    """Play a card as an operations card for an offensive (5.0 A)."""

    card: CardId


class PlayEvent(EotsCommand, frozen=True, kw_only=True, tag="event"):
    """Play a card as an event, with an offensive if it has a logistics value (5.3)."""

    card: CardId


class ChinaOffensive(EotsCommand, frozen=True, kw_only=True, tag="china-offensive"):
    """Play a card with operations value 3 as a China offensive (13.72)."""

    card: CardId


class WithdrawHq(EotsCommand, frozen=True, kw_only=True, tag="withdraw-hq"):
    """Play a card to take an HQ off the map (6.13)."""

    card: CardId
    hq: UnitId


class ReturnHq(EotsCommand, frozen=True, kw_only=True, tag="return-hq"):
    """Play a card to bring an HQ back early (6.15)."""

    card: CardId
    hq: UnitId
    at: HexId


class BuildRoute(EotsCommand, frozen=True, kw_only=True, tag="build-route"):
    """Play a card with operations value 3 to build a transport route (13.77)."""

    card: CardId
    at: HexId


class EndRivalry(EotsCommand, frozen=True, kw_only=True, tag="end-rivalry"):
    """Play a card with operations value 3 to end your own inter-service rivalry (17.26, 17.37, 17.47)."""

    card: CardId


class PlaceFuture(EotsCommand, frozen=True, kw_only=True, tag="future"):
    """Place a card face down as a future offensives card (7.29)."""

    card: CardId


class DiscardCard(EotsCommand, frozen=True, kw_only=True, tag="discard"):
    """Discard a card from hand (4.22)."""

    card: CardId


class Pass(EotsCommand, frozen=True, kw_only=True, tag="pass"):
    """Use a pass, or decline an opportunity (4.22, 5.32)."""


class Done(EotsCommand, frozen=True, kw_only=True, tag="done"):
    """Finish the current step."""


# offensives (7):


class ChooseHq(EotsCommand, frozen=True, kw_only=True, tag="hq"):
    """Choose the HQ that will activate units (7.21, 7.26)."""

    hq: UnitId


class Activate(EotsCommand, frozen=True, kw_only=True, tag="activate"):
    """Activate a unit (7.21, 7.26)."""

    unit: UnitId


class Ferry(EotsCommand, frozen=True, kw_only=True, tag="ferry"):
    """Send an air unit to the turn track when it is activated (8.33)."""

    unit: UnitId


class Join(EotsCommand, frozen=True, kw_only=True, tag="battle-with"):
    """Let an air unit or carrier join a battle (7.24, 7.26)."""

    unit: UnitId
    at: HexId


class Cover(EotsCommand, frozen=True, kw_only=True, tag="cover"):
    """Let a carrier or air unit cover a landing (7.24)."""

    unit: UnitId
    at: HexId


class TakeBack(EotsCommand, frozen=True, kw_only=True, tag="take-back"):
    """Take back a card whose battle condition cannot be met, before hidden information is revealed (CP-04)."""


class ChooseHex(EotsCommand, frozen=True, kw_only=True, tag="hex"):
    """Name a hex for an event (5.3)."""

    at: HexId


class Redeploy(EotsCommand, frozen=True, kw_only=True, tag="redeploy"):
    """Move a ship or HQ to the port named for an event (J-77)."""

    unit: UnitId


class AirDrop(EotsCommand, frozen=True, kw_only=True, tag="air-drop"):
    """Drop a card's airborne division into a hex (A-69)."""

    to: HexId


class React(EotsCommand, frozen=True, kw_only=True, tag="react"):
    """Play a reaction card as an event (5.32)."""

    card: CardId


class RollIntelligence(EotsCommand, frozen=True, kw_only=True, tag="roll"):
    """Roll for the intelligence condition (7.25)."""


class Deactivate(EotsCommand, frozen=True, kw_only=True, tag="deactivate"):
    """Name the enemy unit that a card deactivates (5.32E)."""

    unit: UnitId


class SpecialReaction(EotsCommand, frozen=True, kw_only=True, tag="special-reaction"):
    """Roll for special reaction to a landing (7.27)."""

    at: HexId


# movement (8):


class Pick(EotsCommand, frozen=True, kw_only=True, tag="pick"):
    """Begin to move a unit; others in its hex may join (7.23)."""

    unit: UnitId


class Enlist(EotsCommand, frozen=True, kw_only=True, tag="with"):
    """Add a unit in the same hex to the stack before it moves (7.23)."""

    unit: UnitId


class Drop(EotsCommand, frozen=True, kw_only=True, tag="drop"):
    """Put the stack back without moving it."""


class Sail(EotsCommand, frozen=True, kw_only=True, tag="sail"):
    """Move a naval stack to a hex and end its move there (8.21, 9.6)."""

    to: HexId


class SailVia(EotsCommand, frozen=True, kw_only=True, tag="sail-via"):
    """Move a naval stack to a waypoint and continue (8.21)."""

    to: HexId


class SailStrategic(EotsCommand, frozen=True, kw_only=True, tag="sail-strategic"):
    """Move a naval stack from port to port with twice the allowance (8.23)."""

    to: HexId


class Fly(EotsCommand, frozen=True, kw_only=True, tag="fly"):
    """Fly a leg; the stack may continue as long as it has legs left (8.31)."""

    to: str


class FlyVia(EotsCommand, frozen=True, kw_only=True, tag="fly-via"):
    """Fly to a waypoint on a leg and continue (8.31)."""

    to: HexId


class FlyStrategic(EotsCommand, frozen=True, kw_only=True, tag="fly-strategic"):
    """Move air units by strategic air transport (8.33)."""

    to: str


class March(EotsCommand, frozen=True, kw_only=True, tag="march"):
    """Move a ground stack overland; it may continue as long as it has movement left (8.42)."""

    to: HexId


class Assault(EotsCommand, frozen=True, kw_only=True, tag="assault"):
    """Land a stack's ground units from the sea, using shipping points (8.45)."""

    to: HexId


class AssaultVia(EotsCommand, frozen=True, kw_only=True, tag="assault-via"):
    """Move an amphibious stack to a waypoint and continue (8.45)."""

    to: HexId


class OrganicAssault(EotsCommand, frozen=True, kw_only=True, tag="organic-assault"):
    """Land a brigade from the ship that carries it (8.46)."""

    to: HexId


class BargeAssault(EotsCommand, frozen=True, kw_only=True, tag="barge-assault"):
    """Land a ground unit across one sea hexside by barge (8.47)."""

    to: HexId


class Transport(EotsCommand, frozen=True, kw_only=True, tag="transport"):
    """Move a ground unit by strategic ground transport (8.44)."""

    to: HexId


class Halt(EotsCommand, frozen=True, kw_only=True, tag="halt"):
    """End the stack's move where it is."""


class Disengage(EotsCommand, frozen=True, kw_only=True, tag="disengage"):
    """Withdraw a reaction ground unit one hex (8.43)."""

    unit: UnitId
    to: HexId


class Emergency(EotsCommand, frozen=True, kw_only=True, tag="emergency"):
    """Place a displaced air or naval unit (8.22, 8.32)."""

    unit: UnitId
    to: HexId


class RemoveExcess(EotsCommand, frozen=True, kw_only=True, tag="remove"):
    """Remove a unit in excess of the stacking limit (8.24, 8.34, 8.48)."""

    unit: UnitId


# battle (9):


class Resolve(EotsCommand, frozen=True, kw_only=True, tag="battle"):
    """Choose the battle to resolve next (7.2 step 11)."""

    at: HexId


class Hit(EotsCommand, frozen=True, kw_only=True, tag="hit"):
    """Assign hits to a unit, which loses one step (9.2F, 9.4B)."""

    unit: UnitId


class SaveStep(EotsCommand, frozen=True, kw_only=True, tag="save"):
    """Name the ground unit that keeps the last step (9.2F-5)."""

    unit: UnitId


class WeakCritical(EotsCommand, frozen=True, kw_only=True, tag="critical"):
    """Choose the weakest unit that a critical hit reduces (9.2F-6)."""

    unit: UnitId


class ShiftStep(EotsCommand, frozen=True, kw_only=True, tag="shift"):
    """Let one Japanese carrier take another's step loss (9.2F-7)."""

    loser: UnitId
    gainer: UnitId


class Retreat(EotsCommand, frozen=True, kw_only=True, tag="retreat"):
    """Retreat a ground unit to an adjacent hex (9.5)."""

    unit: UnitId
    to: HexId


# strategic phase (10-12), politics (13):


class Place(EotsCommand, frozen=True, kw_only=True, tag="place"):
    """Place a reinforcement (10.11)."""

    unit: UnitId
    at: str


class Repair(EotsCommand, frozen=True, kw_only=True, tag="repair"):
    """Spend a replacement step to flip a reduced unit (11.0)."""

    pool: Pool
    unit: UnitId


class Rebuild(EotsCommand, frozen=True, kw_only=True, tag="rebuild"):
    """Spend replacement steps to return an eliminated unit (11.0)."""

    pool: Pool
    unit: UnitId
    at: str
    steps: int


class Divisions(EotsCommand, frozen=True, kw_only=True, tag="divisions"):
    """Take 0, 1 or 2 divisions from China as ground steps (11.23)."""

    count: int


class Bomb(EotsCommand, frozen=True, kw_only=True, tag="bomb"):
    """Bomb Japan with a B29 (12.3)."""

    unit: UnitId


class TakeCard(EotsCommand, frozen=True, kw_only=True, tag="take"):
    """Take a card into the hand about to be dealt, or from the discard pile (17.11, 17.25D, CP-33)."""

    card: CardId


class Stay(EotsCommand, frozen=True, kw_only=True, tag="stay"):
    """Leave a unit where it is (12.3, 13.63)."""

    unit: UnitId


class Evacuate(EotsCommand, frozen=True, kw_only=True, tag="evacuate"):
    """Move a unit out of Continental India or, for an event, to a port (13.63, J-35)."""

    unit: UnitId
    to: HexId


COMMANDS: Final = leaf_types(EotsCommand, globals())
"""All commands, in rulebook order."""
COMMAND_UNION: Final[object] = union_of(COMMANDS)
"""Tagged union for decoding."""
