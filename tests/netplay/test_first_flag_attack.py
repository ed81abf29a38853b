"""Two clocks run out between two checks by the host. The side that runs out of time first must lose."""

from netplay.match_state.timekeeper import Timekeeper
from tests.netplay.test_clocks import Watch, timed
from tests.toy_game import BLUE, RED


def test_p7_clock_that_ran_out_first_is_listed_first() -> None:
    watch, match = Watch(), timed()
    for first, second in ((RED, BLUE), (BLUE, RED)):
        keeper = Timekeeper(match, 0.0, (RED, BLUE), {first: 1}, now=watch)
        keeper._return_deadlines.clear()
        watch.seconds += 600.1
        assert keeper.fallen_roles() == (first, second)
