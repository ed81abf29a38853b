"""``flagplot verify --explain`` of protocol 7: each row claims what the table of promises allows, and no more."""

from collections.abc import Mapping
from pathlib import Path

import msgspec
import pytest

from engine.kernel.ids import Role
from saves.clocks import Clock
from saves.fair.full_copy import full_copy
from saves.fair.messages import HOST, End, Kind, Offer
from saves.fair.topic_proofs import Findings, explain_fair
from saves.logfile import log_bytes
from saves.verdicts import Verdict
from saves.verify import verify_file
from tests.netplay.fair.dealt import chance, opened, signed_by
from tests.netplay.fair.match import TIMED, CopyOfMatch, FairMatch, verdict_of
from tools.verdicts import as_text

pytestmark = pytest.mark.usefixtures("quick_proofs")
JAPAN, ALLIED = Role("japan"), Role("allied")
PROMISES = (
    "hands",
    "dice and draws",
    "deal",
    "authorship",
    "consent",
    "legality",
    "blame",
    "one history",
    "continuation",
)


def played(
    seed: int,
    *,
    hosted: tuple[str, ...] = (),
    commands: int = 4,
    clock: Clock | msgspec.UnsetType = msgspec.UNSET,
) -> FairMatch:
    match = FairMatch("eots", "south-pacific", seed=seed, hosted=hosted, clock=clock)
    match.start()
    for _ in range(commands):
        assert match.step()
    return match


def rows(verdict: Verdict) -> Mapping[str, str]:
    """Return the rows by topic, each with its extent."""
    return {proof.topic: f"{proof.extent}: {proof.text}" for proof in verdict.proofs}


@pytest.fixture(scope="module")
def running() -> FairMatch:
    return played(61)


@pytest.fixture(scope="module")
def closed() -> FairMatch:
    match = played(62)
    match.finish()
    return match


@pytest.fixture(scope="module")
def unproven() -> FairMatch:
    match = played(63)
    match.submit(match.seats[JAPAN].sign_resignation())
    match.seats[ALLIED].may_open_seed = True
    match.settle()
    assert match.host.close() is None
    match.deliver()
    return match


# -- a match whose seats deal


def test_report_has_one_row_per_promise_in_order(
    running: FairMatch, closed: FairMatch, unproven: FairMatch, tmp_path: Path
) -> None:
    for match in (running, closed, unproven):
        found = verdict_of(match.record_files[ALLIED], tmp_path)
        assert tuple(proof.topic for proof in found.proofs) == PROMISES


def test_running_match_does_not_claim_proof_of_hidden_choices(
    running: FairMatch, tmp_path: Path
) -> None:
    found = rows(verdict_of(running.record_files[None], tmp_path))
    assert found["legality"].startswith("partly: ")
    assert "with the card seeds, after the end" in found["legality"]
    assert found["deal"].startswith("partly: ")
    assert "2^-20" in found["deal"]
    assert found["dice and draws"].startswith("proved: ")
    assert "If the program of allied or japan is honest" in found["dice and draws"]


def test_rows_state_which_parties_may_be_dishonest(running: FairMatch, tmp_path: Path) -> None:
    found = rows(verdict_of(running.record_files[JAPAN], tmp_path))
    assert "even if the host and all other seats cheat together" in found["hands"]
    assert "even the host and all other seats together" in found["authorship"]
    assert "Valid evidence never blames an honest seat" in found["blame"]
    assert found["continuation"].startswith("nothing: Not guaranteed")


def test_deal_row_counts_mixes_not_yet_challenged_by_a_throw(tmp_path: Path) -> None:
    match = played(61)
    while not match.state.unproven:
        assert match.step()
    mixes = [mix.pile for mix in match.state.unproven]
    text = rows(verdict_of(match.record_files[None], tmp_path))["deal"]
    assert f"{len(mixes)} later mix" in text
    assert all(pile in text for pile in mixes)


def test_closed_match_proves_hidden_choices_and_decks(closed: FairMatch, tmp_path: Path) -> None:
    found = rows(verdict_of(closed.record_files[None], tmp_path))
    assert found["legality"].startswith("proved: ")
    assert found["deal"].startswith("proved: ")
    assert "to its end" in found["one history"]
    assert found["one history"].startswith("proved: ")


def test_full_copy_proves_the_same_as_a_seat_copy(closed: FairMatch, tmp_path: Path) -> None:
    copy = closed.record_files[None]
    path = tmp_path / "full.fplog"
    path.write_bytes(log_bytes(*full_copy(closed.game, copy.header, copy.records)))
    assert rows(verify_file(path)) == rows(verdict_of(copy, tmp_path))


def test_missing_seed_leaves_mixes_and_choices_unproven(
    unproven: FairMatch, tmp_path: Path
) -> None:
    found = rows(verdict_of(unproven.record_files[None], tmp_path))
    assert found["legality"].startswith("partly: ")
    assert "Hidden choices of japan stay unproven" in found["legality"]
    assert found["deal"].startswith("partly: ")
    assert "japan has not revealed its card seed" in found["deal"]
    mixes = [mix for mix in unproven.state.unproven if mix.owner == JAPAN]
    assert mixes
    assert f"{len(mixes)} later mix" in found["deal"]
    assert found["one history"].startswith("partly: "), "japan has signed nothing of the end"


def test_only_seats_with_open_seeds_are_reported_as_checked(
    unproven: FairMatch, tmp_path: Path
) -> None:
    text = rows(verdict_of(unproven.record_files[ALLIED], tmp_path))["legality"]
    assert text.endswith("Those of the other seats were checked with their card seeds.")


@pytest.mark.full
def test_history_after_the_last_throw_is_not_yet_proved_common(tmp_path: Path) -> None:
    match = played(64)
    copy = match.record_files[None]
    while "reveal" in kinds_of(copy, -1):
        assert match.step()
    last = max(seq for seq in range(len(copy.records)) if "reveal" in kinds_of(copy, seq))
    text = rows(verdict_of(copy, tmp_path))["one history"]
    assert text.startswith("partly: ")
    assert f"record {last}" in text
    assert copy.records[-1].chain.hex()[:16] in text


def kinds_of(copy: CopyOfMatch, seq: int) -> set[str]:
    segment = copy.records[seq].transcript
    return {one.kind for one in getattr(segment, "messages", ())}


def test_comparison_with_a_matching_copy_proves_one_history(
    running: FairMatch, tmp_path: Path
) -> None:
    verdict = verdict_of(
        running.record_files[JAPAN], tmp_path, against=running.record_files[ALLIED]
    )
    text = rows(verdict)["one history"]
    assert text == f"proved: The same as the other copy, up to record {verdict.records - 1}."


@pytest.mark.full
def test_consent_row_is_empty_without_takebacks(running: FairMatch, tmp_path: Path) -> None:
    assert rows(verdict_of(running.record_files[None], tmp_path))["consent"].startswith("nothing")
    match = played(65)
    match.submit(match.seats[JAPAN].sign_offer(Offer("takeback", 1)))
    match.submit(match.seats[ALLIED].sign_consent(agrees=True))
    match.settle()
    text = rows(verdict_of(match.record_files[None], tmp_path))["consent"]
    assert text.startswith("proved: 1 takeback")


@pytest.mark.full
def test_timeout_is_reported_as_claimed_by_the_host_alone() -> None:
    match = played(66, clock=TIMED)
    match.submit(signed_by(match, HOST, match.state, Kind.END, End("time", JAPAN)))
    records = match.record_files[None].records
    made = explain_fair(match.header, records, Findings(is_ended=True))
    text = next(proof.text for proof in made if proof.topic == "authorship")
    assert "because time ran out, on the host's word alone" in text


# -- secrets on the host's machine (AT-31)


@pytest.mark.full
def test_hand_is_readable_by_a_host_that_has_its_secrets(tmp_path: Path) -> None:
    match = played(67, hosted=("allied",), commands=1)
    found = rows(verdict_of(match.record_files[JAPAN], tmp_path))
    assert found["hands"].startswith("partly: ")
    assert "allied: the host can read this hand" in found["hands"]
    assert "japan: secret" in found["hands"]
    assert "the host has the secrets of allied" in found["dice and draws"]
    assert "If the program of japan is honest" in found["dice and draws"]
    assert "the host has the key of allied" in found["authorship"]


@pytest.mark.full
def test_hands_and_dice_are_not_proved_against_a_host_with_all_secrets(tmp_path: Path) -> None:
    match = played(68, hosted=("allied", "japan"), commands=1)
    found = rows(verdict_of(match.record_files[None], tmp_path))
    assert found["hands"].startswith("not proved: ")
    assert "the host can read these hands" in found["hands"]
    assert found["dice and draws"].startswith("not proved: ")
    assert "could choose and predict" in found["dice and draws"]
    assert found["deal"].startswith("partly: "), "mixes are challenged by chance that the host made"
    assert "2^-20" not in found["deal"]


# -- rules that differ


def test_match_under_different_rules_proves_signatures_only(
    closed: FairMatch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A match that other rules have decided: today's were not asked, so nothing is claimed about them."""
    path = tmp_path / "copy.fplog"
    closed.record_files[JAPAN].write(path)
    monkeypatch.setattr(type(closed.game), "version", closed.game.version + 1)
    asked = closed.game.active_roles
    monkeypatch.setattr(
        type(closed.game), "active_roles", lambda self, state: (*asked(state), JAPAN)[:0]
    )
    verdict = verify_file(path)
    assert verdict.status == "older"
    found = rows(verdict)
    for topic in ("legality", "dice and draws", "deal"):
        assert found[topic].startswith("not proved: "), topic
        assert "different rules" in found[topic]
    assert found["authorship"].startswith("proved")


# -- a match whose host deals


def test_hands_are_not_proved_against_a_dealing_host(tmp_path: Path) -> None:
    match = opened("eots", "south-pacific", seed=71)
    match.play(*chance(match))
    verdict = verdict_of(match.record_files[JAPAN], tmp_path)
    assert tuple(proof.topic for proof in verdict.proofs) == PROMISES
    found = rows(verdict)
    assert found["hands"].startswith("not proved: The host could read every hand")
    for topic in ("legality", "dice and draws", "deal"):
        assert found[topic].startswith("partly: ")
        assert "with the host's secret, after the end" in found[topic]
    match.finish()
    found = rows(verdict_of(match.record_files[JAPAN], tmp_path))
    for topic in ("legality", "dice and draws", "deal"):
        assert found[topic].startswith("proved: ")
    assert "If the program of the host, allied or japan is honest" in found["dice and draws"]
    assert found["one history"].startswith("partly: "), "no seat signs the end of such a match"


def test_dice_are_not_proved_against_a_dealing_host_with_all_secrets(tmp_path: Path) -> None:
    match = FairMatch("eots", "south-pacific", seed=72, deals=False, hosted=("japan", "allied"))
    match.start()
    match.finish()
    found = rows(verdict_of(match.record_files[None], tmp_path))
    assert found["dice and draws"].startswith("not proved: ")
    assert found["deal"].startswith("not proved: ")


# -- names of copies


@pytest.mark.full
def test_full_copy_is_labelled_as_full(closed: FairMatch, tmp_path: Path) -> None:
    copy = closed.record_files[None]
    path = tmp_path / "full.fplog"
    path.write_bytes(log_bytes(*full_copy(closed.game, copy.header, copy.records)))
    assert ", full copy, " in as_text(verify_file(path))
    match = opened("eots", "south-pacific", seed=73)
    assert match.full_copy is not None
    assert ", full copy, " in as_text(verdict_of(match.full_copy, tmp_path))


@pytest.mark.full
def test_ended_match_reports_which_secrets_it_awaits(tmp_path: Path) -> None:
    match = played(69, commands=1)
    match.submit(match.seats[JAPAN].sign_resignation())
    verdict = verdict_of(match.record_files[ALLIED], tmp_path)
    assert "ended, not closed; waiting for the card seeds" in verdict.notes
    assert "after the end" not in rows(verdict)["deal"]
    dealt = opened("eots", "south-pacific", seed=74)
    dealt.submit(dealt.seats[JAPAN].sign_resignation())
    verdict = verdict_of(dealt.record_files[ALLIED], tmp_path)
    assert "ended, not closed; waiting for the host's secret" in verdict.notes
