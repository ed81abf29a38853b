"""A worker process of a host whose games include the toy games."""

from netplay.workers.worker import run
from tests.netplay.toy_games import register

if __name__ == "__main__":
    register()
    run()
