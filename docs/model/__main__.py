"""Run searches: ``python -m docs.model``."""

import argparse
import sys
import time

from docs.model.mutations import LIMITS, MUTATIONS
from docs.model.report import summary, trace
from docs.model.rules import TEXT, Rule
from docs.model.scope import Setting
from docs.model.scopes import SCOPES
from docs.model.search import Found, Search


def _show(title: str, setting: Setting, name: str, *, is_traced: bool) -> Found:
    """Run one search and print its counts and, if requested, its trace."""
    start = time.process_time()
    found = Search(setting, name).run()
    seconds = time.process_time() - start
    failed = "no violation" if found.violation is None else f"{found.violation.property} fails"
    sys.stdout.write(f"{title}: {failed}; {summary(found)}; {seconds:.1f} s\n")
    if is_traced and found.violation is not None:
        sys.stdout.write(f"{trace(found)}\n\n")
    return found


def _table() -> int:
    """Search every scope with all rules, then every mutation, and return the number of unexpected results."""
    unexpected = 0
    for scope in SCOPES.values():
        found = _show(scope.name, Setting(scope), "", is_traced=True)
        unexpected += found.violation is not None
    for one in (*MUTATIONS, *LIMITS):
        title = f"without {' and '.join(rule.value for rule in one.off) or 'nothing'}, {one.scope}"
        setting = Setting(SCOPES[one.scope], frozenset(one.off))
        found = _show(title, setting, one.fails, is_traced=False)
        unexpected += found.violation is None
    return unexpected


def main() -> int:
    """Run the searches named on the command line; return 1 if a result was unexpected."""
    parser = argparse.ArgumentParser(prog="python -m docs.model", description=__doc__)
    parser.add_argument("--scope", choices=SCOPES, help="search one scope instead of all")
    parser.add_argument(
        "--off",
        nargs="+",
        choices=[rule.value for rule in Rule],
        default=[],
        help="switch rules off",
    )
    parser.add_argument("--property", default="", help="check one property, such as P-c")
    parser.add_argument("--rules", action="store_true", help="list the rules and exit")
    chosen = parser.parse_args()
    if chosen.rules:
        sys.stdout.writelines(f"{rule.value:22}{text}\n" for rule, text in TEXT.items())
        return 0
    if chosen.scope is None:
        return int(_table() > 0)
    off = frozenset(Rule(name) for name in chosen.off)
    _show(chosen.scope, Setting(SCOPES[chosen.scope], off), chosen.property, is_traced=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
