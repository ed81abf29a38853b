"""The check that refuses a libsodium which accepts invalid points."""

import subprocess
import sys
from pathlib import Path

import pytest
from nacl import bindings

from engine.kernel.errors import FlagplotError
from saves.errors import LibraryError
from saves.fair.libsodium_check import MIXED_ORDER_POINT, check_library
from saves.protocol6.group import ORDER
from tests.saves.protocol6.test_group import PRIME, added, decoded, encoded, multiplied

SENTENCE = "the installed libsodium accepts invalid curve points; install PyNaCl 1.6.2 or newer"
BASE = (4 * pow(5, -1, PRIME) % PRIME).to_bytes(32, "little")


def test_mixed_order_vector_is_the_base_point_plus_the_point_of_order_two() -> None:
    base = decoded(BASE)
    assert base is not None
    assert multiplied(ORDER, base) == (0, 1)
    mixed = added(base, (0, PRIME - 1))
    assert encoded(mixed) == MIXED_ORDER_POINT
    assert decoded(MIXED_ORDER_POINT) == mixed
    assert multiplied(ORDER, mixed) == (0, PRIME - 1)


def test_installed_library_passes() -> None:
    check_library()
    assert bindings.crypto_core_ed25519_is_valid_point(BASE)
    assert not bindings.crypto_core_ed25519_is_valid_point(MIXED_ORDER_POINT)


def test_library_that_accepts_the_invalid_point_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bindings, "crypto_core_ed25519_is_valid_point", lambda _: True)
    with pytest.raises(LibraryError, match=f"^{SENTENCE}$") as caught:
        check_library()
    assert isinstance(caught.value, FlagplotError)
    assert caught.value.exit_code == 3


def test_program_with_an_unsafe_library_exits_with_one_sentence(tmp_path: Path) -> None:
    script = (
        "import sys\n"
        "from nacl import bindings\n"
        "bindings.crypto_core_ed25519_is_valid_point = lambda point: True\n"
        "from tools.cli import main\n"
        "main(sys.argv[1:])\n"
    )
    words = (
        "host",
        "open",
        "eots",
        "--headless",
        "--listen",
        "127.0.0.1:0",
        "--folder",
        str(tmp_path),
    )
    ran = subprocess.run(
        [sys.executable, "-c", script, *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (3, "", f"Error: {SENTENCE}\n")
