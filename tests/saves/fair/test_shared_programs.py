"""AT-31 (M5): seats of one player are one program, and count as one wherever a record says what it proves."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from engine.kernel.ids import Role
from tests.netplay.fair.match import FairMatch
from tests.tools.commands import Cli

pytestmark = pytest.mark.usefixtures("quick_proofs")
EOTS = (Role("allied"), Role("japan"))
SIX = tuple(map(Role, ("germany", "uk", "japan", "ussr", "italy", "usa")))


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    return Cli(capsys)


def explained(match: FairMatch, folder: Path, cli: Cli) -> Mapping[str, str]:
    """Return the rows that ``verify --explain`` prints for the host's copy, by topic."""
    copy, path = match.full_copy or match.record_files[None], folder / "copy.fplog"
    copy.write(path)
    found = cli("verify", "--explain", path)
    lines = [line.strip() for line in found.out.splitlines()]
    return {line.partition(",")[0]: line for line in lines if "," in line}


def test_at_31_one_program_with_all_seats_leaves_dice_unproven(tmp_path: Path, cli: Cli) -> None:
    players = dict.fromkeys(EOTS, "Ann")
    match = FairMatch("eots", "south-pacific", seed=91, players=players)
    match.start()
    found = explained(match, tmp_path, cli)
    assert found["hands"].startswith("hands, partly proved: ")
    assert "Hands in one program: allied+japan." in found["hands"]
    assert "all other seats" not in found["hands"]
    assert found["dice and draws"].startswith("dice and draws, not proved: One program has")
    assert "could choose and predict everything" in found["dice and draws"]
    assert "2^-20" not in found["deal"]
    assert "Keys in one program: allied+japan." in found["authorship"]


def test_at_31_dealing_host_and_one_program_count_as_two_parties(tmp_path: Path, cli: Cli) -> None:
    players = dict.fromkeys(EOTS, "Ann")
    match = FairMatch("eots", "south-pacific", seed=92, deals=False, players=players)
    match.start()
    match.finish()
    found = explained(match, tmp_path, cli)
    assert "If the program of the host or allied+japan is honest" in found["dice and draws"]
    assert "If the program of allied+japan is honest" in found["deal"]


@pytest.mark.full
def test_at_31_six_seats_of_three_players_count_as_three_programs(tmp_path: Path, cli: Cli) -> None:
    names = ("Ann", "Bob", "Cy", "Bob", "Ann", "Bob")
    match = FairMatch("qmg", "base", seed=93, players=dict(zip(SIX, names, strict=True)))
    match.start()
    found = explained(match, tmp_path, cli)
    assert found["hands"].startswith("hands, partly proved: ")
    assert "even if the host and all seats of other players cheat together" in found["hands"]
    assert "Hands in one program: germany+italy, uk+ussr+usa." in found["hands"]
    assert found["hands"].endswith("This protocol has had no independent review."), (
        "nothing is cut off"
    )
    assert "Keys in one program: germany+italy, uk+ussr+usa." in found["authorship"]
    honest = "If the program of germany+italy, uk+ussr+usa or japan is honest"
    assert honest in found["dice and draws"]
    assert found["dice and draws"].startswith("dice and draws, proved: ")


def test_at_31_seats_of_different_players_count_as_separate_programs(
    tmp_path: Path, cli: Cli
) -> None:
    match = FairMatch(
        "eots", "south-pacific", seed=94, players=dict(zip(EOTS, ("Ann", "Bob"), strict=True))
    )
    match.start()
    found = explained(match, tmp_path, cli)
    assert found["hands"].startswith("hands, proved: ")
    assert "one program" not in found["hands"]
    assert "If the program of allied or japan is honest" in found["dice and draws"]
