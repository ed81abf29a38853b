"""Ledgers of one command."""

from engine.kernel.dice import ScriptedDice
from engine.kernel.ledger import Ledger


def summed() -> Ledger[int, int]:
    """Return a ledger whose state is the sum of its events. Negative events stand for rolls and do not change it."""
    return Ledger(0, lambda state, event: state + max(event, 0), ScriptedDice())


def test_a_ledger_folds_each_event_immediately() -> None:
    """This lets rules read their own results."""
    ledger = summed()
    ledger.add(2)
    ledger.add(3)
    assert (ledger.state, ledger.events) == (5, (2, 3))


def test_undo_restores_the_state_but_keeps_selected_events() -> None:
    """The state returns to the mark, but rolls stay recorded in order."""
    ledger = summed()
    ledger.add(1)
    mark = ledger.mark()
    for event in (-1, 4, -2):
        ledger.add(event)
    assert ledger.state == 5
    ledger.undo(mark, lambda event: event < 0)
    assert (ledger.state, ledger.events) == (1, (1, -1, -2))
    ledger.add(2)
    assert (ledger.state, ledger.events) == (3, (1, -1, -2, 2))


def test_marks_can_be_nested() -> None:
    """The inner attempt is taken back first."""
    ledger = summed()
    outer = ledger.mark()
    ledger.add(1)
    inner = ledger.mark()
    ledger.add(2)
    ledger.undo(inner, lambda event: event < 0)
    assert ledger.state == 1
    ledger.undo(outer, lambda event: event < 0)
    assert (ledger.state, ledger.events) == (0, ())
