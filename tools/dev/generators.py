"""Lists the programs in ``tools/dev`` that generate files in the repository from its code."""

from collections.abc import Mapping
from typing import Final

GENERATORS: Final[Mapping[str, tuple[str, ...]]] = {
    "tutorials": (),
    "manual_tables": (),
    "script_tables": (),
    "coverage_doc": (),
    "robustness_doc": (),
    "pictures": ("docs/img",),
    "recording": ("docs/img/offensive.cast",),
}
"""The arguments of each program, by module name. No program reads another program's output."""
