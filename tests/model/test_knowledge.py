"""The attacker of the model derives an order from two answers or from a reused key, but nothing from one answer."""

import pytest

from docs.model.fold import Fold
from docs.model.knowledge import Knowledge
from docs.model.messages import Msg, Term, Transcripts, slot
from docs.model.scope import Setting
from docs.model.scopes import SCOPES

KEY: Term = ("W", "A", "deck")
FIRST: Term = ("out", KEY, 0)


@pytest.fixture
def knowledge() -> Knowledge:
    return Knowledge(Fold(Setting(SCOPES["opening"]), Transcripts()))


def mix(*cards: str, at: int = 2) -> Msg:
    inside = tuple((card, ("card", card)) for card in cards)
    return Msg("mix", "A", at, at, "deck", -1, (0, 1), KEY, inside)


def proof(challenge: str, at: int) -> Msg:
    return Msg("proof", "A", at, at, "right", -1, (2,), (KEY, ("challenge", challenge)))


def test_one_answer_reveals_nothing(knowledge: Knowledge) -> None:
    known = frozenset({mix("a1", "a2"), proof("first", 5), proof("first", 9)})
    assert knowledge.terms(known) == frozenset()
    assert [*knowledge.exposed(known)] == []


@pytest.mark.parametrize(
    "more", [proof("second", 9), mix("a1", "a3", at=4)], ids=["two-challenges", "other-cards"]
)
def test_second_challenge_or_reused_key_reveals_the_order(knowledge: Knowledge, more: Msg) -> None:
    known = frozenset({mix("a1", "a2"), proof("first", 5), more})
    assert FIRST in knowledge.terms(known)
    assert "a1 under output 0 of the deck mix of A at 2" in [*knowledge.exposed(known)]


def test_opened_output_reveals_no_other_output(knowledge: Knowledge) -> None:
    opened = Msg("open", "A", 0, 0, "a1", -1, (2,), (FIRST, (2, 2)))
    assert knowledge.terms(frozenset({mix("a1", "a2"), opened})) == {FIRST}


def test_card_seed_opens_all_mixes_without_counting_as_exposure(knowledge: Knowledge) -> None:
    known = frozenset({mix("a1", "a2"), Msg("seed", "A", 20, 20, "true")})
    assert FIRST in knowledge.terms(known)
    assert [*knowledge.exposed(known)] == []


def test_only_sequential_message_kinds_share_a_slot() -> None:
    request, offer = Msg("request", "A", 7, 7, "pass"), Msg("offer", "A", 7, 7, n=0)
    assert slot(request) == slot(offer)
    assert slot(request) != slot(Msg("end", "A", 7, 7, "resign"))
    assert slot(mix("a1", "a2")) != slot(mix("a1", "a2")._replace(what="hand"))


def test_equal_histories_share_one_node() -> None:
    transcripts = Transcripts()
    setup, agree = Msg("setup", "host", -1, 0, "h1"), Msg("agree", "A", 0, 1, "h1")
    node = transcripts.child(transcripts.child(0, setup), agree)
    assert node == transcripts.child(transcripts.child(0, setup), agree)
    other = transcripts.child(0, setup._replace(what="h2"))
    assert transcripts.common(node, other) == 0
    assert transcripts.is_prefix(transcripts.child(0, setup), node)
    assert transcripts.messages(node) == [setup, agree]
