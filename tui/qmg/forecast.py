"""The Quartermaster General forecast: the effects of a battle or a new piece, and the possible responses."""

from collections.abc import Iterator, Sequence
from typing import Final

from engine.kernel.sentences import count_noun
from engine.qmg import commands as c
from engine.qmg import phrases as say
from engine.qmg.atlas import BIT
from engine.qmg.forecast import Answers, Change, PieceId, forecast_command, forecast_loss
from engine.qmg.ids import AIR, MEMBERS, TEAM_BY_FORCE, other_team
from engine.qmg.legal import battle_options
from tui.drawing.colour_roles import TextRole
from tui.forecast import (
    ForecastItem,
    ForecastPage,
    ForecastSection,
    NamedValue,
    Sentence,
    SideHeading,
)
from tui.qmg.index import Index
from tui.qmg.scene import OWNERS
from tui.qmg.targets import option_rank, targets

_MAX_TARGETS: Final = 4
"""Maximum number of a card's targets to forecast."""
_MAX_TITLES: Final = 8
"""Maximum number of possible face-down cards to name."""


def forecast_pages(
    index: Index, place: str, highlighted: c.QmgCommand | None
) -> tuple[ForecastPage, ...]:
    """Forecast the highlighted option, then the loss of each piece in the space under the cursor.

    Args:
        index: Lookups in the player's view.
        place: The space under the cursor.
        highlighted: The highlighted option in the list. For a card, its targets are forecast.
    """
    orders: Sequence[c.QmgCommand] = () if highlighted is None else (highlighted,)
    if isinstance(highlighted, c.Play):
        orders = sorted(
            targets(index, highlighted.card) or (), key=lambda one: option_rank(index, one)
        )
    found = list(_changes(index, orders[:_MAX_TARGETS]))
    told = {change.removed for _, change in found}
    found += (
        _loss(index, (one.force, one.kind, one.space))
        for one in index.pieces(place)
        if one.kind != AIR and (one.force, one.kind, one.space) not in told
    )
    return tuple(_forecast_page(title, change) for title, change in found)


def _changes(index: Index, orders: Sequence[c.QmgCommand]) -> Iterator[tuple[str, Change]]:
    for order in orders:
        change = forecast_command(index.view, order)
        if change is not None:
            yield _title(order, change), change


def _title(order: c.QmgCommand, change: Change) -> str:
    piece = change.removed or change.added
    assert piece is not None
    force, kind, space = piece
    what = say.piece_name(force, kind)
    where = say.space_with_article(space)
    if isinstance(order, c.Battle):
        return f"{say.capitalise_first(say.force_name(order.force))} battles the {what} in {where}"
    if change.removed:
        return f"Elimination of the {what} in {where}"
    name = "Recruiting" if isinstance(order, c.Recruit) else "Building"
    return f"{name} {say.piece_with_article(force, kind)} in {where}"


def _loss(index: Index, piece: PieceId) -> tuple[str, Change]:
    """Forecast the loss of a piece in battle, naming the forces that could attack it."""
    owner, kind, space = piece
    near = _attackers(index, owner, space)
    own = TEAM_BY_FORCE.get(index.view.role, "")
    by = near[0] if near else MEMBERS[other_team(TEAM_BY_FORCE[owner])][0]
    if own and own != TEAM_BY_FORCE[owner]:
        by = next((force for force in (index.view.role, *near) if force in near), by)
    names = " or ".join(say.force_name(force) for force in near)
    title = f"If the {say.piece_name(owner, kind)} in {say.space_with_article(space)} is battled"
    who = f" by {names}" if near else ""
    return f"{title}{who}", forecast_loss(index.view, piece, by)


def _attackers(index: Index, owner: str, space: str) -> tuple[str, ...]:
    """Return the forces that have a supplied piece able to battle in the space (7.4)."""
    foes = (force for force in MEMBERS[other_team(TEAM_BY_FORCE[owner])] if force in index.forces())
    return tuple(force for force in foes if battle_options(index.field, force, "any", BIT[space]))


def _forecast_page(title: str, change: Change) -> ForecastPage:
    sections = [ForecastSection(items=tuple(_effects(change)))]
    if change.points:
        rows = tuple(
            (say.capitalise_first(say.force_name(force)), str(now), str(then), f"{then - now:+d}")
            for force, now, then in change.points
        )
        heads = ("next Victory step", "now", "then", "VP")
        sections.append(ForecastSection("Points for supply spaces (12.1)", heads=heads, rows=rows))
    if change.answers:
        items = tuple(item for one in change.answers for item in _answers(one))
        sections.append(ForecastSection("Who could answer, as far as you know (10.4)", items))
    return ForecastPage(title=title, sections=tuple(sections))


def _effects(change: Change) -> Iterator[ForecastItem]:
    if change.is_protected:
        yield Sentence("It is protected from removal (10.5).", TextRole.WARN)
    if change.air_defense:
        force = say.capitalise_first(say.force_name(change.removed[0])) if change.removed else ""
        yield Sentence(f"{force} may give up an Air Force instead (13.5).", TextRole.WARN)
    if change.air_attack:
        yield Sentence("An Air Force beside the battle may answer that (13.6).", TextRole.GOOD)
    for piece in change.newly_unsupplied:
        yield Sentence(f"Out of supply: {_piece(piece)} (6)", TextRole.BAD)
    for piece in change.newly_supplied:
        yield Sentence(f"In supply again: {_piece(piece)} (6)", TextRole.GOOD)
    if not change.newly_unsupplied and not change.newly_supplied:
        yield Sentence("No other piece gains or loses supply (6).", TextRole.DIM)
    if not change.points:
        yield Sentence("Nobody's supply spaces score otherwise (12.1).", TextRole.DIM)
    if not change.answers:
        yield Sentence("Nobody could have an answer, as far as you know (10.4).", TextRole.DIM)


def _piece(piece: PieceId) -> str:
    force, kind, space = piece
    return f"{say.piece_name(force, kind)} in {say.space_with_article(space)}"


def _answers(one: Answers) -> Iterator[ForecastItem]:
    yield SideHeading(
        say.capitalise_first(say.force_name(one.country)), OWNERS[TEAM_BY_FORCE[one.country]]
    )
    for card in one.own:
        yield NamedValue(f"  your {say.card_title(card)}", "")
    for card in one.statuses:
        yield NamedValue(f"  {say.card_title(card)}", "Status")
    if one.titles:
        down = count_noun(one.face_down, "Response")
        held = f"{down} face down" if one.face_down else "cards in hand"
        named = ", ".join(one.titles[:_MAX_TITLES])
        more = len(one.titles) - _MAX_TITLES
        rest = f" and {more} more" if more > 0 else ""
        yield Sentence(f"  {held}; that could be {named}{rest}")
