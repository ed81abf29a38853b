"""Hosts matches from the menu."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from engine import registry
from engine.kernel.errors import FlagplotError
from netplay.discovery.host_address import default_address
from netplay.host.host_command import HostPlan
from netplay.host.host_thread import HostThread
from netplay.invites.pending_match_file import pending_files
from saves.folders import hosted_folder
from saves.logfile import SUFFIX
from tui.screens.dialogs.prompt import ChoiceDialog, TextDialog
from tui.screens.forms.host import NAMELESS, HostDialog, build_plan

if TYPE_CHECKING:
    from tui.app.app import FlagplotApp

_BY_MAIL_HELP: Final = (
    "Under Join on this machine, Enter takes your seat, s writes the first file for everyone, and t reads the files"
    " that they send. Your program runs the match, so the others have to trust you with dice and hands."
)
_RESUME_CHOICE: Final = "resume"


async def host(app: "FlagplotApp") -> None:
    """Show the matches hosted here. If no matches are hosted, ask what to host or reopen."""
    if app.host is not None:
        app.show_host()
        return
    folder = hosted_folder()
    choice = await _ask_what_to_open(app, folder)
    if choice == _RESUME_CHOICE:
        await start_host(app, _resume_plan(folder))
    elif choice:
        plan = await _ask_for_plan(app, choice, folder)
        if plan is not None:
            await (_open_mail_match if plan.by_mail else start_host)(app, plan)


async def host_another(app: "FlagplotApp") -> None:
    """Ask for the settings of another match, and open it on the running host."""
    game = await app.choose_game("Which game do you want to host?")
    plan = await _ask_for_plan(app, game, hosted_folder()) if game else None
    if plan is None or app.host is None:
        return
    if plan.by_mail:
        await _open_mail_match(app, plan)
        return
    try:
        await app.host.open(plan)
    except (FlagplotError, OSError) as error:
        app.show_error(error)


async def start_host(app: "FlagplotApp", plan: HostPlan) -> None:
    """Start a host and show its matches."""
    from netplay.system.host_log import log_to_file

    try:
        log_to_file(plan.folder / "host.log")
        # A host without a name is not announced on the network.
        name = (app.settings.name or NAMELESS) if app.settings.lan else ""
        seconds = float(app.settings.thinking)
        thread = HostThread(replace(plan, announce_as=name, bot_seconds=seconds))
        await asyncio.to_thread(thread.start)
    except (FlagplotError, OSError) as error:
        app.show_error(error)
        return
    app.host = thread
    app.show_host()


async def _open_mail_match(app: "FlagplotApp", plan: HostPlan) -> None:
    """Open a match played by move files, and explain the next steps."""
    from netplay.mail.match_creation import open_by_mail

    try:
        running = await asyncio.to_thread(open_by_mail, plan)
    except (FlagplotError, OSError) as error:
        app.show_error(error)
        return
    instructions = [
        f"Send {invite.player or invite.role} this invite once, over a channel that you trust:\n  {invite.path}"
        for invite in running.invites
        if not invite.is_own
    ]
    await app.run_action("app.join")
    app.push_screen(
        TextDialog("Match opened for play by move files", "\n".join([*instructions, _BY_MAIL_HELP]))
    )


async def _ask_what_to_open(app: "FlagplotApp", folder: Path) -> str:
    """Ask which game to host, or whether to reopen earlier matches. If the player cancels, return an empty string."""
    entries = [(game, registry.ruleset(game).title) for game in registry.games()]
    count = _match_count(folder)
    if count:
        matches_text = "the match you hosted" if count == 1 else f"the {count} matches you hosted"
        entries.insert(0, (_RESUME_CHOICE, f"Open {matches_text} again"))
    return (
        await app.push_screen_wait(ChoiceDialog("Which game do you want to host?", entries)) or ""
    )


def _match_count(folder: Path) -> int:
    return len([*folder.glob(f"*{SUFFIX}"), *pending_files(folder)]) if folder.is_dir() else 0


async def _ask_for_plan(app: "FlagplotApp", game: str, folder: Path) -> HostPlan | None:
    rules = registry.ruleset(game)
    name = app.settings.name or NAMELESS
    values = await app.push_screen_wait(HostDialog(rules, name))
    if values is None:
        return None
    try:
        return build_plan(rules, values, folder, name)
    except FlagplotError as error:
        app.show_error(error)
        return None


def _resume_plan(folder: Path) -> HostPlan:
    """Return a plan for reopening a folder's matches at the address given in their invites."""
    address = default_address(folder, folder / "invites")
    return HostPlan(
        host=address.host,
        port=address.port,
        plain=address.is_plain,
        folder=folder,
        invites=folder / "invites",
        advertise=address.advertised_names,
        detected_address=address,
        source=address.source,
    )
