"""Openings of fair matches: no scenario, with any options, needs a card that must still be unknown to all."""

import pytest

from engine.kernel.ids import Role
from engine.registry import ruleset
from saves.headers import Seat
from saves.match import match_id_of, new_header
from tests.saves.protocol6.joint import keys_of
from tests.saves.protocol6.program.blind import BlindMatch
from tests.saves.protocol6.program.keys import PartyKeys
from tests.sizes import sampled

SECRET = bytes(range(32))
KEYS: dict[Role, PartyKeys] = {}


def key(role: Role) -> PartyKeys:
    return KEYS.setdefault(role, keys_of(role, SECRET))


CASES = [
    (game, info.id, option, value)
    for game in ("eots", "qmg")
    for info in ruleset(game).scenarios()
    for option, value in (
        ("", ""),
        *((one.id, value) for one in ruleset(game).options() for value in one.values[1:]),
    )
]


@pytest.mark.parametrize(
    ("game", "scenario", "option", "value"), sampled(CASES, 12, of="openings of fair matches")
)
def test_every_scenario_can_open_as_a_fair_match(
    game: str, scenario: str, option: str, value: str
) -> None:
    rules, options = ruleset(game), {option: value} if option else {}
    roles = rules.scenario_info(scenario, options).roles
    match_id = match_id_of(SECRET)
    header = new_header(
        rules,
        rules.position(scenario, options),
        scenario,
        options,
        tuple(Seat(role=role, player=role, seat_id=role) for role in roles),
        SECRET,
        parties=[key(role).party(match_id, role, deals=True) for role in roles],
    )
    match = BlindMatch.prepare(rules, header)
    for role in roles:
        match.open_link(role, key(role).link(0))
    assert match.pending is not None
    assert match.pending.proposal is not None
    assert not match.pending.proposal.is_asking
