"""The slider of a replay as text: marks, labels, and the record of each column."""

from play.turn_index import RecordPosition
from tui.panels.slider_track import MarkKind, SliderMark, slider_track
from tui.panels.status_segments import plain_text

TURNS = tuple(
    SliderMark(RecordPosition(seq, 2), MarkKind.TURN, name)
    for seq, name in ((0, "T2 Jan-Apr 42"), (40, "T3 May-Aug 42"), (50, "T4 Sep-Dec 42"))
)


def _line(width: int, *marks: SliderMark, seq: int = 20) -> str:
    return plain_text(tuple(slider_track(width, 100, marks).line(seq)))


def test_turns_battles_and_comments_are_at_their_positions() -> None:
    battle, comment = (
        SliderMark(RecordPosition(60, 1), MarkKind.BATTLE),
        SliderMark(RecordPosition(90, 0), MarkKind.COMMENT),
    )
    line = "┃━━━━━━━━━●─────────┃────┃────×──────────────'─────"  # noqa: RUF001  (the sign of a battle)
    assert _line(51, *TURNS, battle, comment) == line.replace("'", '"')


def test_turn_wins_over_other_marks_in_a_column() -> None:
    beside = SliderMark(RecordPosition(41, 1), MarkKind.BATTLE)
    assert _line(11, beside, *TURNS[1:], seq=0) == "●───┃┃─────"


def test_the_knob_reaches_both_ends() -> None:
    assert _line(8, seq=0) == "●───────"
    assert _line(8, seq=100) == "━━━━━━━●"


def test_column_maps_to_its_mark_or_record() -> None:
    laid = slider_track(51, 100, TURNS)
    assert laid.place(20) == (RecordPosition(40, 2), 40)
    assert laid.place(21) == (None, 42)
    assert laid.place(-5)[1] == 0
    assert laid.place(999) == (None, 100)
    assert all(laid.column(laid.place(column)[1]) == column for column in range(51))


def test_labels_are_short_when_the_next_turn_is_near() -> None:
    assert (
        " ".join(slider_track(80, 100, TURNS).labels().split()) == "T2 Jan-Apr 42 T3 T4 Sep-Dec 42"
    )
    assert slider_track(21, 100, TURNS).labels() == "T2        T4         "


def test_times_of_day_show_only_what_differs() -> None:
    times = [
        SliderMark(RecordPosition(seq, 1), MarkKind.TURN, f"19 June {8 + seq // 10:02}10")
        for seq in (0, 10, 20)
    ]
    assert slider_track(60, 100, times).labels().split() == ["0810", "0910", "19", "June", "1010"]


def test_many_turns_are_marked_by_round_and_then_thinned_out() -> None:
    turns = [
        SliderMark(
            RecordPosition(seq, 0), MarkKind.TURN, f"Round {1 + seq // 5}, country {seq % 5}"
        )
        for seq in range(100)
    ]
    assert _line(100, *turns, seq=99).count("┃") == 20
    assert _line(40, *turns, seq=99).count("┃") == 10


def test_empty_record_has_a_slider() -> None:
    assert plain_text(tuple(slider_track(3, 0, ()).line(0))) == "●──"
    assert slider_track(3, 0, ()).place(2) == (None, 0)
