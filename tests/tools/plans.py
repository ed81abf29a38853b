"""Plans of hosts, as created by the command line."""

from collections.abc import Mapping
from pathlib import Path

from engine.kernel.ids import Role
from netplay.host.host_command import HostPlan


def mail_plan(
    folder: Path, game: str, scenario: str, players: Mapping[Role, str], own: str
) -> HostPlan:
    """Return the plan for opening a match that is played by move files."""
    return HostPlan(
        host="127.0.0.1",
        port=0,
        plain=False,
        folder=folder,
        invites=folder / "invites",
        game=game,
        scenario=scenario,
        players=players,
        own_role=own,
    )
