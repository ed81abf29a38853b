"""Why a card's step does not allow a command (7, 13)."""

from collections.abc import Iterator

from engine.kernel.ids import Refusal, Rule
from engine.qmg import deck_steps as ds
from engine.qmg import sayings
from engine.qmg.atlas import BIT, EVERYWHERE, LAND, SPACE
from engine.qmg.ch09_playing import UNPLAYABLE
from engine.qmg.ch13_air import why_not_there
from engine.qmg.commands import (
    Battle,
    Build,
    Deploy,
    Designate,
    Marshal,
    Play,
    QmgCommand,
    Recruit,
    Superiority,
)
from engine.qmg.deck import CARD
from engine.qmg.deck_terms import Word
from engine.qmg.frames import StepsFrame
from engine.qmg.ids import ARMY, FORCE_INDEX, NAVY, TEAM_OF, other_team
from engine.qmg.legal import free_spaces, has_free
from engine.qmg.terms import Context, force_of, spaces_of


def why_not_step(
    at: Context, frame: StepsFrame, op: ds.Op, command: QmgCommand
) -> Iterator[Refusal]:
    """Yield the rules against a command that fits the kind of step."""
    space = getattr(command, "space", "")
    if space and space not in SPACE:
        yield Refusal(Rule("5"), f"there is no space {space}")
        return
    if isinstance(op, ds.Build) and isinstance(command, Build | Designate):
        yield from _why_no_build(at, op.force, op.piece, spaces_of(op.spaces, at), command)
    elif isinstance(op, ds.RebuildEach) and isinstance(command, Build):
        stage, _, kind = frame.stage.partition(":")
        if stage == "build":
            yield from _why_no_build(at, op.force, kind, EVERYWHERE, command)
    elif isinstance(op, ds.Recruit) and isinstance(command, Recruit):
        yield from _why_no_recruit(at, op, command)
    elif isinstance(op, ds.Battle) and isinstance(command, Battle):
        yield from _why_no_battle(at, op, command)
    elif isinstance(command, Deploy | Marshal | Superiority):
        yield from _why_no_air(at, op, command)
    elif isinstance(op, ds.PlayCard) and isinstance(command, Play):
        card = CARD.get(command.card)
        if card is not None and card.type in UNPLAYABLE:
            yield Refusal(Rule("13.2"), "Air Power and Bolster cards are never played")  # 18.33


def _force_check(
    at: Context, wanted: Word, command: Build | Designate | Recruit
) -> Iterator[Refusal]:
    force = force_of(wanted, at)
    if command.force != force:
        yield Refusal(Rule("13.8"), f"the card names the pieces of {sayings.force(force)}")
    elif command.piece not in {ARMY, NAVY}:
        yield Refusal(Rule("0"), f"{command.piece} is no Army or Navy")


def _kind(piece: str) -> str:
    """Return a kind of piece in words; a card may leave it open."""
    return sayings.article(sayings.PIECES[piece]) if piece in sayings.PIECES else "another kind"


def _entry_checks(at: Context, force: str, kind: str, space: str) -> Iterator[Refusal]:
    is_land = bool(BIT[space] & LAND)
    name = SPACE[space].name
    if is_land != (kind == ARMY):
        yield Refusal(
            Rule("0"),
            "an Army stands on land only" if kind == ARMY else "a Navy stands at sea only",
        )
    elif not has_free(at.field, force, kind):
        yield Refusal(Rule("4.3"), "the pool is empty")
    elif not free_spaces(at.field, force, kind) & BIT[space]:
        foes = at.field.team_army if kind == ARMY else at.field.team_navy
        enemy = other_team(TEAM_OF[force])
        if foes[enemy] & BIT[space]:
            yield Refusal(Rule("4.1"), f"an enemy piece is in {name}")
        else:
            yield Refusal(Rule("4.1"), f"an own piece is in {name} already")


def _why_no_build(
    at: Context, force: Word, piece: str, allowed: int, command: Build | Designate
) -> Iterator[Refusal]:
    wrong = tuple(_force_check(at, force, command))
    if wrong or command.force not in FORCE_INDEX:
        yield from wrong
        return
    if command.piece != piece:
        yield Refusal(Rule("7.1"), f"the card builds {_kind(piece)}")
        return
    if isinstance(command, Designate):
        yield Refusal(
            Rule("7.6"), "only a Build card names a supplied piece of its kind as just built"
        )
        return
    entry = tuple(_entry_checks(at, command.force, command.piece, command.space))
    yield from entry
    rule = Rule("7.1" if command.piece == ARMY else "7.2")
    if not allowed & BIT[command.space]:
        yield Refusal(rule, "the card names other spaces")
    if entry:
        return
    army, navy = at.field.supplied(command.force)
    near = at.field.around(TEAM_OF[command.force], army | navy)
    if command.piece == ARMY:
        near |= at.field.homes(command.force)
    if not near & BIT[command.space]:
        yield Refusal(rule, f"{SPACE[command.space].name} is adjacent to no supplied own piece")
    elif not at.field.would_supply(command.force, command.piece) & BIT[command.space]:
        yield Refusal(rule, "the new piece would be out of supply")


def _why_no_air(
    at: Context, op: ds.Op, command: Deploy | Marshal | Superiority
) -> Iterator[Refusal]:
    if isinstance(op, ds.DeployAir) and isinstance(command, Deploy):
        force, spaces = force_of(op.force, at), op.spaces
    elif isinstance(op, ds.MarshalAir) and isinstance(command, Marshal):
        force, spaces = at.owner, op.spaces
    elif isinstance(op, ds.AirSuperiority) and isinstance(command, Superiority):
        force, spaces = force_of(op.force, at), op.spaces
    else:
        return
    if command.force != force:
        yield Refusal(Rule("13.8"), f"the card names the pieces of {sayings.force(force)}")
        return
    yield from why_not_there(at.field, command)
    if not spaces_of(spaces, at) & BIT[command.space]:
        yield Refusal(Rule("13.3"), "the card names other spaces")


def _why_no_recruit(at: Context, op: ds.Recruit, command: Recruit) -> Iterator[Refusal]:
    wrong = tuple(_force_check(at, op.force, command))
    if wrong or command.force not in FORCE_INDEX:
        yield from wrong
        return
    if command.piece != op.piece:
        yield Refusal(Rule("7.3"), f"the card recruits {_kind(op.piece)}")
        return
    yield from _entry_checks(at, command.force, command.piece, command.space)
    if not spaces_of(op.spaces, at) & BIT[command.space]:
        yield Refusal(Rule("7.3"), "the card names other spaces")


def _why_no_battle(at: Context, op: ds.Battle, command: Battle) -> Iterator[Refusal]:
    force = force_of(op.force, at)
    if command.force != force:
        yield Refusal(Rule("7.4"), f"{sayings.force(force)} battles here")
        return
    bit = BIT[command.space]
    is_land = bool(bit & LAND)
    if op.kind != "any" and is_land != (op.kind == "land"):
        yield Refusal(Rule("7.4"), f"the card battles {op.kind} spaces")
    if not spaces_of(op.spaces, at) & bit:
        yield Refusal(Rule("7.4"), "the card names other spaces")
    team = TEAM_OF[force]
    own = at.field.team_army[team] if is_land else at.field.team_navy[team]
    if own & bit:
        yield Refusal(Rule("7.4"), "a piece of the own team is there")
    army, navy = at.field.supplied(force)
    if not at.field.around(team, army | navy) & bit:
        yield Refusal(
            Rule("7.4"), f"{SPACE[command.space].name} is adjacent to no supplied own piece"
        )
    yield Refusal(Rule("7.4"), "the target is one enemy piece there, or none in an empty space")
