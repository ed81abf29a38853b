"""A worker process of a host that has the toy games among its games."""

from netplay.workers.worker import run
from tests.netplay.toy_games import register

if __name__ == "__main__":
    register()
    run()
