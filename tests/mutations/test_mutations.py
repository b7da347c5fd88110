"""That every mutation still fits the code. Nothing is mutated here: `python tests/mutations` does that, by hand."""

from mutations.catalogue import ROOT, mutations


def test_every_mutation_can_be_made() -> None:
    assert [problem for mutation in mutations() if (problem := mutation.problem(ROOT))] == []


def test_mutations_have_names_of_their_own_and_change_something() -> None:
    names = [mutation.name for mutation in mutations()]
    assert len(set(names)) == len(names)
    assert [mutation.name for mutation in mutations() if mutation.old == mutation.new or not mutation.why] == []
    assert [mutation.name for mutation in mutations() if not (ROOT / mutation.folder).is_dir()] == []
