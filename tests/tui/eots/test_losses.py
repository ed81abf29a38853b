"""The option to end a step shows what it gives up before it is chosen."""

import pytest

from engine.eots.ch11_replacements import begin_replacements
from engine.eots.commands import ChooseHq, Done, EotsCommand, Pass, React, Repair, RollIntelligence
from engine.eots.frames import Phase
from engine.eots.ids import CardId, Pool, UnitId
from engine.eots.ruleset import EOTS
from engine.kernel.dice import ScriptedDice
from tests.engine.eots.positions import Place, position
from tests.engine.eots.strategic import advance, give, in_phase, ledger_on, rolling
from tui.eots.orders.option_list import loss

DICE = ScriptedDice()
ENTERPRISE, CENTRAL_PACIFIC = "us-cv-enterprise", "us-hq-central-pacific"


def test_11_0_done_counts_the_steps_still_usable() -> None:
    """Japan saves its naval and air points (11.2). Points that the Allies do not spend are lost."""
    ships: dict[str, Place] = {
        ENTERPRISE: ("5808", 1),
        "us-cv-lexington": ("5808", 1),
        CENTRAL_PACIFIC: "5808",
    }
    run = ledger_on(in_phase(position(ships, scenario_id="1942"), Phase.REPLACEMENT, 2))
    begin_replacements(rolling(run, DICE))
    told = []
    for command in (Repair(pool=Pool.US_NAVAL, unit=UnitId(ENTERPRISE)), Done()):
        asked = advance(run, DICE)
        assert asked is not None
        told.append(loss(EOTS.project(run.state, asked.role), Done(), asked.options))
        give(run, command, DICE)
    assert told == ["2 steps unused", "1 step unused"]


@pytest.mark.parametrize(
    ("other", "lost"),
    [
        pytest.param(RollIntelligence(), "no roll", id="7.25"),
        pytest.param(ChooseHq(hq=UnitId(CENTRAL_PACIFIC)), "no reaction", id="7.26"),
        pytest.param(React(card=CardId("A-78")), "no reaction card", id="5.32"),
    ],
)
def test_pass_shows_what_it_gives_up(other: EotsCommand, lost: str) -> None:
    run = ledger_on(position({ENTERPRISE: "5808"}, scenario_id="1942"))
    view = EOTS.project(run.state, None)
    assert loss(view, Pass(), (other, Pass())) == lost
    assert loss(view, Pass(), (Pass(),)) == ""
