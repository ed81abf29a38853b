"""Real games by move files: a turn of Empire of the Sun, and Quartermaster General with several seats."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

import pytest

from engine import registry
from engine.kernel.ids import Role
from netplay.mail.mail_store import HostedMatch, MailStore, SeatedMatch
from netplay.mail.match_creation import open_by_mail
from netplay.mail.session import HostMailSession, open_mail_session
from play.bots import create_seat_bot
from saves.logfile import read_log
from saves.verify import verify_file
from tests.sizes import sized
from tests.tools.plans import mail_plan

PLACE = "files"


class Person:
    """A person with their own machine, played by a bot."""

    def __init__(self, folder: Path, game: str) -> None:
        self.folder = folder
        self.bot = create_seat_bot("greedy", game)
        self.office = MailStore(
            hosted=folder / "hosted", invites=(folder / "invites",), copies=folder / "joined"
        )

    async def play(self, most: int) -> bool:
        """Open the match, answer its questions and leave. Return whether there is something to send."""
        invites = next(iter([one.invites for one in self.office.own_seats()]), None)
        invites = invites or self.office.seated_matches()[0].invites
        session = await open_mail_session(self.office, invites, self.folder / PLACE)
        given = 0
        try:
            while given < most:
                role = session.next_role_to_show()
                if role is not None:
                    session.switch_role(role)
                decision = session.decision()
                if decision is None and any(map(session._automatic_answer, session.own_roles)):
                    await asyncio.sleep(0)  # the standing orders answer now
                    continue
                if decision is None:
                    break
                await session.give(self.bot.choose(session.view(), decision))
                await session.commit()
                given += 1
            if isinstance(session, HostMailSession):
                await session.mail_host.order_runner.wait_until_idle()
                return bool(session.recipients())
            return "to send" in session.status()
        finally:
            await session.close()


def _hand_over(invite: Path, inbox: Path) -> None:
    inbox.mkdir(parents=True)
    invite.rename(inbox / invite.name)


async def correspondence(
    folder: Path, game: str, scenario: str, players: Mapping[Role, str], records: int
) -> tuple[int, list[int]]:
    """Play by files up to this number of records or the end of the game. Return records and file sizes."""
    own = next(iter(players))
    names = list(dict.fromkeys(players.values()))
    people = {name: Person(folder / name, game) for name in names}
    judge, *others = names
    running = open_by_mail(mail_plan(folder / judge / "hosted", game, scenario, players, own))
    for invite in running.invites:
        if not invite.is_own:
            _hand_over(Path(invite.path), folder / invite.player / "invites")
    sizes: list[int] = []
    side = HostedMatch(match=running.match, folder=folder / judge / "hosted")
    head, record = 0, side.folder / f"{running.match}.fplog"
    while head < records:
        if await people[judge].play(60):
            for out in await people[judge].office.send(side):
                sizes.append(len(out.text))
                await people[out.reader].office.receive(out.text.encode())
        for name in others:
            if await people[name].play(60):
                seat = people[name].office.seated_matches()[0]
                assert isinstance(seat, SeatedMatch)
                (out,) = await people[name].office.send(seat)
                sizes.append(len(out.text))
                reports = await people[judge].office.receive(out.text.encode())
                assert any(report.carried_out for _, report in reports)
                assert not any(report.refused for _, report in reports)
        log = read_log(record)
        assert len(log.records) > head
        head = len(log.records)
        if log.records[-1].kind == "reveal":
            break
    for out in await people[judge].office.send(side, recipient="", from_start=True):
        await people[out.reader].office.receive(out.text.encode())
    rules = registry.ruleset(game)
    assert verify_file(record, rules).exit_code == 0
    for name in others:
        for copy in (folder / name / "joined").glob("*.fplog"):
            assert verify_file(copy, rules, against=record).exit_code == 0
            assert len(read_log(copy).records) == head
    return head, sizes


@pytest.mark.full
async def test_empire_of_the_sun_turn_is_played_by_move_files(tmp_path: Path) -> None:
    players = {Role("allied"): "Ann", Role("japan"): "Bob"}
    records = sized(20, 700)
    head, sizes = await correspondence(tmp_path, "eots", "1943", players, records)
    assert head >= records
    assert sum(sizes) / len(sizes) < 30_000


@pytest.mark.full
@pytest.mark.parametrize("people", [3, 6], ids=["three", "six"])
async def test_quartermaster_general_is_played_by_move_files(tmp_path: Path, people: int) -> None:
    rules = registry.ruleset("qmg")
    roles = rules.scenario_info("base", {}).roles
    names = ["Ann", "Bob", "Cy", "Di", "Ed", "Flo"]
    shared = {role: names[place % people] for place, role in enumerate(roles)}
    if people == 3:  # all roles of one person belong to one team
        teams = list(rules.scenario_info("base", {}).teams.values())
        shared = {role: "Ann" if role in teams[0] else "Bob" for role in roles}
        shared[teams[1][-1]] = "Cy"
    head, _ = await correspondence(tmp_path, "qmg", "base", shared, sized(20, 400))
    assert head >= 20
