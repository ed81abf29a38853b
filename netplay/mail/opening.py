"""Creates a match to be played through move files: its record, and invites that name no host."""

from collections.abc import Callable
from pathlib import Path

from engine import registry
from engine.kernel.errors import FlagplotError
from engine.kernel.ids import Role
from engine.registry import AnyRuleset
from netplay.host.host_command import Plan, Running, Written, check_bots, keep_own
from netplay.host.opening import NewMatch, Opened, write_match
from netplay.invites.host_keys import load_authority
from netplay.invites.invite_files import hand_out
from netplay.mail.mailboxes import SUFFIX, HostMailbox, keep
from netplay.workers.host_bots import keep_invite
from play.bots import bot_name
from play.seating import ROLES_JOIN
from saves.logfile import SUFFIX as RECORD


def open_by_mail(plan: Plan, rulesets: Callable[[str], AnyRuleset] = registry.ruleset) -> Running:
    """Write a new match's record and its seats' invites. No server is started.

    Raises:
        FlagplotError: The match cannot be created. All files already written are removed.
    """
    check_bots(plan)
    new = NewMatch(
        scenario=plan.scenario,
        options=plan.options,
        players=plan.players,
        position=plan.position,
        data=plan.data,
    )
    authority = load_authority(plan.folder)
    _, opened = write_match(plan.folder, rulesets(plan.game), new, authority, ())
    written: list[Written] = []
    book = plan.folder / f"{opened.match}{SUFFIX}"
    try:
        for seat in opened.seats:
            written += _hand_out(plan, opened, seat)
        keep(book, _book_of(opened))
    except FlagplotError:
        for path in (book, plan.folder / f"{opened.match}{RECORD}"):
            path.unlink(missing_ok=True)
        for one in written:
            Path(one.path).unlink(missing_ok=True)
        raise
    return Running(port=0, match=opened.match, invites=tuple(written))


def _hand_out(plan: Plan, opened: Opened, seat: tuple[Role, ...]) -> list[Written]:
    invites = tuple(opened.invites[role] for role in seat)
    player = plan.players[seat[0]]
    if bot_name(player):
        keep_invite(plan.folder, invites[0])
        return []
    is_own = plan.own in seat
    path = keep_own(plan.folder, invites) if is_own else hand_out(plan.invites, invites, player)
    role = ROLES_JOIN.join(seat)
    return [Written(role=role, player=player, path=str(path), is_own=is_own)]


def _book_of(opened: Opened) -> HostMailbox:
    """Return a mailbox with all seats' certificates, so that files can be encrypted even if the invites are deleted."""
    book = HostMailbox(seats={})
    for role, invite in opened.invites.items():
        if role is not None:
            book.corner(role).certificate = invite.certificate
    return book
