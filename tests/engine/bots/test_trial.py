"""Trials of candidates: each is played out, the best get more, and noise is halved."""

from engine.bots.trial import Trial, Turned, chance, secret_from
from engine.kernel.dice import SECRET_BYTES, DerivedDice, Die

D10 = Die(0, 9)


def dice(record: int) -> DerivedDice:
    return DerivedDice(bytes(SECRET_BYTES), record)


def test_each_is_played_out_and_the_best_is_taken() -> None:
    """The first judgement leads until playouts say otherwise."""
    played: list[tuple[int, int]] = []

    def play_out(at: int, sample: int) -> int:
        played.append((at, sample))
        return (5, 40, 20, -30, 0)[at]

    trial = Trial((90, 10, 10, 10, 10), play_out)
    assert trial.best() == 0
    for _ in range(20):
        trial.go_on()
    assert trial.best() == 1
    assert played[:5] == [(at, 0) for at in range(5)]
    assert len(set(played)) == len(played)
    counts = [sum(at == one for one, _ in played) for at in range(5)]
    assert counts[1] > counts[3] < counts[2]


def test_of_equals_the_first_is_taken() -> None:
    """So that the usual answer stands where nothing speaks against it."""
    trial = Trial((0, 0), lambda at, sample: 7 * (at + sample >= 0))
    for _ in range(4):
        trial.go_on()
        assert trial.best() == 0


def test_ends_when_the_answer_is_clear() -> None:
    """One that was always better needs no more playouts; nor do equals."""
    clear = Trial((0, 0, 0), lambda at, sample: 100 * (at == 1) + sample)
    equal = Trial((0, 0), lambda at, sample: 3 * sample)
    open_ = Trial((0, 0), lambda at, sample: 50 * ((at + sample) % 2))
    for trial in (clear, equal, open_):
        assert not trial.is_clear
        for _ in range(6):
            trial.go_on()
    assert clear.is_clear
    assert equal.is_clear
    assert not open_.is_clear


def test_turned_dice_show_the_other_face() -> None:
    """Where the one is lucky the other is not."""
    faces = [dice(number).roll(D10) for number in range(20)]
    turned = [Turned(dice(number)).roll(D10) for number in range(20)]
    assert {one + other for one, other in zip(faces, turned, strict=True)} == {9}
    assert Turned(dice(1)).pick("abc") == dice(1).pick("abc")


def test_every_second_sample_is_the_one_before_turned_round() -> None:
    """Two samples together are fair."""
    secret = secret_from(dice(3))
    assert len(secret) == SECRET_BYTES
    assert secret != secret_from(dice(4))
    first, second, third = (chance(secret, sample) for sample in range(3))
    faces = [[one.roll(D10) for _ in range(12)] for one in (first, second, third)]
    assert all(one + other == 9 for one, other in zip(faces[0], faces[1], strict=True))
    assert faces[2] != faces[0]
