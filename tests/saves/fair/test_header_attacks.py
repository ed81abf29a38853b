"""AT-12, AT-18, AT-30: headers with promises that were copied or changed, relayed matches, and spliced records."""

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from engine.kernel.ids import Role
from saves.errors import FairPlayError
from saves.fair.safety_words import safety_words
from saves.fair.setup import fair_terms, match_setup, party_message
from saves.fair.terms import FairParty, FairTerms
from saves.logfile import log_bytes
from saves.records import Record
from saves.verify import verify_files
from tests.netplay.fair.match import FairMatch
from tests.saves.play import linked
from tests.sizes import sampled

change = msgspec.structs.replace


@pytest.fixture(scope="module")
def match() -> FairMatch:
    return FairMatch("qmg", "base", seed=81)


# -- AT-18: a party copies a promise of another one, or is left out


def with_party(terms: FairTerms, number: int, party: FairParty) -> FairTerms:
    parties = [*terms.parties]
    parties[number] = party
    return change(terms, parties=tuple(parties))


def copied(name: str) -> Callable[[FairTerms], FairTerms]:
    """Return what lets the last party promise one value of the first."""

    def copy(terms: FairTerms) -> FairTerms:
        stolen = {name: getattr(terms.parties[0], name)}
        return with_party(terms, -1, change(terms.parties[-1], **stolen))

    return copy


def whole_promise(terms: FairTerms) -> FairTerms:
    return with_party(terms, -1, change(terms.parties[0], role=terms.parties[-1].role))


def key_of_host(terms: FairTerms) -> FairTerms:
    return with_party(terms, -1, change(terms.parties[-1], key=terms.host_key))


def left_out(terms: FairTerms) -> FairTerms:
    return change(terms, parties=terms.parties[:-1])


def added(terms: FairTerms) -> FairTerms:
    extra = change(terms.parties[-1], role=Role("spectator"))
    return change(terms, parties=(*terms.parties, extra))


def twice(terms: FairTerms) -> FairTerms:
    return change(terms, parties=(*terms.parties[:-1], terms.parties[0]))


def other_order(terms: FairTerms) -> FairTerms:
    return change(terms, parties=terms.parties[::-1])


def other_place(terms: FairTerms) -> FairTerms:
    """The host claims that it has the secrets of a seat that promised the opposite."""
    return with_party(terms, 0, change(terms.parties[0], place="host's machine"))


def small_order(terms: FairTerms) -> FairTerms:
    neutral = b"\x01" + bytes(31)
    return with_party(terms, 0, change(terms.parties[0], key=neutral))


@pytest.mark.parametrize(
    "lie",
    [
        *(pytest.param(copied(name), id=f"copied-{name}") for name in ("key", "head", "cards")),
        *(pytest.param(copied(name), id=f"copied-{name}") for name in ("proof",)),
        whole_promise,
        key_of_host,
        left_out,
        added,
        twice,
        other_order,
        other_place,
        small_order,
    ],
)
def test_at_18_commitment_not_made_by_its_party_is_refused(
    match: FairMatch, lie: Callable[[FairTerms], FairTerms]
) -> None:
    header = change(match.header, fair=lie(fair_terms(match.header)))
    with pytest.raises(FairPlayError):
        match_setup(match.game, header)


@pytest.mark.parametrize("name", ["head", "cards"])
def test_at_18_value_copied_from_another_party_is_refused_even_if_signed(
    match: FairMatch, name: str
) -> None:
    terms = fair_terms(match.header)
    last = terms.parties[-1]
    copy = change(last, **{name: getattr(terms.parties[0], name)})
    proof = match.secrets[last.role].sign(party_message(match.match_id, copy))
    header = change(match.header, fair=with_party(terms, -1, change(copy, proof=proof)))
    with pytest.raises(FairPlayError, match="the same key or commitment as another party"):
        match_setup(match.game, header)


def test_at_18_host_key_equal_to_a_party_key_is_refused(match: FairMatch) -> None:
    """Its signature of an order would be one of a message's author too."""
    terms = change(fair_terms(match.header), host_key=fair_terms(match.header).parties[0].key)
    with pytest.raises(FairPlayError, match="the same key or commitment as another party"):
        match_setup(match.game, change(match.header, fair=terms))


def test_at_18_host_key_of_small_order_is_refused(match: FairMatch) -> None:
    terms = change(fair_terms(match.header), host_key=b"\x01" + bytes(31))
    with pytest.raises(FairPlayError, match="the host's key is not a valid signing key"):
        match_setup(match.game, change(match.header, fair=terms))


def test_at_18_commitment_from_a_different_match_is_refused(match: FairMatch) -> None:
    other = FairMatch("qmg", "base", seed=82)
    terms = with_party(fair_terms(match.header), 0, fair_terms(other.header).parties[0])
    with pytest.raises(FairPlayError):
        match_setup(match.game, change(match.header, fair=terms))


# -- AT-12: the host plays two matches, and is the opponent in both


@pytest.mark.full
def test_at_12_players_of_relayed_matches_see_different_safety_words() -> None:
    """Everything that the host can copy is equal: match id, scenario, its own key, and what it plays."""
    first, second = (FairMatch("eots", "south-pacific", seed=seed) for seed in (83, 84))
    words = []
    for one in (first, second):
        one.start()
        reveals = [secrets.reveal(0) for secrets in one.secrets.values()]
        words.append(safety_words(one.setup.header_hash, reveals))
    assert words[0] != words[1]


# -- AT-30: one record out of two matches


@pytest.fixture(scope="module")
def two_matches() -> tuple[FairMatch, FairMatch]:
    made = FairMatch("eots", "1943", seed=85), FairMatch("eots", "1943", seed=86)
    for one in made:
        one.start()
        for _ in range(4):
            one.step()
        one.finish()
    return made


def front_and_back(one: list[Record], other: list[Record], at: int) -> list[Record]:
    return [*one[:at], *other[at:]]


def one_record(one: list[Record], other: list[Record], at: int) -> list[Record]:
    return [*one[:at], other[at], *one[at + 1 :]]


def one_transcript(one: list[Record], other: list[Record], at: int) -> list[Record]:
    changed = change(one[at], transcript=other[at].transcript)
    return [*one[:at], changed, *one[at + 1 :]]


def events_of_the_other(one: list[Record], other: list[Record], at: int) -> list[Record]:
    changed = change(one[at], events=other[at].events)
    return [*one[:at], changed, *one[at + 1 :]]


def seeds_of_the_other(one: list[Record], other: list[Record], at: int) -> list[Record]:
    del at
    return [*one[:-1], change(one[-1], seeds=other[-1].seeds)]


@pytest.mark.parametrize(
    ("splice", "role"),
    sampled(
        [
            (splice, role)
            for splice in (
                front_and_back,
                one_record,
                one_transcript,
                events_of_the_other,
                seeds_of_the_other,
            )
            for role in ("allied", None)
        ],
        1,
        of="records that are joined from two matches",
    ),
)
def test_at_30_records_spliced_from_two_matches_are_refused(
    two_matches: tuple[FairMatch, FairMatch],
    splice: Callable[[list[Record], list[Record], int], list[Record]],
    role: Role | None,
    tmp_path: Path,
) -> None:
    """All chain values are computed anew, and the file after the spliced one is judged as well."""
    one, other = (match.record_files[role] for match in two_matches)
    path, good = tmp_path / "spliced.fplog", tmp_path / "good.fplog"
    good.write_bytes(log_bytes(one.header, one.records))
    for at in (1, 3):
        records = splice(one.records, other.records, at)
        path.write_bytes(log_bytes(one.header, linked(one.header, records)))
        verdict, right = verify_files([path, good], None, jobs=1)
        assert (verdict.status, verdict.exit_code) in {("false", 1), ("unreadable", 3)}
        assert verdict.finding is not None
        assert right.status == "ok"
