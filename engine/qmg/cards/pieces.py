"""Operations on Armies and Navies: build, recruit, battle, eliminate and remove (7, A.2)."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import ClassVar, Final

from msgspec.structs import replace
from typing_extensions import override

from engine.kernel.ids import Refusal, Rule
from engine.qmg import deck_steps as ds
from engine.qmg import phrases
from engine.qmg.atlas import BIT, EVERYWHERE, LAND, SPACE, names
from engine.qmg.board_analysis import BoardAnalysis
from engine.qmg.cards.base import ChoiceOperation, advance, card_context
from engine.qmg.cards.board import BoardStep, PieceStep, apply_piece_command
from engine.qmg.ch07_actions import is_on_board
from engine.qmg.commands import (
    Battle,
    Build,
    Designate,
    Eliminate,
    PieceCommand,
    QmgCommand,
    Recruit,
    Remove,
)
from engine.qmg.deck import POOLS
from engine.qmg.deck_terms import Ref
from engine.qmg.frames import StepsFrame
from engine.qmg.ids import ARMY, DECIDER, KINDS, NAVY, TEAM_BY_FORCE, other_team
from engine.qmg.legal import (
    battle_options,
    build_options,
    eliminate_options,
    free_spaces,
    has_piece_in_pool,
    piece_commands,
    recruit_options,
)
from engine.qmg.run import Run
from engine.qmg.terms import Context, PublicContext, resolve_force, resolve_forces, resolve_spaces


class PlacingStep(BoardStep):
    """Base class of steps that place an Army or Navy (7.1 - 7.3)."""

    op: ds.BuildEffect | ds.RecruitEffect
    verb: ClassVar[str]

    @override
    def refusals(
        self, context: Context, frame: StepsFrame, command: QmgCommand
    ) -> Iterator[Refusal]:
        assert isinstance(command, Build | Designate | Recruit), command
        kind = self.op.piece
        wrong_refusals = tuple(
            _wrong_piece_refusals(command, self.force(context), kind, self.rule, f"{self.verb}s")
        )
        yield from wrong_refusals or self.space_refusals(context, command)

    @abstractmethod
    def space_refusals(
        self, context: Context, command: Build | Designate | Recruit
    ) -> Iterator[Refusal]:
        """Yield the reasons why the piece cannot be placed in the space."""

    @override
    def prompt(self, context: Context, frame: StepsFrame) -> str:
        return f"{self.verb} {phrases.piece_with_article(self.force(context), self.op.piece)}"


def _wrong_piece_refusals(
    command: Build | Designate | Recruit, force: str, kind: str, rule: str, verb: str
) -> Iterator[Refusal]:
    """Yield a refusal if the card refers to another force's pieces (13.8) or to another kind of piece (0, 7.1, 7.3)."""
    if command.force != force:
        yield Refusal(Rule("13.8"), f"the card refers to the pieces of {phrases.force_name(force)}")
    elif command.piece not in {ARMY, NAVY}:
        yield Refusal(Rule("0"), f"{command.piece} is not an Army or Navy")
    elif command.piece != kind:
        yield Refusal(Rule(rule), f"the card {verb} {phrases.with_article(phrases.PIECES[kind])}")


class BuildStep(PlacingStep):
    """Build or designate a piece. If a Status allows it, recruit a piece instead (7.1, 7.2, 7.6)."""

    op: ds.BuildEffect
    rule = "7.1"
    verb = "build"
    takes = (Build, Designate)

    @override
    def deciding_rule(self, frame: StepsFrame) -> str:
        is_navy = self.op.piece == NAVY and not frame.is_cost
        return "7.2" if is_navy else super().deciding_rule(frame)

    @override
    def options(self, context: PublicContext, frame: StepsFrame | None) -> Sequence[QmgCommand]:
        by_card = frame is not None and frame.source.by_build_card
        return build_options(
            context.analysis,
            self.force(context),
            self.op.piece,
            self.allowed_spaces(context),
            by_build_card=by_card,
        )

    @override
    def space_refusals(
        self, context: Context, command: Build | Designate | Recruit
    ) -> Iterator[Refusal]:
        if isinstance(command, Build):
            yield from _build_refusals(context, command, self.allowed_spaces(context))
        else:
            yield Refusal(
                Rule("7.6"),
                "only a Build card may count a supplied piece of its kind as just built",
            )


class RecruitStep(PlacingStep):
    """Recruit a piece (7.3)."""

    op: ds.RecruitEffect
    rule = "7.3"
    verb = "recruit"
    takes = (Recruit,)

    @override
    def options(self, context: PublicContext, frame: StepsFrame | None) -> Sequence[QmgCommand]:
        return recruit_options(
            context.analysis, self.force(context), self.op.piece, self.allowed_spaces(context)
        )

    @override
    def space_refusals(
        self, context: Context, command: Build | Designate | Recruit
    ) -> Iterator[Refusal]:
        yield from _entry_refusals(context, command)
        yield from self.wrong_space_refusals(context, command.space)


POOL_IS_EMPTY: Final = Refusal(Rule("4.3"), "the pool is empty")


def is_pool_empty(analysis: BoardAnalysis, command: PieceCommand) -> bool:
    """Return whether all of a force's pieces of the command's kind are on the board (4.3)."""
    force, kind = command.force, command.piece
    return kind in POOLS.get(force, ()) and not has_piece_in_pool(analysis, force, kind)


def _entry_refusals(context: Context, command: PieceCommand) -> Iterator[Refusal]:
    """Yield the reasons why a force's new piece cannot enter a space (0, 4.1, 4.3)."""
    force, kind, bit = command.force, command.piece, BIT[command.space]
    name = SPACE[command.space].name
    if bool(bit & LAND) != (kind == ARMY):
        yield Refusal(
            Rule("0"),
            "an Army can only be on land" if kind == ARMY else "a Navy can only be at sea",
        )
    elif is_pool_empty(context.analysis, command):
        yield POOL_IS_EMPTY
    elif not free_spaces(context.analysis, force, kind) & bit:
        foes = context.analysis.team_army if kind == ARMY else context.analysis.team_navy
        is_enemy = bool(foes[other_team(TEAM_BY_FORCE[force])] & bit)
        occupying_units = (
            f"an enemy piece is in {name}" if is_enemy else f"your own piece is already in {name}"
        )
        yield Refusal(Rule("4.1"), occupying_units)


def _build_refusals(context: Context, command: Build, allowed_spaces: int) -> Iterator[Refusal]:
    """Yield the reasons why a piece cannot be built in a space (7.1, 7.2)."""
    entry = tuple(_entry_refusals(context, command))
    yield from entry
    force, kind, bit = command.force, command.piece, BIT[command.space]
    rule = Rule("7.1" if kind == ARMY else "7.2")
    if not allowed_spaces & bit:
        yield Refusal(rule, "the card names other spaces")
    if entry:
        return
    army, navy = context.analysis.supplied_spaces(force)
    adjacent_spaces = context.analysis.adjacent_to_any(TEAM_BY_FORCE[force], army | navy)
    if kind == ARMY:
        adjacent_spaces |= context.analysis.home_spaces(force)
    if not adjacent_spaces & bit:
        yield Refusal(
            rule, f"{SPACE[command.space].name} is not adjacent to a supplied piece of yours"
        )
    elif not context.analysis.supplied_if_placed(force, kind) & bit:
        yield Refusal(rule, "the new piece would be out of supply")


class BattleStep(BoardStep):
    """Battle a space (7.4)."""

    op: ds.BattleEffect
    rule = "7.4"
    takes = (Battle,)

    @override
    def options(self, context: PublicContext, frame: StepsFrame | None) -> Sequence[QmgCommand]:
        operation = self.op
        return battle_options(
            context.analysis,
            self.force(context),
            operation.kind,
            self.allowed_spaces(context),
            operation.from_piece,
        )

    @override
    def refusals(
        self, context: Context, frame: StepsFrame, command: QmgCommand
    ) -> Iterator[Refusal]:
        """Yield the reasons why the force, the space or the target is not allowed."""
        assert isinstance(command, Battle), command
        force, rule = self.force(context), Rule(self.rule)
        if command.force != force:
            yield Refusal(rule, f"{phrases.force_name(force)} battles here")
            return
        bit, team = BIT[command.space], TEAM_BY_FORCE[force]
        is_land = bool(bit & LAND)
        if self.op.kind != "any" and is_land != (self.op.kind == "land"):
            yield Refusal(rule, f"the card can battle only {self.op.kind} spaces")
        yield from self.wrong_space_refusals(context, command.space)
        own_pieces = (
            context.analysis.team_army[team] if is_land else context.analysis.team_navy[team]
        )
        if own_pieces & bit:
            yield Refusal(rule, "a piece of your own team is there")
        army, navy = context.analysis.supplied_spaces(force)
        if not context.analysis.adjacent_to_any(team, army | navy) & bit:
            yield Refusal(
                rule, f"{SPACE[command.space].name} is not adjacent to a supplied piece of yours"
            )
        yield Refusal(rule, "the target is one enemy piece there, or none in an empty space")

    @override
    def prompt(self, context: Context, frame: StepsFrame) -> str:
        """Return the prompt, which names the kind of space."""
        return f"battle a {'' if self.op.kind == 'any' else self.op.kind + ' '}space"


class EliminateStep(PieceStep):
    """Eliminate a piece (7.5)."""

    op: ds.EliminateEffect
    asks = "eliminate a piece"
    rule = "7.5"
    takes = (Eliminate,)

    @override
    def options(self, context: PublicContext, frame: StepsFrame | None) -> Sequence[QmgCommand]:
        """Return the possible eliminations.

        If the card refers to the event's piece, no other piece can be eliminated (17.1).
        """
        operation, event = self.op, context.trigger
        if not isinstance(operation.piece, Ref):
            owners = resolve_forces(operation.owners, context)
            return eliminate_options(
                context.analysis, owners, operation.piece, resolve_spaces(operation.spaces, context)
            )
        if event is None or not event.piece or not context.is_subject_present(event):
            return ()
        return (Eliminate(force=event.owner, piece=event.piece, space=event.space),)


class RemoveOwnStep(PieceStep):
    """A country removes one of its own pieces. It cannot decline to do so (A.2)."""

    op: ds.RemoveOwn

    @override
    def decider(self, context: Context) -> str:
        return DECIDER[resolve_force(self.op.who, context)]

    @override
    def is_mandatory(self, frame: StepsFrame) -> bool:
        """Return True: the removal is a cost or part of an option that was already chosen."""
        return True

    @override
    def options(self, context: PublicContext, frame: StepsFrame | None) -> Sequence[QmgCommand]:
        force, allowed_spaces = (
            resolve_force(self.op.who, context),
            resolve_spaces(self.op.spaces, context),
        )
        return [
            order
            for kind in KINDS
            if kind in self.op.pieces
            for order in piece_commands(
                Remove,
                force,
                kind,
                context.analysis.board.spaces_with(force, kind) & allowed_spaces,
            )
        ]

    @override
    def prompt(self, context: Context, frame: StepsFrame) -> str:
        """Return the prompt, which names the kinds of pieces."""
        kinds = " or ".join(phrases.PIECES[kind] for kind in self.op.pieces)
        return f"remove your own {kinds}"


class RebuildEachStep(ChoiceOperation):
    """A force removes its pieces one at a time and may build each of them again (16.13)."""

    op: ds.RebuildEach
    rule = "16.13"
    takes = (Build,)

    @override
    def is_possible(self, context: Context) -> bool:
        """Return whether a piece that may be rebuilt is on the board."""
        force = resolve_force(self.op.force, context)
        return any(context.analysis.board.spaces_with(force, kind) for kind in self.op.pieces)

    @override
    def start(self, run: Run, frame: StepsFrame) -> bool:
        """When the step begins, list the pieces. Then ask which piece to remove next, or where to build it again."""
        context = card_context(run.state, frame)
        force = resolve_force(self.op.force, context)
        if not frame.stage:
            other_parts = tuple(
                f"{kind}:{space}"
                for kind in self.op.pieces
                for space in names(context.analysis.board.spaces_with(force, kind))
            )
            run.replace_top(replace(frame, stage="pick", rest=other_parts))
            return True
        if frame.stage != "built":
            pieces_left = self._pieces_left(context, frame)
            if (
                pieces_left != frame.rest
            ):  # a piece that enters the space later is a different piece
                frame = replace(frame, rest=pieces_left)
                run.replace_top(frame)
            if self.options(context, frame):
                return False
        self.decline(run, frame)
        return True

    def _pieces_left(self, context: PublicContext, frame: StepsFrame) -> tuple[str, ...]:
        board, force = context.analysis.board, resolve_force(self.op.force, context)
        return tuple(piece for piece in frame.rest if is_on_board(board, force, *piece.split(":")))

    @override
    def options(self, context: Context, frame: StepsFrame | None) -> Sequence[QmgCommand]:
        """Return the pieces that can be removed, or the possible builds for the piece just removed."""
        assert frame is not None
        force = resolve_force(self.op.force, context)
        if kind := _removed_kind(frame):
            return build_options(context.analysis, force, kind, EVERYWHERE, by_build_card=False)
        pieces = [piece.split(":") for piece in self._pieces_left(context, frame)]
        return [Remove(force=force, piece=kind, space=space) for kind, space in pieces]

    @override
    def refusals(
        self, context: Context, frame: StepsFrame, command: QmgCommand
    ) -> Iterator[Refusal]:
        """Yield the reasons why the removed piece cannot be built in the space."""
        assert isinstance(command, Build), command
        if kind := _removed_kind(frame):
            force = resolve_force(self.op.force, context)
            wrong_refusals = tuple(_wrong_piece_refusals(command, force, kind, "7.1", "builds"))
            yield from wrong_refusals or _build_refusals(context, command, EVERYWHERE)

    @override
    def prompt(self, context: Context, frame: StepsFrame) -> str:
        """Return the prompt for the next piece to remove, or for the space where it is built again."""
        if kind := _removed_kind(frame):
            return f"build the {phrases.PIECES[kind]} again"
        return "which piece do you take off and build again?"

    @override
    def apply(self, run: Run, frame: StepsFrame, command: QmgCommand) -> None:
        assert isinstance(command, Build | Recruit | Remove), command
        if isinstance(command, Remove):
            piece = f"{command.piece}:{command.space}"
            remaining_pieces = tuple(
                other_piece for other_piece in frame.rest if other_piece != piece
            )
            run.replace_top(replace(frame, stage=f"build:{command.piece}", rest=remaining_pieces))
        else:
            run.replace_top(replace(frame, stage="built"))
        apply_piece_command(run, command, frame.source.owner)

    @override
    def decline(self, run: Run, frame: StepsFrame) -> None:
        """Leave the removed piece in the pool. If no piece is waiting to be built again, end the step."""
        if frame.stage == "pick":
            advance(run, frame)
        else:
            run.replace_top(replace(frame, stage="pick"))


def _removed_kind(frame: StepsFrame) -> str:
    """Return the kind of piece to build again, or an empty string if no piece was removed."""
    return frame.stage.partition(":")[2]


OPERATIONS: Final = {
    ds.BuildEffect: BuildStep,
    ds.RecruitEffect: RecruitStep,
    ds.BattleEffect: BattleStep,
    ds.EliminateEffect: EliminateStep,
    ds.RemoveOwn: RemoveOwnStep,
    ds.RebuildEach: RebuildEachStep,
}
