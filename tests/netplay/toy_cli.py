"""The flagplot command with the toy games added, for tests that need real processes."""

import sys

from tests.netplay.toy_games import register
from tools.cli import main

if __name__ == "__main__":
    register()
    if "host" in sys.argv:
        from netplay.workers import worker_client
        from tests.netplay.tables import TOY_WORKER

        worker_client.PROGRAM[:] = TOY_WORKER
    main()
