"""Vocabularies collected from modules, copied fields, words and numbers of typed data, and sentences."""

from collections.abc import Mapping
from typing import Annotated, Literal, NewType, get_args

import msgspec
import pytest

from engine.kernel.sentences import SentenceFormatter
from engine.kernel.structs import shared_fields
from engine.kernel.unions import leaf_types, union_of
from engine.kernel.vocabulary import Bounds, ReferenceChecker, Vocabulary

Town = NewType("Town", str)


class Fact(msgspec.Struct, frozen=True, tag_field="kind"):
    pass


class Ruled(Fact, frozen=True, tag="ruled"):
    rule: str


class Built(Ruled, frozen=True, tag="built"):
    at: Town
    steps: Annotated[int, Bounds(1, 2)] = 1
    near: tuple[Town, ...] = ()
    count: Mapping[Town, int] = {}
    word: Literal["any"] | Town | None = None
    spot: Annotated[str, "spot"] = "sea"


class Lost(Fact, frozen=True, tag="lost"):
    hard: bool


NAMES = {Town: Vocabulary("town", {"York", "Hull"}), "spot": Vocabulary("place", {"sea", "York"})}


def test_leaf_types_exclude_base_classes() -> None:
    assert leaf_types(Fact, globals()) == (Built, Lost)
    assert get_args(union_of(leaf_types(Fact, globals()))) == (Built, Lost)


def test_shared_fields_are_copied_by_name() -> None:
    assert shared_fields(Built(rule="1", at=Town("York")), Ruled) == {"rule": "1"}
    assert shared_fields(Lost(hard=True), Ruled) == {}


@pytest.mark.parametrize(
    ("fields", "path", "problem"),
    [
        pytest.param({"at": "Ys"}, "fact.at", "there is no town 'Ys'", id="name"),
        pytest.param({"near": ("Hull", "Ys")}, "fact.near[1]", "no town 'Ys'", id="in-a-list"),
        pytest.param({"count": {"Ys": 1}}, "fact.count.Ys", "no town 'Ys'", id="as-a-key"),
        pytest.param({"count": {"Hull": 50}}, "fact.count.Hull", "50 is outside 0 to 9", id="item"),
        pytest.param({"steps": 3}, "fact.steps", "3 is outside 1 to 2", id="own-bounds"),
        pytest.param({"word": "Ys"}, "fact.word", "no town 'Ys'", id="in-a-union"),
        pytest.param({"spot": "Hull"}, "fact.spot", "no place 'Hull'", id="marked"),
    ],
)
def test_unknown_names_and_out_of_range_numbers_are_reported(
    fields: dict[str, object], path: str, problem: str
) -> None:
    sound = Built(rule="1", at=Town("York"), near=(Town("Hull"),), count={Town("Hull"): 9})
    words = ReferenceChecker(NAMES, Bounds(0, 9))
    assert list(words.problems(sound, "fact")) == []
    ((where, found),) = words.problems(msgspec.structs.replace(sound, **fields), "fact")
    assert where == path
    assert problem in found


class Marked(msgspec.Struct, frozen=True):
    place: (
        tuple[Town, Annotated[int, Bounds(1, 2)]] | tuple[Annotated[int, Bounds(5, 6)], ...] | None
    )


@pytest.mark.parametrize(
    ("place", "problems"),
    [
        (("York", 2), []),
        ((5, 6, 5), []),
        (("Nowhere", 2), [("fact.place[0]", "there is no town 'Nowhere'")]),
        (("York", 3), [("fact.place[1]", "3 is outside 1 to 2")]),
        ((5, 7, 6), [("fact.place[1]", "7 is outside 5 to 6")]),
        (None, []),
    ],
)
def test_a_tuple_must_match_one_type_of_a_union(
    place: object, problems: list[tuple[str, str]]
) -> None:
    marked = Marked(place=place)  # type: ignore[arg-type]  # any of the cases
    assert list(ReferenceChecker(NAMES, Bounds(0, 9)).problems(marked, "fact")) == problems


def test_sentences_insert_names_counts_and_choices() -> None:
    say = SentenceFormatter({"at": lambda town: f"the town of {town}"}).fill
    built = Built(rule="8.4", at=Town("York"))
    assert say("{at} has {steps:step|steps} ({rule})", built) == "the town of York has 1 step (8.4)"
    two = msgspec.structs.replace(built, steps=2)
    assert say("{steps:step|steps}, {steps:+d}", two) == "2 steps, +2"
    assert say("it {hard:fails|holds}", Lost(hard=True)) == "it fails"
