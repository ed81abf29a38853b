"""A record with a number that Parquet cannot store. The other records of the run are still exported."""

from pathlib import Path

import msgspec
import pytest

from saves.chain import first_chain, record_chain
from saves.export.encoding import FORMATS, Format
from saves.export.exporter import export_files
from saves.headers import Header
from saves.logfile import log_bytes, read_log
from saves.records import Record

RECORD = Path("engine/qmg/data/tutorial.fplog")


def relinked(header: Header, records: list[Record]) -> list[Record]:
    chain = first_chain(header)
    linked = []
    for record in records:
        linked.append(msgspec.structs.replace(record, prev=chain))
        chain = record_chain(linked[-1])
    return linked


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("jobs", [1, 2])
def test_record_with_a_large_number_does_not_stop_the_export(
    tmp_path: Path, form: Format, jobs: int
) -> None:
    if form == "parquet":
        pytest.importorskip("pyarrow")
    log = read_log(RECORD)
    header = msgspec.structs.replace(log.header, rules_version=2**64 - 1)
    large, usual = tmp_path / "large.fplog", tmp_path / "usual.fplog"
    large.write_bytes(log_bytes(header, relinked(header, list(log.records[:2]))))
    usual.write_bytes(log_bytes(log.header, log.records[:2]))
    results = list(export_files([large, usual], tmp_path / "tables", form, jobs=jobs))
    assert len(results) == 2
    assert not results[1].problem
    assert results[1].rows
