"""Text of the pages next to the map: a space, cards with their effects, tracks, and the legend."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from engine.kernel.sentences import pluralise
from engine.qmg import phrases as say
from engine.qmg.atlas import SPACE, STRAITS
from engine.qmg.deck import CARD
from engine.qmg.ids import COUNTRIES, FORCES, HIDDEN, MEMBERS, ROUNDS, TEAM_BY_FORCE, TEAMS
from engine.qmg.rulings import RULINGS
from engine.qmg.view import QmgView
from tui.qmg.index import Index
from tui.qmg.texts import (
    CODES,
    FORCE_TITLES,
    LETTERS,
    TEAM_TITLES,
    card_key,
    card_text,
    type_name,
)

Page = tuple[str, str, tuple[str, ...]]
_TRACK_LENGTH: Final = 24
"""Length of the victory track, in characters."""
_WINNING_LEAD: Final = 30
"""Lead that wins immediately at the end of a round (12.4)."""


# -- spaces


def space_lines(index: Index, name: str) -> tuple[str, ...]:
    """Describe a space: pieces, supply, points, straits, and the neighbours for each team."""
    space = SPACE[name]
    kind = "Sea" if space.kind == "sea" else "Land"
    facts = [
        f"{space.name} ({space.abbr.upper() if kind == 'Land' else space.abbr}), {kind.lower()}"
    ]
    facts += _supply_facts(index, name)
    homes = [say.force_name(force) for force in index.forces_at_home(name)]
    if homes:
        facts.append(f"Home of {', '.join(homes)}")
    lines = [", ".join(facts)]
    lines += [
        f"  {say.piece_name(piece.force, piece.kind)}{'' if piece.is_supplied else ', out of supply (!)'}"
        for piece in index.pieces(name)
    ] or ["  no pieces"]
    lines += _score_lines(index, name)
    for strait in STRAITS:
        if name == strait.land or name in strait.seas:
            team = TEAM_TITLES[index.view.straits[strait.id]]
            lines.append(
                f"{strait.name}: open to the {team} ({' - '.join(map(say.space_name, strait.seas))})"
            )
    return (*lines, *_neighbour_lines(index, name))


def _supply_facts(index: Index, name: str) -> Iterator[str]:
    """Yield a phrase if the space is a supply space, or no longer is one (5.5, 13.10)."""
    supplied_forces, all_forces = index.forces_supplied_by(name), index.forces()
    if supplied_forces == all_forces:
        yield "Supply space (*)"
    elif supplied_forces:
        teams = [
            team for team in TEAMS if set(supplied_forces) == set(MEMBERS[team]) & set(all_forces)
        ]
        owners = [f"the {TEAM_TITLES[team]}" for team in teams] or [
            say.force_name(force) for force in supplied_forces
        ]
        yield f"Supply space (*) for {', '.join(owners)} only"
    elif SPACE[name].supply:
        yield "no longer a supply space"


def _score_lines(index: Index, name: str) -> Iterator[str]:
    """Yield sentences with the points that each force earns for this space in its Victory step (12.1)."""
    for piece in index.pieces(name, "army"):
        points = index.points(piece.force, name)
        if points:
            yield f"{say.capitalise_first(say.force_name(piece.force))} scores {points} VP here"


def _neighbour_lines(index: Index, name: str) -> Iterator[str]:
    """Yield lines with the bordering spaces, then each team's other neighbours, through straits or Statuses."""
    bordering = SPACE[name].adjacent
    straits = {sea for strait in STRAITS if name in strait.seas for sea in strait.seas}
    yield f"Next to: {', '.join(map(say.space_name, bordering))}"
    for team in TEAMS:
        additional_spaces = [
            space for space in index.neighbours(name, team) if space not in bordering
        ]
        for reason, spaces in (
            ("strait", [space for space in additional_spaces if space in straits]),
            ("by a Status", [space for space in additional_spaces if space not in straits]),
        ):
            if spaces:
                yield f"{TEAM_TITLES[team]} also: {', '.join(map(say.space_name, spaces))} ({reason})"


# -- cards


def card_lines(card: str, indent: str = "") -> tuple[str, ...]:
    """Return a card's title, type and complete effect."""
    if card == HIDDEN or card not in CARD:
        return (f"{indent}Hidden card",)
    entry = CARD[card]
    return (
        f"{indent}{entry.name} ({type_name(card)}, {FORCE_TITLES[entry.deck]})",
        f"{indent}  {entry.effect}",
    )


def card_effect_lines(card: str) -> tuple[str, ...]:
    """Return a card's effect, without its title."""
    return (CARD[card].effect,) if card in CARD else ()


def card_counts(cards: Iterable[str]) -> Iterator[tuple[str, int]]:
    """Yield each distinct card once, with its number of copies."""
    cards = tuple(cards)
    counts = Counter(card_key(card) for card in cards)
    yielded_cards = set()
    for card in cards:
        key = card_key(card)
        if key not in yielded_cards:
            yielded_cards.add(key)
            yield card, counts[key]


def _card_list(cards: Iterable[str]) -> Iterator[str]:
    for card, count in card_counts(cards):
        title, *effect = card_lines(card)
        yield f"{count} x {title}" if count > 1 else title
        yield from effect


def _card_names(cards: Iterable[str]) -> str:
    return ", ".join(
        f"{count} x {card_text(card)}" if count > 1 else card_text(card)
        for card, count in card_counts(cards)
    )


def hand_lines(view: QmgView) -> tuple[str, ...]:
    """Return the player's hand with card text, then face-down cards, then the known cards on top of the deck."""
    own_cards = view.own
    if own_cards is None:
        return ("Spectators hold no cards.",)
    lines = [
        f"Hand of {say.force_name(view.role)}: {pluralise(len(own_cards.hand), 'card', 'cards')}",
        "",
    ]
    lines += _card_list(own_cards.hand)
    if own_cards.responses:
        lines += [
            "",
            f"Face down on the table: {len(own_cards.responses)}",
            *_card_list(own_cards.responses),
        ]
    if own_cards.deck_top:
        lines += ["", "Known on top of the deck:", *_card_list(own_cards.deck_top)]
    return tuple(lines)


def table_page(view: QmgView) -> Page:
    """Return the page about the cards on the table: pile sizes, Statuses with their text, and top discards."""
    lines = [*_pile_table(view), ""]
    for country in COUNTRIES:
        cards = view.countries[country]
        lines.append(
            f"{FORCE_TITLES[country]} ({TEAM_TITLES[TEAM_BY_FORCE[country]]}): hand {cards.hand}, "
            f"deck {cards.deck}, face down {cards.responses}, discarded {cards.discard}"
        )
        for card in cards.statuses:
            lines += card_lines(card, "  ")
        top = card_text(cards.discard_top) if cards.discard_top else "nothing face up"
        lines += [f"  Top of the discard pile: {top}", ""]
    if view.own is not None and view.own.responses:
        lines += ["Your own face-down cards:", *_card_list(view.own.responses)]
    return ("f", "Cards on the table", tuple(lines))


def _pile_table(view: QmgView) -> Iterator[str]:
    """Yield the lines of a table of all countries' piles in turn order. A ``>`` marks the active country."""
    yield f"{'':10}{'hand':>5}{'deck':>5}{'discards':>9}{'face down':>10}"
    for country in COUNTRIES:
        cards = view.countries[country]
        mark = ">" if country == view.active else " "
        counts = f"{cards.hand:>5}{cards.deck:>5}{cards.discard:>9}{cards.responses or '-':>10}"
        yield f"{mark} {FORCE_TITLES[country]:8}{counts}"


def cards_page(view: QmgView) -> Page:
    """Return the page about cards not on the table: the player's deck and discards, and cards revealed by others."""
    lines: list[str] = []
    own_cards = view.own
    if own_cards is not None:
        lines += [
            f"Still in your deck, in no particular order ({len(own_cards.undrawn) + len(own_cards.deck_top)}):"
        ]
        lines += [f"  {_card_names((*own_cards.deck_top, *own_cards.undrawn))}", ""]
        lines += [
            f"Your discard pile ({len(own_cards.discard)}):",
            f"  {_card_names(own_cards.discard)}",
            "",
        ]
    for country in COUNTRIES:
        seen_cards = view.countries[country].seen
        if seen_cards and country != view.role:
            lines += [
                f"{FORCE_TITLES[country]} has played or revealed:",
                f"  {_card_names(seen_cards)}",
                "",
            ]
    return ("k", "Cards not on the table", tuple(lines))


# -- tracks


def _points_bar(points: int, other_points: int) -> str:
    """Return a victory-point bar. Both teams' bars have the same scale."""
    scale = max(abs(points), abs(other_points), _TRACK_LENGTH)
    return "#" * max(round(points * _TRACK_LENGTH / scale), 0)


def tracks_page(view: QmgView) -> Page:
    """Return the page with victory points, round, turn order, expected points, straits and options."""
    axis, allies = view.axis_vp, view.allies_vp
    point_lead = axis - allies
    leader = (
        "level"
        if not point_lead
        else f"{'Axis' if point_lead > 0 else 'Allies'} lead by {abs(point_lead)}"
    )
    lines = [
        f"Axis   {axis:>4} {_points_bar(axis, allies)}",
        f"Allies {allies:>4} {_points_bar(allies, axis)}",
        f"{leader.capitalize()}; {_WINNING_LEAD} points ahead at the end of a round wins immediately (12.4).",
        "",
        f"Round {view.round} of {ROUNDS}",
        "Turn order: "
        + " ".join(
            f">{FORCE_TITLES[country]}<" if country == view.active else FORCE_TITLES[country]
            for country in COUNTRIES
        ),
        "",
        "Points for supply spaces in the Victory step, on the current board (12.1):",
    ]
    for team in TEAMS:
        gains = {force: view.points.get(force, 0) for force in MEMBERS[team]}
        shown_nations = ", ".join(
            f"{FORCE_TITLES[force]} {points}" for force, points in gains.items() if points
        )
        lines.append(
            f"  {TEAM_TITLES[team]}: {shown_nations or 'none'} (total {sum(gains.values())})"
        )
    lines += ["", "Straits (5.3):"]
    for strait in STRAITS:
        holder = TEAM_TITLES[view.straits[strait.id]]
        lines.append(f"  {strait.name} ({say.space_name(strait.land)}): {holder}")
    lines += ["", *_option_lines(view)]
    return ("T", "Tracks", tuple(lines))


def _option_lines(view: QmgView) -> Iterator[str]:
    yield f"Scenario {view.scenario}{', Total War' if view.total_war else ''}"
    for ruling in RULINGS:
        yield f"  {ruling.question}: {ruling.answers[ruling.value(view.options)]}"
    for force, kind, space in view.protected:
        yield f"The {say.piece_name(force, kind)} in {say.space_with_article(space)} is protected from removal (10.5)."


def legend_page() -> Page:
    """Return the map legend."""
    letters = ", ".join(f"{LETTERS[force]} {say.ADJECTIVES[force]}" for force in FORCES)
    chips = ", ".join(f"{CODES[force]} {say.ADJECTIVES[force]}" for force in FORCES)
    return (
        "g",
        "Map symbols",
        (
            "Spaces are adjacent if they share a border, or are connected by a strait or the map's edges.",
            "Without background colours, LAND names are in capitals and sea names in small letters.",
            f"Pieces: {chips}. The type comes first:",
            "  square or A: Army, triangle or N: Navy, diamond or F: Air Force; hollow or with !: out of supply.",
            "In small spaces, one letter for each piece:",
            f"  {letters}.",
            "  G  Army   g  Navy   G^ Air Force   G! out of supply   + more pieces",
            "After or below a name: * supply space; Ax, Al a strait open to the Axis (Ax) or Allies (Al).",
            "Lines at corners and canals: straits, in the colour of the team to which they are open.",
            "The space under the cursor is framed or in [ ]. Its neighbours are highlighted or followed by <,",
            "  or by Ax or Al if they are connected by a strait.  <PNW, EUS> at the edges: the map continues there.",
            "Marks after a name: + can be chosen   x battle, removal, or event of the response window   ~ changed",
            "Supply (s own, S all): @ source   = in supply   x out of supply",
            "Enter on a space chooses or lists the options there; n and p move through the options.",
            "Any-time commands (withdraw a piece, any-time cards) are last in the list.",
            "F1 opens the rules reference.",
        ),
    )
