"""A run of the tests that changes the checkout fails; what a test leaves in its directory does, too."""

import os
import shutil
from pathlib import Path

import pytest
from support.own_directory import refuse_changes, state_of


def test_changes_of_the_checkout(tmp_path: Path) -> None:
    mine = tmp_path / "my_solution" / "solution.msgpack"
    mine.parent.mkdir()
    mine.write_text("mine")
    before = state_of(tmp_path)
    refuse_changes(before, tmp_path)
    for change in (lambda: mine.write_text("other"), mine.with_name("more").touch, lambda: shutil.rmtree(mine.parent)):
        change()
        with pytest.raises(AssertionError, match=r"somebody changed in .*my_solution"):
            refuse_changes(before, tmp_path)


def test_the_current_directory_is_empty_and_no_other_tests() -> None:
    assert os.listdir() == []
    assert os.environ["XDG_CONFIG_HOME"].startswith(os.getcwd())
