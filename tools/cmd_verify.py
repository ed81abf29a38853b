"""`flagplot verify`: replay records through the rules and compare the results."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tools.click_commands import CheckedCommand
from tools.record_path import RecordPath

if TYPE_CHECKING:
    from saves.verdicts import Verdict

EVIDENCE_SUFFIX = ".evidence7"
_FILE = RecordPath()


_EPILOG = """\b
Exit codes:
    0  all records are correct
    1  a record is false; the first one of each file is printed
    2  before protocol 7: --against is not a full record, or a FILE is one
    3  a file is unreadable, damaged, or of an unknown game
    6  a record is intact, but was made with older rules, and the current
       rules give different results
    7  a match of protocol 7 has ended, but card seeds or the host's secret
       are missing
    8  the record is correct, but unfinished (--finished), or parts of it
       were dropped or could not be checked (--strict)
For several files, the first that applies of 3, 1, 6, 7, 8, 0 is returned.

\b
With --evidence:
    0  the evidence holds and proves the fault that is printed
    1  an accusation does not hold
    3  a file cannot be read, or is not evidence
    6  the accusation depends on rules other than those of this program
"""


@click.command(cls=CheckedCommand, epilog=_EPILOG)
@click.argument(
    "files",
    nargs=-1,
    required=True,
    metavar="FILE...",
    type=RecordPath(dir_okay=True),
)
@click.option("--json", "as_json", is_flag=True, help="Print the verdicts as JSON.")
@click.option(
    "--junit",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Also write the verdicts as JUnit XML.",
)
@click.option(
    "--jobs",
    metavar="N",
    type=click.IntRange(0, 64),
    default=0,
    help="Number of processes. Default: one per processor.",
)
@click.option(
    "--against",
    metavar="FULL",
    type=_FILE,
    help="Full record to compare with each FILE; for protocol 7, any other copy.",
)
@click.option(
    "--evidence",
    is_flag=True,
    help="Check accusations (.evidence7) of protocol 7; --against COPY also checks that they concern its match.",
)
@click.option(
    "--save-evidence",
    metavar="FOLDER",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write the evidence from false copies of protocol 7 to FOLDER.",
)
@click.option(
    "--finished",
    is_flag=True,
    help="Fail on unfinished games, such as a file that was cut between two records.",
)
@click.option(
    "--strict",
    is_flag=True,
    help="Fail on dropped bytes, unchecked hidden parts, or missing card seeds.",
)
@click.option(
    "--allow-older",
    is_flag=True,
    help="Accept intact records of older rules instead of exiting with 6.",
)
@click.option(
    "--explain",
    is_flag=True,
    help="List what each file proves and what it does not: dice, deal, hands, authors, consent, history.",
)
def verify(  # noqa: PLR0913  # one parameter per option
    files: tuple[Path, ...],
    junit: Path | None,
    jobs: int,
    against: Path | None,
    save_evidence: Path | None,
    *,
    as_json: bool,
    evidence: bool,
    finished: bool,
    strict: bool,
    allow_older: bool,
    explain: bool,
) -> int:
    """Replay every record through the rules and compare byte for byte.

    FILE is a record (.fplog), the name of a saved game, or a folder with records. In a full record every command is
    resolved again. A player's copy is replayed and its visible parts are checked; with --against all parts are checked.

    With --evidence, FILE is an accusation (.evidence7) or a folder with accusations. Each is recomputed from its own
    content, and nothing in it is trusted. A false protocol 7 copy may contain evidence, alone or with --against;
    --save-evidence saves it.
    """
    if evidence:
        demanded_more = finished or strict or allow_older
        if explain or demanded_more or junit is not None or save_evidence is not None:
            problem = (
                "--evidence cannot be combined with --explain, --junit, --save-evidence, --finished, --strict"
                " or --allow-older."
            )
            raise click.UsageError(problem)
        return _verify_evidence(files, against, as_json=as_json)
    from saves.verify import check_comparison, size_of, verify_files
    from saves.verify_requirements import Requirements, apply_requirements
    from saves.workers import available_cpu_count
    from tools.output_checks import check_output_file, check_output_folder
    from tools.progress_bar import ProgressBar
    from tools.verdicts import as_json as to_json
    from tools.verdicts import as_text, exit_code, summary

    paths = tuple(record_paths(files))
    _hint_at_evidence(paths)
    if not paths:
        raise click.UsageError("These folders contain no record (*.fplog).")
    if against is not None:
        check_comparison(paths, against)
    if junit is not None:
        check_output_file(junit)
    if save_evidence is not None:
        check_output_folder(save_evidence)
    demands = Requirements(finished=finished, strict=strict, allow_older=allow_older)
    verdicts = []
    with ProgressBar(sum(map(size_of, paths)), "checking") as progress:
        for file_verdict in verify_files(
            paths, against, jobs or available_cpu_count(), progress.advance
        ):
            verdict = apply_requirements(file_verdict, demands)
            verdicts.append(verdict)
            if not as_json:
                progress.clear()
                click.echo(as_text(verdict, explained=explain))
    click.echo(to_json(verdicts, explained=explain) if as_json else summary(verdicts))
    if junit is not None:
        _save_junit(verdicts, junit)
    if save_evidence is not None:
        _save_evidence(verdicts, against, save_evidence)
    return exit_code(verdicts, demands)


def _verify_evidence(files: Iterable[Path], against: Path | None, *, as_json: bool) -> int:
    from saves.fair.evidence_file import evidence_files, known_copy, verify_evidence
    from tools.evidence_verdicts import as_json as to_json
    from tools.evidence_verdicts import as_text, exit_code

    known = None if against is None else known_copy(against)
    verdicts = []
    for path in evidence_files(files):
        verdict = verify_evidence(path, known)
        verdicts.append(verdict)
        if not as_json:
            click.echo(as_text(verdict))
    if as_json:
        click.echo(to_json(verdicts))
    return exit_code(verdicts)


def _save_evidence(verdicts: Iterable["Verdict"], against: Path | None, folder: Path) -> None:
    from saves.fair.evidence_file import save_accusations

    for verdict in verdicts:
        if verdict.evidence:
            for path in save_accusations(Path(verdict.file), against, folder):
                click.echo(f"evidence saved: {path}", err=True)


def _hint_at_evidence(paths: Iterable[Path]) -> None:
    for path in paths:
        if path.suffix == EVIDENCE_SUFFIX:
            click.echo(f"Note: {path} is evidence; check it with --evidence", err=True)


def record_paths(files: Iterable[Path]) -> Iterator[Path]:
    """Yield the given files. For each folder, yield all records in and below the folder, sorted by name."""
    from saves.logfile import SUFFIX

    for path in files:
        if path.is_dir():
            yield from sorted(path.rglob(f"*{SUFFIX}"))
        else:
            yield path


def _save_junit(verdicts: Sequence["Verdict"], path: Path) -> None:
    from saves.errors import StorageError
    from tools.verdicts import write_junit

    try:
        write_junit(verdicts, path)
    except OSError as error:
        raise StorageError(f"cannot write {path}: {error.strerror}") from error
