"""How the matches of a host stand: who is here, whose move it is, which invite is whose."""

from collections.abc import Mapping
from pathlib import Path

import msgspec

from engine.registry import AnyRuleset
from netplay.crew import Place
from netplay.holding import Standing
from netplay.reissue import Party, parties_of
from play.bots import bot_name
from play.dials import Dial
from saves.disk import Trouble
from saves.modes import Mode, mode_of

InviteFiles = Mapping[tuple[str, frozenset[str | None]], Path]
"""Files that were handed out, by match and roles."""


class SeatStanding(msgspec.Struct, frozen=True, kw_only=True):
    """One person's seat, or a bot's."""

    party: Party
    player: str
    bot: str = ""
    """Which bot has it, empty for a person."""
    is_own: bool = False
    """The host's own."""
    is_here: bool
    is_asked: bool
    """It is this seat's move."""
    dials: tuple[Dial, ...] = ()
    """Clocks of its roles."""
    invite: str = ""
    """File to hand out; empty where there is none."""


class MatchStanding(msgspec.Struct, frozen=True, kw_only=True):
    """One match."""

    match: str
    game: str
    scenario: str
    """Name of the scenario, empty for a position of the players' own."""
    heading: str
    """Turn, phase, whose move."""
    records: int
    spectators: int
    is_over: bool
    is_waiting: bool = False
    """Whether it has not begun."""
    mode: Mode = "host"
    """Who makes its chance, and whose hands the host can read."""
    disk: Trouble = ""
    """Why the disk takes no records; empty while it does."""
    own: str = ""
    """The invite of the host's own seat; empty where he has none."""
    seats: tuple[SeatStanding, ...]
    """The spectators' last."""


def standing_of(
    place: Place,
    rules: AnyRuleset,
    standing: Standing | None,
    own: InviteFiles,
    files: InviteFiles,
) -> MatchStanding:
    """Return how a match stands.

    Args:
        place: The match.
        rules: Its rules.
        standing: What whoever holds it says of it; None while nobody does.
        own: Invites of the host's own seats.
        files: Invites that were handed out.
    """
    header, match = place.header, place.match
    names = {info.id: info.name for info in rules.scenarios()}
    mine = next((path for (of, _), path in own.items() if of == match), None)
    found = standing or _not_held(place)
    seats = tuple(
        SeatStanding(
            party=party,
            player=player,
            bot=bot_name(player),
            is_own=(match, frozenset(party)) in own,
            is_here=all(role in found.present for role in party if role is not None)
            and party != (None,),
            is_asked=any(role in found.asked for role in party),
            dials=tuple(dial for dial in found.dials if dial.role in party),
            invite=str(files.get((match, frozenset(party)), "")),
        )
        for party, player in parties_of(rules, header).items()
    )
    return MatchStanding(
        match=match,
        game=header.game,
        scenario=names.get(header.scenario, header.scenario),
        heading=found.heading,
        records=found.records,
        spectators=found.spectators,
        is_over=found.is_over,
        is_waiting=bool(found.missing),
        mode=found.mode,
        disk=found.disk,
        own="" if mine is None else str(mine),
        seats=seats,
    )


def _not_held(place: Place) -> Standing:
    """Return how a match stands that is being opened, or cannot go on."""
    return Standing(
        match=place.match,
        heading="being opened" if place.error is None else str(place.error),
        records=place.records,
        spectators=0,
        present=(),
        asked=(),
        is_over=place.is_over,
        mode=mode_of(place.header),
    )


def free_seats(match: MatchStanding) -> str:
    """Return the roles of the guests who are not here."""
    seats = (seat for seat in match.seats if not (seat.bot or seat.is_own or seat.is_here))
    return ", ".join(str(role) for seat in seats for role in seat.party if role is not None)
