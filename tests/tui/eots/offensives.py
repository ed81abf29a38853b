"""An Allied offensive of 1943 against an opponent that always takes the default."""

from typing import Any

from engine.eots.commands import ChooseHq, OperationsOffensive, RollIntelligence
from engine.eots.ruleset import EOTS
from engine.kernel.decision import Decision
from engine.kernel.ids import Role
from engine.kernel.ruleset import Command, View
from play.local_session import LocalSession
from saves.match import Match
from tests.play.tables import SECRET
from tui.eots.presenter import EotsPresenter

PRESENTER = EotsPresenter(EOTS)
HALSEY = "hq us-hq-south-pacific-halsey"
FLEET = ("us-bb-north-carolina", "us-bb-washington", "us-cv-enterprise", "us-cv-lexington")


class Default:
    """A bot that answers as the clock would."""

    def choose(self, view: View, decision: Decision[Any]) -> Command:
        del view
        command: Command = decision.default
        return command


def begun() -> LocalSession:
    match = Match.create(EOTS, EOTS.position("1943", {}), "1943", {}, (), SECRET)
    return LocalSession(match, {Role("japan"): Default()})


async def intercepted() -> LocalSession:
    """Return a session in which Japan may react to an air attack on New Georgia and has chosen its HQ (7.26)."""
    for luck in range(20):
        match = Match.create(
            EOTS, EOTS.position("1943", {}), "1943", {}, (), bytes([luck, *SECRET[1:]])
        )
        session = LocalSession(match, {}, Role("allied"))
        decision = session.decision()
        assert decision is not None
        cards = (one for one in decision.options if isinstance(one, OperationsOffensive))
        await session.give(next(cards))
        for line in (
            HALSEY,
            "activate us-air-1maw",
            "done",
            "done",
            "battle-with us-air-1maw 4322",
        ):
            await session.give(session.parse(line))
        await session.commit()
        session.switch_role(Role("japan"))
        while RollIntelligence() not in session.offered_commands():
            await session.give(session.parse("pass"))
        await session.give(session.parse("roll"))
        question = session.decision()
        if question is not None and any(isinstance(one, ChooseHq) for one in question.options):
            return session
    raise AssertionError("no roll has succeeded")


async def commanded(*lines: str) -> LocalSession:
    """Return a session whose South Pacific HQ begins an offensive, with further commands tried."""
    session = begun()
    decision = session.decision()
    assert decision is not None
    card = next(one for one in decision.options if isinstance(one, OperationsOffensive))
    await session.give(card)
    for line in (HALSEY, *lines):
        await session.give(session.parse(line))
    return session
