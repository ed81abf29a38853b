"""Tables of die rolls: every total has one result."""

import pytest

from engine.kernel.tables import DieTable

CLAMPED = DieTable((0, 2, "miss"), (3, 3, "hit"), (4, 9, "sunk"))


@pytest.mark.parametrize(
    ("total", "result"),
    [(-4, "miss"), (0, "miss"), (2, "miss"), (3, "hit"), (4, "sunk"), (9, "sunk"), (12, "sunk")],
)
def test_totals_out_of_range_use_the_end_results(total: int, result: str) -> None:
    assert CLAMPED.result(total) == result


def test_a_table_without_clamping_refuses_other_totals() -> None:
    table = DieTable((1, 1, 10), (2, 6, 20), is_clamped=False)
    assert [table.result(face) for face in range(1, 7)] == [10, 20, 20, 20, 20, 20]
    for total in (0, 7):
        with pytest.raises(AssertionError):
            table.result(total)


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param((), id="none"),
        pytest.param(((0, 2, "a"), (4, 9, "b")), id="gap"),
        pytest.param(((0, 2, "a"), (2, 9, "b")), id="overlap"),
        pytest.param(((3, 9, "a"), (0, 2, "b")), id="order"),
        pytest.param(((0, 2, "a"), (3, 1, "b")), id="backwards"),
    ],
)
def test_inconsistent_ranges_are_refused(rows: tuple[tuple[int, int, str], ...]) -> None:
    with pytest.raises(ValueError, match="row"):
        DieTable(*rows)
