"""The rules reference: splitting Markdown into numbered paragraphs, and finding them again."""

import re
from importlib.resources import files
from pathlib import Path

import pytest

from engine.kernel.reference import Reference, load_reference

PAGE = """\
# About
Preamble.

## 8.0 Movement

### 8.4 Ground
General words.

#### 8.45 Landing (both sides)
- A. Costs one point.
- B. *Limits.* Never in mountains.
  Second line.

### 8.5 Sea
**8.51 Barges.** One hex only.
They carry one unit.

- **8.52 Ferry** (air only)
  1. first leg

Closing words of the chapter.

---

## 9.0 Battle
| Rule | Shift |
|---|---|
| 9.1A | up |
| 9.1B | down |

### Examples (9.0)
- **EX-9-1** Forty-seven hits.
- **EX9-2** None.

## Rulings OP
- **OP-1 water.** Counts as sea.

| id | point | ruling |
|---|---|---|
| CP-01 | Draw | last |

| Id | title | OV |
|---|---|---|
| J-3 | Jungle | 2 |

| Turn | Points |
|---|---|
| 1.5 or so | none |
"""


@pytest.fixture(name="page")
def _page() -> Reference:
    return Reference([PAGE])


@pytest.fixture(scope="module", name="eots")
def _eots() -> Reference:
    return load_reference("engine.eots")


def test_numbers_are_listed_in_text_order(page: Reference) -> None:
    assert page.numbers() == (
        "about", "8.0", "8.4", "8.45", "8.5", "8.51", "8.52", "9.0", "9.1A", "9.1B", "examples-9-0",
        "EX-9-1", "EX9-2", "rulings-op", "OP-1", "CP-01", "J-3",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("number", "title", "text", "parent"),
    [
        pytest.param("8.4", "Ground", "General words.", "8.0", id="heading"),
        pytest.param(
            "8.45",
            "Landing (both sides)",
            "- A. Costs one point.\n- B. *Limits.* Never in mountains.\n  Second line.",
            "8.4",
            id="heading-with-lettered-items",
        ),
        pytest.param(
            "8.51", "Barges", "One hex only.\nThey carry one unit.", "8.5", id="bold-number"
        ),
        pytest.param("8.52", "Ferry", "(air only)\n1. first leg", "8.5", id="list-item"),
        pytest.param("8.5", "Sea", "Closing words of the chapter.", "8.0", id="text-after-items"),
        pytest.param("9.1B", "", "Shift: down", "9.0", id="row-of-a-rule"),
        pytest.param("EX-9-1", "", "Forty-seven hits.", "examples-9-0", id="example"),
        pytest.param("OP-1", "water", "Counts as sea.", "rulings-op", id="ruling"),
        pytest.param("CP-01", "Draw", "Ruling: last", "rulings-op", id="row-of-a-ruling"),
        pytest.param("J-3", "Jungle", "OV: 2", "rulings-op", id="row-of-a-card"),
    ],
)
def test_paragraph_has_title_text_and_parent(
    page: Reference, number: str, title: str, text: str, parent: str
) -> None:
    found = page.paragraph(number)
    assert found is not None
    assert (found.title, found.text, found.parent) == (title, text, parent)


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        pytest.param("8", "8.0", id="chapter"),
        pytest.param(" 8.45. ", "8.45", id="blanks-and-full-stop"),
        pytest.param("8.45B", "8.45", id="lettered-item"),
        pytest.param("8.45b-2", "8.45", id="numbered-item-of-a-lettered-item"),
        pytest.param("9.1", "9.1A", id="lettered-parts-joined"),
        pytest.param("ex9-1", "EX-9-1", id="example-without-hyphen"),
        pytest.param("EX-9-2", "EX9-2", id="example-with-hyphen"),
        pytest.param("CP-1", "CP-01", id="leading-zero"),
        pytest.param("op-1", "OP-1", id="lower-case"),
        pytest.param("rulings-op", "rulings-op", id="heading-without-number"),
    ],
)
def test_a_number_may_be_written_in_several_ways(page: Reference, asked: str, found: str) -> None:
    paragraph = page.paragraph(asked)
    assert paragraph is not None
    assert paragraph.number == found


@pytest.mark.parametrize("asked", ["8.45Z", "8.49", "8.453", "1.5", "OP-2", "J-33", "99", ""])
def test_an_unknown_number_returns_none(page: Reference, asked: str) -> None:
    assert page.paragraph(asked) is None


def test_lettered_parts_are_joined_under_the_plain_number(page: Reference) -> None:
    paragraph = page.paragraph("9.1")
    assert paragraph is not None
    assert paragraph.text == "Shift: up\n\nShift: down"


def test_a_rule_table_remains_in_the_text_of_its_heading(page: Reference) -> None:
    heading = page.paragraph("9.0")
    rulings = page.paragraph("rulings-op")
    assert heading is not None
    assert rulings is not None
    assert "| 9.1A | up |" in heading.text
    assert "CP-01" not in rulings.text
    assert "| 1.5 or so | none |" in rulings.text


def test_paragraphs_with_the_same_number_are_joined() -> None:
    reference = Reference(["## 1.1 First\nfrom A", "## 1.1 Second\nfrom B"])
    paragraph = reference.paragraph("1.1")
    assert paragraph is not None
    assert (paragraph.title, paragraph.text) == ("First", "from A\n\n**Second**\n\nfrom B")
    assert reference.numbers() == ("1.1",)


def test_children_lists_only_the_direct_paragraphs_of_a_heading(page: Reference) -> None:
    assert [one.number for one in page.children("8.0")] == ["8.4", "8.5"]
    assert [one.number for one in page.children("8.5")] == ["8.51", "8.52"]
    assert page.children("8.52") == ()


@pytest.mark.parametrize(
    ("words", "found"),
    [
        pytest.param("MOUNTAINS", ["8.45"], id="any-case"),
        pytest.param("one carry", ["8.51"], id="every-word"),
        pytest.param("landing", ["8.45"], id="title"),
        pytest.param("submarine", [], id="nothing"),
        pytest.param("  ", [], id="no-word"),
    ],
)
def test_search_returns_matching_paragraphs(page: Reference, words: str, found: list[str]) -> None:
    assert [one.number for one in page.search(words)] == found


def test_every_numbered_heading_of_the_rules_is_found(eots: Reference) -> None:
    pages = files("engine.eots").joinpath("rules").iterdir()
    headings = [
        number
        for page in pages
        for number in re.findall(r"(?m)^#+ (C?\d+(?:\.\d+)+) ", page.read_text(encoding="utf-8"))
    ]
    assert len(headings) > 150
    assert [number for number in headings if eots.paragraph(number) is None] == []


@pytest.mark.parametrize(
    ("first", "last", "name"),
    [
        (1, 31, "OP-{}"),
        (1, 42, "OPB-{}"),
        (1, 20, "OPS-{}"),
        (1, 52, "CP-{}"),
        (1, 40, "DS-{}"),
        (1, 23, "MAP-{}"),
        (1, 86, "J-{}"),
        (1, 84, "A-{}"),
        (1, 8, "EX-7-{}"),
        (1, 17, "EX-8-{}"),
        (1, 17, "EX-9-{}"),
        (1, 13, "EX-17-{}"),
    ],
)
def test_every_ruling_card_and_example_has_a_text(
    eots: Reference, first: int, last: int, name: str
) -> None:
    for count in range(first, last + 1):
        paragraph = eots.paragraph(name.format(count))
        assert paragraph is not None, name.format(count)
        assert paragraph.text
    assert eots.paragraph(name.format(last + 1)) is None


@pytest.mark.parametrize(
    ("number", "words"),
    [
        pytest.param("8.45D", "US Marine ground unit", id="8.45D-us-army"),
        pytest.param("8.45", "corps or army (XXX, XXXX) 1 per step", id="8.45A-cost"),
        pytest.param(
            "4.21", "Japan plays first on every 1941 and 1942 turn", id="4.21-equal-hands"
        ),
        pytest.param("12.52D", "WIE level was 4", id="12.52D-inline-letter"),
        pytest.param("13.72A", "Die total = dr", id="13.72A-letter-in-brackets"),
        pytest.param("16.47", "Quota = min(4", id="16.47-row-and-paragraph"),
        pytest.param("17.10.7", "| F | each Mandates or New Guinea port", id="17.10.7-three-parts"),
        pytest.param("EX-7-3", "die 8 -> 6 succeeds", id="7.25-example"),
        pytest.param("OP-12", "at least one card in", id="OP-12-last-card"),
    ],
)
def test_rules_contain_the_expected_words(eots: Reference, number: str, words: str) -> None:
    paragraph = eots.paragraph(number)
    assert paragraph is not None
    assert words in re.sub(r"\s+", " ", paragraph.text)


def test_every_cited_rule_number_exists(eots: Reference) -> None:
    ratings = {"1.5"}
    cited = {
        number
        for one in eots.numbers()
        if (paragraph := eots.paragraph(one)) is not None
        for number in re.findall(
            r"[(\[](\d{1,2}\.\d{1,2}[A-Z]?|(?:OPB|OPS|OP|CP|DS|MAP)-\d+)[)\]]", paragraph.text
        )
    }
    assert len(cited) > 150
    assert sorted(number for number in cited - ratings if eots.paragraph(number) is None) == []


APPENDED = """\
## 7.0 Actions
**7.1 Build.** One piece, if
- a) nobody is there, and
- b) it is in supply.

**7.10** Nothing else.

## Appendix A: Notes

### A.1 General
**A.1.3 One step.** Then the next.

### A.2 Operations
Words.
"""


@pytest.mark.parametrize(
    ("number", "found"),
    [
        ("7.1", "7.1"),
        ("7.1b", "7.1"),
        ("7.1 b", "7.1"),
        ("7.10", "7.10"),
        ("A.1.3", "A.1.3"),
        ("a.2", "A.2"),
    ],
)
def test_appendix_numbers_and_lowercase_letters_are_found(number: str, found: str) -> None:
    paragraph = Reference([APPENDED]).paragraph(number)
    assert paragraph is not None
    assert paragraph.number == found


@pytest.mark.parametrize("number", ["7.1c", "A.3", "A.1.4", "b.1"])
def test_appendices_contain_no_other_numbers(number: str) -> None:
    assert Reference([APPENDED]).paragraph(number) is None


def test_every_rule_cited_by_quartermaster_general_exists_in_its_reference() -> None:
    reference = load_reference("engine.qmg")
    folder = files("engine.qmg")
    asked = {
        number
        for path in Path(str(folder)).rglob("*.py")
        for number in re.findall(r'Rule\("([^"]+)"\)', path.read_text(encoding="utf-8"))
    }
    assert len(asked) > 20
    assert {number for number in asked if reference.paragraph(number) is None} == set()
    assert {"8.2", "13.10", "16.13", "18.33", "A.1.7", "A.4"} <= set(reference.numbers())
