"""`flagplot rules`: look up a game's rules reference."""

import json
import textwrap
from difflib import get_close_matches
from typing import TYPE_CHECKING

import click

from engine import registry
from engine.kernel.errors import FlagplotError
from tools.click_commands import CheckedCommand, SuggestingChoice
from tools.completion import complete_paragraphs
from tui.text.markdown import heading, strip_markup, terminal_width, wrap_markdown

if TYPE_CHECKING:
    from engine.kernel.reference import Paragraph, Reference


class UnknownParagraphError(FlagplotError):
    """No paragraph of the reference has the given number or contains the given words."""

    exit_code = 2


@click.command(cls=CheckedCommand)
@click.argument("game", type=SuggestingChoice(registry.games()))
@click.argument("numbers", nargs=-1, metavar="[NUMBER]...", shell_complete=complete_paragraphs)
@click.option("--search", metavar="WORDS", help="List the paragraphs that contain all these words.")
@click.option("--json", "as_json", is_flag=True, help="Print the paragraphs as JSON.")
def rules(game: str, numbers: tuple[str, ...], search: str | None, *, as_json: bool) -> None:
    """Print paragraphs of the rules reference.

    NUMBER is a rule (8.45, 8.45D, A.2), a ruling (OP-12), an example (EX-7-3) or a card (J-43, uk_raf, T19). A title
    ("Fall Weiss") also works. Without a number the chapters are listed.
    """
    reference = registry.reference(game)
    paragraphs = _find_paragraphs(reference, numbers, search)
    if as_json:
        click.echo(json.dumps([_paragraph_fields(paragraph) for paragraph in paragraphs], indent=2))
    elif numbers:
        from engine.kernel.rulings import option_lines

        rulings = registry.ruleset(game).options()
        pages = (
            "\n".join(
                (_paragraph_page(reference, paragraph), *option_lines(rulings, paragraph.number))
            )
            for paragraph in paragraphs
        )
        click.echo("\n\n".join(pages))
    else:
        words = (search or "").split()
        click.echo("\n".join(_search_result_line(paragraph, words) for paragraph in paragraphs))


def _find_paragraphs(
    reference: "Reference", numbers: tuple[str, ...], search: str | None
) -> tuple["Paragraph", ...]:
    """Return the requested paragraphs. There is at least one.

    Raises:
        UnknownParagraphError: A number is not in the reference, or no paragraph contains the words.
    """
    if search is not None:
        if numbers:
            raise click.UsageError("Give numbers or --search, not both.")
        matches = reference.search(search)
        if not matches:
            raise UnknownParagraphError(f"no paragraph contains '{search}'.")
        return matches
    if not numbers:
        return tuple(
            chapter
            for number in reference.numbers()
            if (part := reference.paragraph(number)) and not part.parent
            for chapter in (part, *reference.children(number))
        )
    return tuple(
        paragraph for number in numbers for paragraph in _paragraphs_named(reference, number)
    )


def _paragraphs_named(reference: "Reference", number: str) -> tuple["Paragraph", ...]:
    """Return the paragraphs with the given number or name. There is at least one."""
    paragraphs = reference.find(number)
    if not paragraphs:
        similar = get_close_matches(number.upper(), reference.numbers(), 3)
        hint = f"; similar numbers are {', '.join(similar)}" if similar else ""
        raise UnknownParagraphError(f"there is no paragraph '{number}'{hint}.")
    return paragraphs


def _paragraph_fields(paragraph: "Paragraph") -> dict[str, str]:
    return {"number": paragraph.number, "title": paragraph.title, "text": paragraph.text}


def _paragraph_page(reference: "Reference", paragraph: "Paragraph") -> str:
    """Return a paragraph as readable text: its heading, its text and a list of its subparagraphs."""
    parts = [heading(paragraph), wrap_markdown(paragraph.text, terminal_width())]
    subparagraphs = reference.children(paragraph.number)
    if subparagraphs:
        parts.append(
            "\n".join(
                [
                    "Subparagraphs:",
                    *(
                        f"  {_search_result_line(subparagraph, [])}"
                        for subparagraph in subparagraphs
                    ),
                ]
            )
        )
    return "\n".join(part for part in parts if part)


def _search_result_line(paragraph: "Paragraph", words: list[str]) -> str:
    """Return a paragraph's number, its title and its first line with a search word, shortened to the terminal width."""
    lines = [line for line in strip_markup(paragraph.text).splitlines() if line.strip()]
    matching_line = next(
        (line for line in lines if any(word.casefold() in line.casefold() for word in words)), ""
    )
    shown_line = matching_line if matching_line or paragraph.title else next(iter(lines), "")
    text = " ".join(part for part in (heading(paragraph), shown_line.strip(" -|")) if part)
    return textwrap.shorten(text, terminal_width() - 2, placeholder=" ...")
