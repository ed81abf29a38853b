"""Compare supply with the plain search on many random positions.

Run ``python -m tests.engine.eots.supply_nightly 10000``; a second number is the first seed.
"""

import sys

from tests.engine.eots.test_ch06_reference import compare_position

SHOWN = 100


def main(count: int, first: int = 0) -> int:
    """Return the number of positions that disagree, and print the seed of each."""
    wrong = 0
    for seed in range(first, first + count):
        try:
            compare_position(seed)
        except AssertionError as problem:
            wrong += 1
            sys.stdout.write(f"seed {seed}: {str(problem)[:SHOWN]}\n")
    sys.stdout.write(f"{count} positions, {wrong} wrong\n")
    return wrong


if __name__ == "__main__":
    sys.exit(min(main(*map(int, sys.argv[1:3])), 1))
