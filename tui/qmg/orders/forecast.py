"""The Quartermaster General forecast: the effects of a battle or a new piece, and possible responses."""

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
from tui.panels.forecast import (
    ForecastItem,
    ForecastPage,
    ForecastSection,
    NamedValue,
    Sentence,
    SideHeading,
)
from tui.qmg.index import Index
from tui.qmg.map.scene import OWNERS
from tui.qmg.orders.targets import option_rank, targets

_MAX_TARGETS: Final = 4
"""Maximum number of targets to forecast for a card."""
_MAX_NAMED_CARDS: Final = 8
"""Maximum number of cards to name that a face-down card may be."""


def forecast_pages(
    index: Index, place: str, highlighted: c.QmgCommand | None
) -> tuple[ForecastPage, ...]:
    """Forecast the highlighted option, then the loss of each piece in the space under the cursor.

    Args:
        index: Index of the player's view.
        place: The space under the cursor.
        highlighted: The highlighted option in the list. For a card, its targets are forecast.
    """
    orders: Sequence[c.QmgCommand] = () if highlighted is None else (highlighted,)
    if isinstance(highlighted, c.Play):
        orders = sorted(
            targets(index, highlighted.card) or (), key=lambda command: option_rank(index, command)
        )
    forecasts = list(_order_forecasts(index, orders[:_MAX_TARGETS]))
    forecast_pieces = {change.removed for _, change in forecasts}
    forecasts += (
        _loss_forecast(index, (piece.force, piece.kind, piece.space))
        for piece in index.pieces(place)
        if piece.kind != AIR and (piece.force, piece.kind, piece.space) not in forecast_pieces
    )
    return tuple(_forecast_page(title, change) for title, change in forecasts)


def _order_forecasts(index: Index, orders: Sequence[c.QmgCommand]) -> Iterator[tuple[str, Change]]:
    for order in orders:
        change = forecast_command(index.view, order)
        if change is not None:
            yield _forecast_title(order, change), change


def _forecast_title(order: c.QmgCommand, change: Change) -> str:
    piece = change.removed or change.added
    assert piece is not None
    force, kind, space = piece
    piece_text = say.piece_name(force, kind)
    space_text = say.space_with_article(space)
    if isinstance(order, c.Battle):
        return f"{say.capitalise_first(say.force_name(order.force))} battles the {piece_text} in {space_text}"
    if change.removed:
        return f"Elimination of the {piece_text} in {space_text}"
    name = "Recruiting" if isinstance(order, c.Recruit) else "Building"
    return f"{name} {say.piece_with_article(force, kind)} in {space_text}"


def _loss_forecast(index: Index, piece: PieceId) -> tuple[str, Change]:
    """Forecast the loss of a piece in battle, and name the forces that could attack it."""
    owner, kind, space = piece
    attackers = _possible_attackers(index, owner, space)
    own_team = TEAM_BY_FORCE.get(index.view.role, "")
    attacker = attackers[0] if attackers else MEMBERS[other_team(TEAM_BY_FORCE[owner])][0]
    if own_team and own_team != TEAM_BY_FORCE[owner]:
        attacker = next(
            (force for force in (index.view.role, *attackers) if force in attackers), attacker
        )
    names = " or ".join(say.force_name(force) for force in attackers)
    title = f"If the {say.piece_name(owner, kind)} in {say.space_with_article(space)} is battled"
    attackers_text = f" by {names}" if attackers else ""
    return f"{title}{attackers_text}", forecast_loss(index.view, piece, attacker)


def _possible_attackers(index: Index, owner: str, space: str) -> tuple[str, ...]:
    """Return the forces with a supplied piece that could battle in the space (7.4)."""
    enemies = (
        force for force in MEMBERS[other_team(TEAM_BY_FORCE[owner])] if force in index.forces()
    )
    return tuple(
        force for force in enemies if battle_options(index.analysis, force, "any", BIT[space])
    )


def _forecast_page(title: str, change: Change) -> ForecastPage:
    sections = [ForecastSection(items=tuple(_effects(change)))]
    if change.points:
        rows = tuple(
            (
                say.capitalise_first(say.force_name(force)),
                str(current),
                str(expected_points),
                f"{expected_points - current:+d}",
            )
            for force, current, expected_points in change.points
        )
        headings = ("next Victory step", "now", "then", "VP")
        sections.append(
            ForecastSection("Points for supply spaces (12.1)", heads=headings, rows=rows)
        )
    if change.answers:
        items = tuple(item for answers in change.answers for item in _response_lines(answers))
        sections.append(ForecastSection("Possible responses, as far as you know (10.4)", items))
    return ForecastPage(title=title, sections=tuple(sections))


def _effects(change: Change) -> Iterator[ForecastItem]:
    if change.is_protected:
        yield Sentence("It is protected from removal (10.5).", TextRole.WARN)
    if change.air_defense:
        force = say.capitalise_first(say.force_name(change.removed[0])) if change.removed else ""
        yield Sentence(f"{force} may give up an Air Force instead (13.5).", TextRole.WARN)
    if change.air_attack:
        yield Sentence("An Air Force next to the battle may respond (13.6).", TextRole.GOOD)
    for piece in change.newly_unsupplied:
        yield Sentence(f"Out of supply: {_piece_text(piece)} (6)", TextRole.BAD)
    for piece in change.newly_supplied:
        yield Sentence(f"In supply again: {_piece_text(piece)} (6)", TextRole.GOOD)
    if not change.newly_unsupplied and not change.newly_supplied:
        yield Sentence("No other piece gains or loses supply (6).", TextRole.DIM)
    if not change.points:
        yield Sentence("No country's points for supply spaces change (12.1).", TextRole.DIM)
    if not change.answers:
        yield Sentence("No country can respond, as far as you know (10.4).", TextRole.DIM)


def _piece_text(piece: PieceId) -> str:
    force, kind, space = piece
    return f"{say.piece_name(force, kind)} in {say.space_with_article(space)}"


def _response_lines(responses: Answers) -> Iterator[ForecastItem]:
    yield SideHeading(
        say.capitalise_first(say.force_name(responses.country)),
        OWNERS[TEAM_BY_FORCE[responses.country]],
    )
    for card in responses.own:
        yield NamedValue(f"  your {say.card_title(card)}", "")
    for card in responses.statuses:
        yield NamedValue(f"  {say.card_title(card)}", "Status")
    if responses.titles:
        face_down_text = count_noun(responses.face_down, "Response")
        held_text = f"{face_down_text} face down" if responses.face_down else "cards in hand"
        named_titles = ", ".join(responses.titles[:_MAX_NAMED_CARDS])
        omitted_count = len(responses.titles) - _MAX_NAMED_CARDS
        omitted_text = f" and {omitted_count} more" if omitted_count > 0 else ""
        yield Sentence(f"  {held_text}, possibly {named_titles}{omitted_text}")
