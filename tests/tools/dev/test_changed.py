"""What a change can break: the files that differ, the files that depend on them, and the choice of tests."""

import subprocess
from pathlib import Path

import click
import pytest

from tools.dev import changed
from tools.dev.changed import Dependencies, digests, find_changes, select, tracked_files
from tools.robustness_series import ROOT

FILES = {
    "lib_alpha/__init__.py": "",
    "lib_alpha/base.py": "SIZE = 3\n",
    "lib_alpha/user.py": "from lib_alpha.base import SIZE\n",
    "lib_alpha/far.py": "def far() -> int:\n    from lib_alpha import user\n    return user.SIZE\n",
    "lib_alpha/loaded.py": "NAME = 'toy'\n",
    "lib_alpha/games/__init__.py": "",
    "lib_alpha/games/chess.py": "",
    "lib_alpha/registry.py": "PLACES = {'toy': 'lib_alpha.loaded:NAME'}\n",
    "lib_alpha/shown.py": "def place(game: str) -> str:\n    return f'lib_alpha.games.{game}'\n",
    "lib_alpha/cards.py": "FILE = 'cards.json'\n",
    "lib_alpha/cards.json": "[]",
    "lib_alpha/games/cards.json": "[]",
    "lib_alpha/games/deck.py": "FILE = 'cards.json'\n",
    "tests_alpha/__init__.py": "",
    "tests_alpha/conftest.py": "from lib_alpha import shown\n",
    "tests_alpha/test_base.py": "from lib_alpha import base\n",
    "tests_alpha/test_far.py": "from lib_alpha.far import far\n",
    "tests_alpha/test_rules.py": "SCRIPTS = 'tests_alpha/rules/*.script'\n",
    "tests_alpha/rules/1.script": "",
    "tests_alpha/test_looks.py": "",
    "tests_alpha/__snapshots__/test_looks/a.svg": "",
}


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for path, text in FILES.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    git(tmp_path, "init", "--initial-branch", "main")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--message", "first")
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def git(folder: Path, *words: str) -> str:
    who = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
    done = subprocess.run(
        ["git", *who, *words], cwd=folder, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def affected(repository: Path, *paths: str) -> dict[str, int]:
    files = [*tracked_files(repository), *paths]
    found = Dependencies(files, repository, ("lib_alpha", "tests_alpha"))
    return dict(found.affected(paths))


def test_importers_are_found_with_their_import_distance(repository: Path) -> None:
    assert affected(repository, "lib_alpha/base.py") == {
        "lib_alpha/base.py": 0,
        "lib_alpha/user.py": 1,
        "tests_alpha/test_base.py": 1,
        "lib_alpha/far.py": 2,
        "tests_alpha/test_far.py": 3,
    }


@pytest.mark.parametrize(
    ("path", "user"),
    [
        ("lib_alpha/loaded.py", "lib_alpha/registry.py"),
        ("lib_alpha/games/chess.py", "lib_alpha/shown.py"),
        ("lib_alpha/cards.json", "lib_alpha/cards.py"),
        ("lib_alpha/games/cards.json", "lib_alpha/games/deck.py"),
        ("tests_alpha/rules/1.script", "tests_alpha/test_rules.py"),
        ("tests_alpha/__snapshots__/test_looks/a.svg", "tests_alpha/test_looks.py"),
    ],
)
def test_modules_and_data_named_in_a_file_are_dependencies(
    repository: Path, path: str, user: str
) -> None:
    found = affected(repository, path)
    assert found[user] == 1
    others = {"lib_alpha/cards.py", "lib_alpha/games/deck.py"} - {user}
    assert not others & found.keys()


def test_a_conftest_affects_the_tests_below_it(repository: Path) -> None:
    found = affected(repository, "lib_alpha/shown.py")
    assert found["tests_alpha/conftest.py"] == 1
    assert found["tests_alpha/test_base.py"] == 2


def test_deleted_module_affects_its_remaining_importers(repository: Path) -> None:
    (repository / "lib_alpha/user.py").unlink()
    found = affected(repository, "lib_alpha/user.py")
    assert "lib_alpha/user.py" not in found
    assert found["lib_alpha/far.py"] == 1
    assert found["tests_alpha/test_far.py"] == 2


def test_a_syntax_error_is_reported_with_its_file(repository: Path) -> None:
    (repository / "lib_alpha/user.py").write_text("def\n")
    with pytest.raises(click.ClickException, match=r"lib_alpha/user\.py"):
        affected(repository, "lib_alpha/user.py")


def test_branch_changes_include_commits_and_working_tree(repository: Path) -> None:
    base = git(repository, "rev-parse", "HEAD")
    git(repository, "switch", "--create", "topic")
    (repository / "lib_alpha/base.py").write_text("SIZE = 4\n")
    git(repository, "commit", "--all", "--message", "second")
    (repository / "lib_alpha/user.py").unlink()
    (repository / "new file.md").write_text("")
    found = find_changes(repository)
    assert found.base == base
    assert found.files == ("lib_alpha/base.py", "lib_alpha/user.py", "new file.md")


def test_main_branch_changes_include_only_unpushed_work(repository: Path) -> None:
    (repository / "lib_alpha/base.py").write_text("SIZE = 4\n")
    assert find_changes(repository).files == ("lib_alpha/base.py",)
    git(repository, "commit", "--all", "--message", "second")
    assert find_changes(repository).files == ()
    git(repository, "update-ref", "refs/remotes/origin/main", "HEAD~1")
    assert find_changes(repository).files == ("lib_alpha/base.py",)


def test_a_folder_without_a_repository_is_refused(tmp_path: Path) -> None:
    with pytest.raises(click.ClickException, match="git rev-parse failed"):
        find_changes(tmp_path)


def test_digests_identify_rewritten_files(repository: Path) -> None:
    before = digests(repository)
    assert before.keys() == FILES.keys()
    (repository / "lib_alpha/base.py").write_text("SIZE = 4\n")
    after = digests(repository)
    assert [path for path in after if after[path] != before[path]] == ["lib_alpha/base.py"]


NEAR, OWN, SCRIPTS = "tests/tui/test_near.py", "tests/engine/qmg/test_own.py", "test_scripts.py"
DISTANCES = {
    "engine/qmg/deck.py": 0,
    "tests/engine/qmg/test_edited.py": 0,
    NEAR: 1,
    OWN: 3,
    f"tests/engine/qmg/{SCRIPTS}": 5,
    f"tests/engine/eots/{SCRIPTS}": 5,
    "tests/tui/tables.py": 1,
}


def test_edited_tests_run_first_then_scripts_and_package_tests() -> None:
    found = select(["engine/qmg/deck.py"], DISTANCES, {}, budget=100)
    assert found.chosen == (
        "tests/engine/qmg/test_edited.py",
        f"tests/engine/qmg/{SCRIPTS}",
        OWN,
        NEAR,
        f"tests/engine/eots/{SCRIPTS}",
    )
    assert found.left_out == ()


def test_tests_over_the_budget_are_left_out_unless_edited() -> None:
    seconds = {"tests/engine/qmg/test_edited.py": 50.0, OWN: 9.0, NEAR: 2.0}
    found = select(["engine/qmg/deck.py"], DISTANCES, seconds, budget=53)
    assert found.chosen == (
        "tests/engine/qmg/test_edited.py",
        f"tests/engine/qmg/{SCRIPTS}",
        NEAR,
    )
    assert found.left_out == (OWN, f"tests/engine/eots/{SCRIPTS}")


def test_package_list_matches_the_project() -> None:
    folders = {
        path.parent.name for path in ROOT.glob("*/__init__.py") if path.parent.name != "docs"
    }
    assert set(changed.PACKAGES) == folders
