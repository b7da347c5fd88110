"""That every mutation still fits the code. Nothing is mutated here: `python tests/mutations` does that, by hand."""

from __future__ import annotations

from collections import Counter

from mutations.catalogue import ROOT, mutations


def test_every_mutation_can_be_made() -> None:
    assert [problem for mutation in mutations() if (problem := mutation.problem(ROOT))] == []


def test_mutations_have_names_of_their_own_and_change_something() -> None:
    assert [name for name, times in Counter(mutation.name for mutation in mutations()).items() if times > 1] == []
    assert [mutation.name for mutation in mutations() if mutation.old == mutation.new or not mutation.why] == []


def test_the_tests_of_every_room_that_is_mutated_have_a_folder() -> None:
    assert [mutation.name for mutation in mutations() if not (ROOT / mutation.folder).is_dir()] == []
