"""A rules reference: numbered paragraphs read from a ruleset's Markdown files.

A paragraph begins in one of three places:

- at a heading: ``#### 8.45 Amphibious assault``, or in an appendix ``### A.2 Operations``
- at a line that starts with a bold number: ``**4.11 Reinforcement segment**``, also as a list item
- at a table row whose first cell is a number, ruling or card: ``| OPB-1 |``

A paragraph ends where the next one begins, so each line of the text belongs to exactly one paragraph. A heading without
a number is identified by its words joined by hyphens, such as ``rulings-op``. Paragraphs with the same number are
merged.
"""

import functools
import re
from collections.abc import Iterable, Iterator
from importlib.resources import files

import msgspec

_RULE = re.compile(r"C?\d{1,2}(?:\.\d{1,3}){1,2}[A-Z]?|[A-Z](?:\.\d{1,2}){1,2}|C\d{1,2}")
_RULING = re.compile(
    r"(?:EX|OPB|OPS|OP|CP|DS|MAP)-?\d+(?:-\d+)?|D-\d{1,2}\.\d{1,3}|T:[a-z0-9]+(?:_[a-z0-9]+)*"
)
_ROW = re.compile(rf"{_RULE.pattern}|{_RULING.pattern}|[JA]-\d+")
_HEADING = re.compile(r"(#{1,6}) +(.+)")
_NUMBERED_TITLE = re.compile(rf"(?P<number>{_RULE.pattern}|\d)\b\.?(?P<title>.*)")
_BOLD_NUMBER = re.compile(
    rf"(?:- )?\*\*(?P<number>{_RULE.pattern}|{_RULING.pattern})\b"
    r"(?P<title>[^*]*)\*\*(?P<text>.*)"
)
_SUB_ADDRESS = re.compile(
    r"(?P<base>(?:\d{1,2}|[a-z])(?:\.\d{1,3}){0,2}) ?(?P<item>[a-z]?)(?:-[a-z0-9]+)*"
)
_ITEM_DEPTH = 7
"""Depth of a paragraph that begins with a bold number or in a table row. Headings have depths 1 to 6."""


class Paragraph(msgspec.Struct, frozen=True, kw_only=True):
    """One paragraph of the reference."""

    number: str
    """The printed number, such as ``8.45``, ``EX-7-3`` or ``J-43``, or, if a heading has no number, its words."""
    title: str
    """The printed title, or empty if the paragraph has none."""
    text: str
    """The paragraph's own text in Markdown, without its number and title. May be empty above other paragraphs."""
    parent: str
    """Number of the heading above the paragraph, or empty at the top level."""
    names: tuple[str, ...] = ()
    """Numbers and names, besides its own number and title, under which the paragraph can be found."""


class Reference:
    """All of a ruleset's paragraphs, in text order."""

    def __init__(self, texts: Iterable[str], cards: Iterable[Paragraph] = ()) -> None:
        """Split Markdown texts into paragraphs, and add the given paragraphs for cards."""
        self._paragraphs: dict[str, Paragraph] = {}
        for text in texts:
            for paragraph in _split_paragraphs(text):
                key = _normalise_number(paragraph.number)
                existing_paragraph = self._paragraphs.get(key)
                self._paragraphs[key] = (
                    paragraph
                    if existing_paragraph is None
                    else _merge(existing_paragraph, paragraph)
                )
        self._paragraphs.update((_normalise_number(card.number), card) for card in cards)

    def paragraph(self, number: str) -> Paragraph | None:
        """Return the paragraph with a number, or the paragraph that contains the number as an item.

        Args:
            number: Paragraph number, in upper or lower case. ``8`` means ``8.0``; ``8.45D`` and
                ``9.2F-4`` mean the paragraph that contains item D or F; ``16.43`` means 16.43A and B; ``CP-1`` means
                ``CP-01``; and ``EX9-1`` means ``EX-9-1``.

        Returns:
            None if no paragraph has or contains this number.
        """
        key = _normalise_number(number)
        if key in self._paragraphs:
            return self._paragraphs[key]
        letter_pattern = re.compile(rf"{re.escape(key)}[a-z]")
        parts = [
            share
            for paragraph_key, share in self._paragraphs.items()
            if letter_pattern.fullmatch(paragraph_key)
        ]
        if parts:
            return functools.reduce(_merge, parts)
        address = _SUB_ADDRESS.fullmatch(key)
        if address is None:
            return None
        base, item = address["base"], address["item"]
        paragraph = self._paragraphs.get(base) or self._paragraphs.get(f"{base}.0")
        if paragraph is None or not item or _has_item(paragraph, item.upper()):
            return paragraph
        return None

    def find(self, words: str) -> tuple[Paragraph, ...]:
        """Return the paragraph with this number or, failing that, all paragraphs with this name.

        Case and punctuation are ignored.
        """
        exact_match = self.paragraph(words)
        if exact_match is not None:
            return (exact_match,)
        name = _normalise_name(words)
        return tuple(
            paragraph
            for paragraph in self._paragraphs.values()
            if name
            and name in map(_normalise_name, (paragraph.number, paragraph.title, *paragraph.names))
        )

    def children(self, number: str) -> tuple[Paragraph, ...]:
        """Return the paragraphs directly below a heading, in order. Empty if there are none."""
        key = _normalise_number(number)
        return tuple(
            paragraph
            for paragraph in self._paragraphs.values()
            if _normalise_number(paragraph.parent) == key
        )

    def search(self, text: str) -> tuple[Paragraph, ...]:
        """Return the paragraphs that contain every search word, in text order. Case is ignored. Partial words match."""
        words = text.casefold().split()
        return tuple(
            paragraph
            for paragraph in self._paragraphs.values()
            if words and all(word in _searchable_text(paragraph) for word in words)
        )

    def numbers(self) -> tuple[str, ...]:
        """Return all numbers, in text order."""
        return tuple(paragraph.number for paragraph in self._paragraphs.values())


def load_reference(package: str, cards: Iterable[Paragraph] = ()) -> Reference:
    """Load the reference that a ruleset ships as Markdown in its ``rules`` folder.

    Args:
        package: Import name of the ruleset, such as ``engine.eots``.
        cards: Paragraphs for the ruleset's cards, if the Markdown does not list them.
    """
    folder = files(package).joinpath("rules")
    # File systems list files in any order, but the reference must have a fixed order.
    pages = sorted(
        (page for page in folder.iterdir() if page.name.endswith(".md")), key=lambda page: page.name
    )
    return Reference((page.read_text(encoding="utf-8") for page in pages), cards)


def _normalise_number(number: str) -> str:
    """Normalise a number for lookup."""
    plain_number = re.sub(r"^ex-?(?=\d)", "ex-", number.strip().rstrip(".").casefold())
    return re.sub(r"-0+(?=\d)", "-", plain_number)


def _normalise_name(name: str) -> str:
    """Reduce a name to its words in lower case."""
    return " ".join(re.findall(r"\w+", name.casefold().replace("_", " ")))


def _searchable_text(paragraph: Paragraph) -> str:
    """Return the searchable text of a paragraph."""
    lines = (paragraph.number, *paragraph.names, paragraph.title, paragraph.text)
    return "\n".join(lines).casefold()


def _has_item(paragraph: Paragraph, item: str) -> bool:
    """Return whether the paragraph has this lettered item: ``A.``, ``(A)`` or ``a)`` at the start of a line or cell."""
    item_pattern = rf"(?m)^[ *|-]*{item}\b|(?<![\w.]){item}\.\s|\({item}\)|(?<!\w){item.lower()}\)"
    return re.search(item_pattern, paragraph.text) is not None


def _merge(first_paragraph: Paragraph, second_paragraph: Paragraph) -> Paragraph:
    """Merge two paragraphs with the same number under the title and parent of the first."""
    parts = [first_paragraph.text, second_paragraph.text]
    if second_paragraph.title and second_paragraph.title != first_paragraph.title:
        parts.insert(1, f"**{second_paragraph.title}**" if first_paragraph.title else "")
    return msgspec.structs.replace(
        first_paragraph,
        title=first_paragraph.title or second_paragraph.title,
        text="\n\n".join(part for part in parts if part),
    )


class _ParagraphBuilder:
    """Builds a paragraph from the lines collected so far."""

    def __init__(self, number: str, title: str, depth: int, lines: list[str]) -> None:
        self.number = number
        self.title = title.strip(" .:")
        self.depth = depth
        self.lines = lines
        self.is_item = False
        self.parent = ""

    def build(self) -> Paragraph:
        return Paragraph(
            number=self.number,
            title=self.title,
            text="\n".join(self.lines).strip("\n"),
            parent=self.parent,
        )


def _split_paragraphs(text: str) -> Iterator[Paragraph]:
    """Yield a page's paragraphs, in order. Several paragraphs may have the same number."""
    drafts: list[_ParagraphBuilder] = []
    path: list[_ParagraphBuilder] = []
    for block in _blocks(text):
        line = block[0]
        start = _begin_paragraph(line)
        if start is not None:
            _nest_paragraph(start, path)
            drafts.append(start)
        elif path and line != "---":
            if path[-1].is_item and line and not line.startswith(" "):
                path.pop()
            drafts.extend(_add_block(block, path[-1]))
    for draft in drafts:
        yield draft.build()


def _blocks(text: str) -> Iterator[list[str]]:
    """Yield each table as one block of lines, and every other line as its own block."""
    table: list[str] = []
    for line in text.splitlines():
        if line.startswith("|"):
            table.append(line)
            continue
        if table:
            yield table
            table = []
        yield [line]
    if table:
        yield table


def _begin_paragraph(line: str) -> _ParagraphBuilder | None:
    """Return a builder for the paragraph that begins on this line, or None if no paragraph begins there."""
    heading = _HEADING.fullmatch(line)
    if heading is not None:
        depth, words = len(heading[1]), heading[2]
        numbered = _NUMBERED_TITLE.fullmatch(words)
        if numbered is not None:
            return _ParagraphBuilder(numbered["number"], numbered["title"], depth, [])
        return _ParagraphBuilder(
            re.sub(r"[^a-z0-9]+", "-", words.casefold()).strip("-"), words, depth, []
        )
    number_match = _BOLD_NUMBER.fullmatch(line)
    if number_match is None:
        return None
    draft = _ParagraphBuilder(
        number_match["number"],
        number_match["title"],
        _ITEM_DEPTH,
        [number_match["text"].lstrip(" .:")],
    )
    draft.is_item = line.startswith("- ")
    return draft


def _nest_paragraph(start: _ParagraphBuilder, path: list[_ParagraphBuilder]) -> None:
    """Close the paragraphs that end where a new one begins, and put the new one under the innermost open one."""
    while path and path[-1].depth >= start.depth:
        path.pop()
    start.parent = path[-1].number if path else ""
    path.append(start)


def _add_block(block: list[str], owner: _ParagraphBuilder) -> Iterator[_ParagraphBuilder]:
    """Add lines to a paragraph, and yield the table rows that are separate paragraphs."""
    rows = tuple(_table_rows(block, owner.number))
    yield from rows
    # Rows about rules also stay in the text that contains the table. Rows about rulings or cards do
    # not.
    if all(_RULE.fullmatch(row.number) for row in rows):
        owner.lines.extend(line.removeprefix("  ") if owner.is_item else line for line in block)


def _table_rows(block: list[str], parent: str) -> Iterator[_ParagraphBuilder]:
    """Yield a table's rows as paragraphs, if the first cell of every row is a number."""
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in block]
    labels, rows = cells[0], cells[2:]
    if not all(_ROW.fullmatch(row[0]) for row in rows):
        return
    for row in rows:
        cells_by_label = {
            label[:1].upper() + label[1:]: cell
            for label, cell in zip(labels[1:], row[1:], strict=False)
            if cell
        }
        title = cells_by_label.pop("Title", "") or cells_by_label.pop("Point", "")
        lines = [f"{label}: {cell}" for label, cell in cells_by_label.items()]
        draft = _ParagraphBuilder(row[0], title, _ITEM_DEPTH, lines)
        draft.parent = parent
        yield draft
