"""The flagplot command with the toy games among its games, for tests that need real processes."""

from engine import registry
from tests.toy_game import REGISTERED
from tools.cli import main

if __name__ == "__main__":
    registry._GAMES["toy"] = REGISTERED
    registry._GAMES["six"] = registry.Game("tests.toy_six:SIX", "", "", "", {})
    registry._GAMES["staff"] = registry.Game("tests.toy_staff:TOY_STAFF", "", "", "", {})
    main()
