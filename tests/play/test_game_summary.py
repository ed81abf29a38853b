"""The summary of a finished game: every number in it must agree with the rules and with every copy of the record."""

import time
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from engine.eots.ids import Side
from engine.eots.ruleset import EOTS
from engine.kernel.ids import Role
from engine.registry import ruleset
from play import games
from play.game_summary import FoundBattle, GameSummary, _History, _Interval, summarise
from play.games import NewGame, create_game, same_setup
from play.local_session import LocalSession
from play.offers import OfferKind
from play.replay_session import ReplaySession
from play.session import Session
from saves.logfile import Log
from saves.redaction import redact_header, redact_record
from tests.golden_games.corpus import read
from tests.sizes import sampled
from tui.presenter.decisive_battle import battle_finder
from tui.presenter.presenter import load_presenter

POINTS = ("eots-1943-greedy-first", "cbps-1-busy-last", "cbps-9-busy-first")
"""Games whose score is a sum of sources."""
GAMES = (*POINTS, "eots-campaign-1941-greedy-first", "qmg-base-greedy-first")


def replayed(name: str, role: str | None = None) -> ReplaySession:
    """Return a game's replay: of the full record, or of a role's own copy."""
    header, records = read(name)
    rules = ruleset(header.game)
    if role is not None:
        copies = [redact_record(rules, record, Role(role)) for record in records]
        header, records = redact_header(header, Role(role)), tuple(copies)
    return ReplaySession(Log(header, records, (), 0, None), rules, name)


def summary_of(session: Session) -> GameSummary:
    game = session.finished_game()
    assert game is not None
    return summarise(game, battle_finder(load_presenter(session.ruleset)))


@cache
def full_summary(name: str) -> GameSummary:
    """Return the summary of a game's full record. Making one takes longer than most tests of it."""
    return summary_of(replayed(name))


@pytest.mark.parametrize("name", sampled(POINTS, 2))
def test_sources_add_up_to_the_score(name: str) -> None:
    session = replayed(name)
    summary, game = summary_of(session), session.finished_game()
    assert game is not None
    points = sum(source.points for source in (*summary.earned, *summary.lost))
    assert points == summary.samples[-1].values[0] == game.outcome.score
    assert summary.scale is not None
    (band,) = [band for band in summary.scale.bands if band.contains(points)]
    assert band.winner == summary.winner


def test_12_the_points_of_both_teams_add_up() -> None:
    summary = full_summary("qmg-base-greedy-first")
    assert summary.samples[-1].values == (105, 72)
    assert sum(source.points for source in summary.earned) == 105
    assert sum(source.points for source in summary.lost) == 72
    assert summary.sentence == "Axis victory, Axis 105, Allies 72: a lead of 33 points (12.4)."


@pytest.mark.parametrize(
    ("name", "margin"),
    [
        (
            "cbps-1-busy-last",
            'With 37 more US victory points, the result would have been "Even" (nobody wins).',
        ),
        pytest.param(
            "cbps-9-busy-first",
            'With 495 more US victory points, the result would have been "US defeat".',
            marks=pytest.mark.full,
        ),
    ],
)
def test_15_1_the_margin_names_the_points_and_the_other_result(name: str, margin: str) -> None:
    assert summary_of(replayed(name)).margin == margin


def test_16_4_each_political_will_change_has_a_cause() -> None:
    summary = full_summary("eots-campaign-1941-greedy-first")
    first, last = summary.samples[0].values[0], summary.samples[-1].values[0]
    changes = sum(source.points for source in (*summary.earned, *summary.lost))
    assert first == 8
    assert last - first == changes
    assert "US Political Will 10" in summary.detail
    assert not summary.margin, "Political Will did not decide this game"


@pytest.mark.parametrize("name", sampled(GAMES, 3))
def test_bands_have_no_gaps_and_samples_are_in_order(name: str) -> None:
    summary = full_summary(name)
    assert summary.scale is not None
    for lower, upper in pairwise(summary.scale.bands):
        assert (lower.most, upper.least) != (None, None)
        assert lower.most is not None
        assert upper.least == lower.most + 1
    seqs = [sample.seq for sample in summary.samples]
    assert seqs == sorted(set(seqs))
    assert summary.battle is not None
    assert 0 < summary.battle.seq < summary.record_count
    assert summary.battle.sentences


@pytest.mark.parametrize("name", sampled(GAMES, 1))
def test_every_copy_gives_the_same_summary(name: str) -> None:
    full = full_summary(name)
    for role in replayed(name).roles():
        own = summary_of(replayed(name, role))
        assert (own.samples, own.sentence, own.margin) == (full.samples, full.sentence, full.margin)
        both = {source.text for source in (*own.earned, *own.lost)}
        assert both == {source.text for source in (*full.earned, *full.lost)}
        assert own.battle is not None


def test_of_several_battles_in_a_phase_the_one_that_moved_the_score_decided_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Three strikes earn 15, 10 and no points. The second loses the most units, and the third is the last."""
    first, second, third = (
        FoundBattle(seq=seq, title=f"Strike {seq}", sides=(), sentences=(), losses=losses)
        for seq, losses in ((10, 0), (13, 2), (16, 0))
    )
    history = object.__new__(_History)
    monkeypatch.setattr(history, "_advantage_before", {13: 15, 16: 25}.__getitem__, raising=False)
    phase = _Interval(first_seq=1, last_seq=18, advantage_before=0, advantage_after=25)
    assert history._most_decisive(phase, (second, third, first), 1) == (first, 15)
    lost = history._most_decisive(phase, (second, third, first), -1)
    assert lost == (third, 0), "no battle moved the score towards the loser"


@pytest.mark.full
def test_source_refers_to_the_record_that_changed_it() -> None:
    session = replayed("eots-1943-greedy-first")
    scoring, cursor = EOTS.scoring, session.records.event_cursor
    for source in (*summary_of(session).earned, *summary_of(session).lost):
        if not source.seq:
            continue

        def points(seq: int, text: str = source.text) -> int:
            entries = scoring.entries(cursor(seq).state)
            return sum(entry.points for entry in entries if entry.text == text)

        assert points(source.seq) == source.points != points(source.seq - 1)


@pytest.mark.full
def test_summary_is_computed_quickly() -> None:
    session = replayed("eots-1943-44-greedy-first")
    began = time.process_time()
    summary_of(session)
    assert time.process_time() - began < 2, "it takes 0.5 s; the test leaves room for slow machines"


def created(tmp_path: Path, game: str, scenario: str) -> LocalSession:
    new = NewGame(game=game, scenario=scenario, names={})
    return create_game(new, tmp_path / "game.fplog")


async def test_immediate_resignation_has_a_summary(tmp_path: Path) -> None:
    session = created(tmp_path, "eots", "1943")
    assert session.finished_game() is None
    loser = session.role
    await session.negotiation.propose(OfferKind.RESIGNATION)
    summary = summary_of(session)
    assert loser is not None
    winner = Side(loser).enemy
    assert summary.winner == Role(winner)
    assert summary.headline == ("Japanese victory" if winner is Side.JAPAN else "Allied victory")
    assert summary.sentence.endswith("resigned.")
    assert (summary.battle, summary.margin) == (None, "")
    await session.close()


async def test_resigned_solitaire_game_is_lost(tmp_path: Path) -> None:
    session = created(tmp_path, "cbps", "1")
    await session.negotiation.propose(OfferKind.RESIGNATION)
    summary = summary_of(session)
    assert (summary.headline, summary.winner, summary.viewer) == ("Japanese victory", "japan", "us")
    await session.close()


async def test_a_draw_has_no_winner(tmp_path: Path) -> None:
    session = created(tmp_path, "qmg", "base")
    await session.negotiation.propose(OfferKind.DRAW)
    summary = summary_of(session)
    assert (summary.headline, summary.winner) == ("No result", None)
    assert summary.sentence == "No result. Everyone agreed to a draw."
    await session.close()


async def test_same_setup_creates_the_same_game(tmp_path: Path) -> None:
    new = NewGame(game="qmg", scenario="base", bots={Role("japan"): "random"})
    session = create_game(new, tmp_path / "one.fplog")
    assert games.has_same_setup(session)
    again = create_game(same_setup(session), tmp_path / "two.fplog")
    one, two = session.match.header, again.match.header
    assert (one.scenario, one.options, one.seats) == (two.scenario, two.options, two.seats)
    await session.close()
    await again.close()
