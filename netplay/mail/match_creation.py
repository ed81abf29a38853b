"""Creates a match to be played through move files. Its invites contain no address."""

from collections.abc import Callable
from pathlib import Path

from engine import registry
from engine.kernel.errors import FlagplotError
from engine.kernel.ids import Role
from engine.registry import AnyRuleset
from netplay.host.host_command import (
    HostPlan,
    RunningHost,
    WrittenInvite,
    check_bots,
    save_own_invites,
)
from netplay.host.match_creation import CreatedMatch, NewMatch, write_match
from netplay.invites.host_keys import load_authority
from netplay.invites.invite_files import write_short_named
from netplay.mail.mailboxes import SUFFIX, HostMailbox, save_mailbox
from netplay.workers.host_bots import save_bot_invite
from play.bots import bot_name
from play.seating import ROLE_SEPARATOR
from saves.logfile import SUFFIX as RECORD


def open_by_mail(
    plan: HostPlan, rulesets: Callable[[str], AnyRuleset] = registry.ruleset
) -> RunningHost:
    """Write the record and the seats' invites for a new match, without starting a server.

    Raises:
        FlagplotError: The match cannot be created. All files already written have been removed.
    """
    check_bots(plan)
    new_match = NewMatch(
        scenario=plan.scenario,
        options=plan.options,
        players=plan.players,
        position=plan.position,
        data=plan.data,
    )
    authority = load_authority(plan.folder)
    _, opened = write_match(plan.folder, rulesets(plan.game), new_match, authority, ())
    written_invites: list[WrittenInvite] = []
    mailbox = plan.folder / f"{opened.match}{SUFFIX}"
    try:
        for seat in opened.seats:
            written_invites += _write_seat_invites(plan, opened, seat)
        save_mailbox(mailbox, _new_mailbox(opened))
    except FlagplotError:
        for path in (mailbox, plan.folder / f"{opened.match}{RECORD}"):
            path.unlink(missing_ok=True)
        for written_invite in written_invites:
            Path(written_invite.path).unlink(missing_ok=True)
        raise
    return RunningHost(port=0, match=opened.match, invites=tuple(written_invites))


def _write_seat_invites(
    plan: HostPlan, opened: CreatedMatch, seat: tuple[Role, ...]
) -> list[WrittenInvite]:
    invites = tuple(opened.invites[role] for role in seat)
    player = plan.players[seat[0]]
    if bot_name(player):
        save_bot_invite(plan.folder, invites[0])
        return []
    is_own = plan.own_role in seat
    path = (
        save_own_invites(plan.folder, invites)
        if is_own
        else write_short_named(plan.invites, invites, player)
    )
    role = ROLE_SEPARATOR.join(seat)
    return [WrittenInvite(role=role, player=player, path=str(path), is_own=is_own)]


def _new_mailbox(opened: CreatedMatch) -> HostMailbox:
    """Return a mailbox with the certificates of all seats, so that files can be encrypted without the invites."""
    mailbox = HostMailbox(seats={})
    for role, invite in opened.invites.items():
        if role is not None:
            mailbox.seat_state(role).certificate = invite.certificate
    return mailbox
