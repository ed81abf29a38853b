"""Lists the code, tests and scripts of one rule, card or test series, for ``flagplot-check --rule``."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from engine import registry
from tools.dev import coverage_cards, coverage_eots_cards
from tools.dev.coverage_doc import CODE, GAMES, TESTS, mentions
from tools.dev.robustness_doc import SIZES, run_text, tests_by_file
from tools.dev.series import find_series
from tools.robustness_series import ROOT, load_results, load_series

_SCRIPT: Final = ".script"


def details(id: str) -> str:
    """Return the details of a rule number, ruling, card or test series, as text.

    Args:
        id: An id such as ``8.45``, ``OP-10``, ``J-23``, ``de_plunder`` or ``D4``, in upper or lower case. If several
            games have a rule with the same number, all of these rules are returned.

    Raises:
        LookupError: No rule, card or series has this id.
    """
    lines = [*_series_details(id.upper())]
    lines += _card_details(coverage_eots_cards.details(id), id.upper())
    lines += _card_details(coverage_cards.details(id), id.lower())
    if not lines:  # checked last, because the rules references also list cards
        lines = [line for game in GAMES for line in _rule_details(game, id.upper())]
    if not lines:
        raise LookupError(id)
    return "\n".join(lines)


def _series_details(id: str) -> Iterator[str]:
    """Yield the title, counts, tests and results of a test series."""
    if id not in load_series():
        return
    yield f"{id} {load_series()[id].title}"
    if id in find_series():
        yield from (
            f"  {series.what}: {series.quick} quick, {series.full} full, {series.nightly} nightly"
            for series in find_series()[id].counts
        )
        yield from (f"  {line}" for line in tests_by_file(find_series()[id].tests))
    results = load_results().get(id, {})
    yield from (f"  {run_text(size, results[size])}" for size in SIZES if size in results)


def _rule_details(game: str, number: str) -> Iterator[str]:
    """Yield a rule's title, and the files that mention its number."""
    paragraph = registry.reference(game).paragraph(number)
    if paragraph is None:
        return
    yield f"{GAMES[game][0]}, {number} {paragraph.title}".rstrip()
    code = mentions(CODE, (".py", ".json"), game).get(number, ())
    tests = mentions(TESTS, (".py", _SCRIPT), game).get(number, ())
    yield from _file_list(code, tests)


def _card_details(about: tuple[str, ...], id: str) -> Iterator[str]:
    """Yield the given lines about a card, and the files that mention its id."""
    if not about:
        return
    yield from about
    pattern = re.compile(rf"(?<![\w-]){re.escape(id)}(?![\w-])", re.IGNORECASE)
    code, tests = (
        [
            path.relative_to(ROOT).as_posix()
            for path in sorted((ROOT / folder).rglob("*"))
            if path.suffix in suffixes and pattern.search(path.read_text(encoding="utf-8"))
        ]
        for folder, suffixes in (("engine", {".py"}), ("tests", {".py", _SCRIPT}))
    )
    yield from _file_list(code, tests)


def _file_list(code: Iterable[str], tests: Iterable[str]) -> Iterator[str]:
    """Yield the files under headings: code first, then Python tests, then scripts."""
    names = [*tests]
    for title, own in (
        ("code", [*code]),
        ("tests", [name for name in names if Path(name).suffix != _SCRIPT]),
        ("scripts", [name for name in names if Path(name).suffix == _SCRIPT]),
    ):
        yield f"  {title}: {len(own)}"
        yield from (f"    {name}" for name in own)
