"""Texts shown next to the map: a space, cards with their effects, tracks, and the legend."""

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
    card_text,
    same_card,
    type_name,
)

Page = tuple[str, str, tuple[str, ...]]
_TRACK: Final = 24
"""Length of the victory track, in characters."""
_SUDDEN: Final = 30
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
    homes = [say.force_name(force) for force in index.at_home(name)]
    if homes:
        facts.append(f"Home of {', '.join(homes)}")
    lines = [", ".join(facts)]
    lines += [
        f"  {say.piece_name(one.force, one.kind)}{'' if one.is_supplied else ', out of supply (!)'}"
        for one in index.pieces(name)
    ] or ["  no pieces"]
    lines += _scores(index, name)
    for strait in STRAITS:
        if name == strait.land or name in strait.seas:
            team = TEAM_TITLES[index.view.straits[strait.id]]
            lines.append(
                f"{strait.name}: open to the {team} ({' - '.join(map(say.space_name, strait.seas))})"
            )
    return (*lines, *_neighbours(index, name))


def _supply_facts(index: Index, name: str) -> Iterator[str]:
    """Yield a line if this is a supply space for any force, or if it used to be one (5.5, 13.10)."""
    fed, everybody = index.supplies(name), index.forces()
    if fed == everybody:
        yield "Supply space (*)"
    elif fed:
        teams = [team for team in TEAMS if set(fed) == set(MEMBERS[team]) & set(everybody)]
        whose = [f"the {TEAM_TITLES[team]}" for team in teams] or [
            say.force_name(force) for force in fed
        ]
        yield f"Supply space (*) for {', '.join(whose)} only"
    elif SPACE[name].supply:
        yield "no supply space any more"


def _scores(index: Index, name: str) -> Iterator[str]:
    """Yield the points that each force earns here in its Victory step (12.1)."""
    for one in index.pieces(name, "army"):
        points = index.points(one.force, name)
        if points:
            yield f"{say.capitalise_first(say.force_name(one.force))} scores {points} VP here"


def _neighbours(index: Index, name: str) -> Iterator[str]:
    """Yield the neighbours. Those reached through straits or Statuses have one line per team and reason."""
    plain = SPACE[name].adjacent
    straits = {other for strait in STRAITS if name in strait.seas for other in strait.seas}
    yield f"Next to: {', '.join(map(say.space_name, plain))}"
    for team in TEAMS:
        more = [one for one in index.neighbours(name, team) if one not in plain]
        for reason, found in (
            ("strait", [one for one in more if one in straits]),
            ("by a Status", [one for one in more if one not in straits]),
        ):
            if found:
                yield f"{TEAM_TITLES[team]} also: {', '.join(map(say.space_name, found))} ({reason})"


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
    numbers = Counter(same_card(card) for card in cards)
    shown = set()
    for card in cards:
        name = same_card(card)
        if name not in shown:
            shown.add(name)
            yield card, numbers[name]


def _card_list(cards: Iterable[str]) -> Iterator[str]:
    for card, number in card_counts(cards):
        first, *rest = card_lines(card)
        yield f"{number} x {first}" if number > 1 else first
        yield from rest


def _names(cards: Iterable[str]) -> str:
    return ", ".join(
        f"{number} x {card_text(card)}" if number > 1 else card_text(card)
        for card, number in card_counts(cards)
    )


def hand_lines(view: QmgView) -> tuple[str, ...]:
    """Return the player's hand with card texts, followed by the face-down cards and the known top of the deck."""
    own = view.own
    if own is None:
        return ("A spectator holds no cards.",)
    lines = [
        f"Hand of {say.force_name(view.role)}: {pluralise(len(own.hand), 'card', 'cards')}",
        "",
    ]
    lines += _card_list(own.hand)
    if own.responses:
        lines += ["", f"Face down on the table: {len(own.responses)}", *_card_list(own.responses)]
    if own.deck_top:
        lines += ["", "Known on top of the deck:", *_card_list(own.deck_top)]
    return tuple(lines)


def table_page(view: QmgView) -> Page:
    """Return the page for the cards on the table: pile sizes, Statuses with their texts, and top discards."""
    lines = [*_piles(view), ""]
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


def _piles(view: QmgView) -> Iterator[str]:
    """Yield a table of all countries' piles in turn order. A ``>`` marks the active country."""
    yield f"{'':10}{'hand':>5}{'deck':>5}{'discards':>9}{'face down':>10}"
    for country in COUNTRIES:
        cards = view.countries[country]
        mark = ">" if country == view.active else " "
        counts = f"{cards.hand:>5}{cards.deck:>5}{cards.discard:>9}{cards.responses or '-':>10}"
        yield f"{mark} {FORCE_TITLES[country]:8}{counts}"


def cards_page(view: QmgView) -> Page:
    """Return the page for cards off the table: the player's deck and discards, and cards that others have revealed."""
    lines: list[str] = []
    own = view.own
    if own is not None:
        lines += [f"Still in your deck, in no order ({len(own.undrawn) + len(own.deck_top)}):"]
        lines += [f"  {_names((*own.deck_top, *own.undrawn))}", ""]
        lines += [f"Your discard pile ({len(own.discard)}):", f"  {_names(own.discard)}", ""]
    for country in COUNTRIES:
        seen = view.countries[country].seen
        if seen and country != view.role:
            lines += [f"{FORCE_TITLES[country]} has played or shown:", f"  {_names(seen)}", ""]
    return ("k", "Cards not on the table", tuple(lines))


# -- tracks


def _marker(points: int, other: int) -> str:
    """Return a victory-point bar, drawn to the same scale for both teams."""
    scale = max(abs(points), abs(other), _TRACK)
    return "#" * max(round(points * _TRACK / scale), 0)


def tracks_page(view: QmgView) -> Page:
    """Return the page with victory points, round, turn order, expected points, straits and options."""
    axis, allies = view.axis_vp, view.allies_vp
    lead = axis - allies
    leader = "level" if not lead else f"{'Axis' if lead > 0 else 'Allies'} lead by {abs(lead)}"
    lines = [
        f"Axis   {axis:>4} {_marker(axis, allies)}",
        f"Allies {allies:>4} {_marker(allies, axis)}",
        f"{leader.capitalize()}; {_SUDDEN} at the end of a round wins at once (12.4).",
        "",
        f"Round {view.round} of {ROUNDS}",
        "Turn order: "
        + " ".join(
            f">{FORCE_TITLES[country]}<" if country == view.active else FORCE_TITLES[country]
            for country in COUNTRIES
        ),
        "",
        "Points for supply spaces in the Victory step, as the board stands (12.1):",
    ]
    for team in TEAMS:
        gains = {force: view.points.get(force, 0) for force in MEMBERS[team]}
        shown = ", ".join(
            f"{FORCE_TITLES[force]} {points}" for force, points in gains.items() if points
        )
        lines.append(f"  {TEAM_TITLES[team]}: {shown or 'none'} (in all {sum(gains.values())})")
    lines += ["", "Straits (5.3):"]
    for strait in STRAITS:
        holder = TEAM_TITLES[view.straits[strait.id]]
        lines.append(f"  {strait.name} ({say.space_name(strait.land)}): {holder}")
    lines += ["", *_options(view)]
    return ("T", "Tracks", tuple(lines))


def _options(view: QmgView) -> Iterator[str]:
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
        "Signs on the map",
        (
            "Spaces that share a border on the map are adjacent, no others, but for straits and the map's edges.",
            "Without background colours LAND is written in capitals, sea in small letters.",
            f"Pieces: {chips}. Before it stands the kind:",
            "  a square or A: Army, a triangle or N: Navy, a diamond or F: Air Force; hollow and with ! out of supply.",
            "Where there is no room, one letter each:",
            f"  {letters}.",
            "  G  Army   g  Navy   G^ Air Force   G! out of supply   + more than fit",
            "Behind or below a name: a star (*) supply space; Ax, Al a strait open to the Axis (Ax) or Allies (Al).",
            "Strokes at corners and canals: straits, in the colour of the team to which they are open.",
            "The place under the cursor is framed, or stands in [ ]; its neighbours are lit, or have < behind them,",
            "  those through a strait Ax or Al.  <PNW, EUS> at the edges: the map goes on there.",
            "Marks behind a place: + may be chosen   x battle, removal, or what set off the window   ~ changed",
            "Supply (s own, S all): @ source   = in supply   x out of supply",
            "Enter on a space takes or lists what may be done there; n and p walk through the choices.",
            "Commands at any time (withdraw a piece, any-time cards) stand last in the list.",
            "F1 opens the rules reference.",
        ),
    )
