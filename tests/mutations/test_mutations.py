"""That every mutation still fits the code. Nothing is mutated here: `python tests/mutations` does that, by hand."""

from mutations.catalogue import ROOT, mutations


def test_every_mutation_can_be_made() -> None:
    assert [problem for mutation in mutations() if (problem := mutation.problem(ROOT))] == []
    assert len({mutation.name for mutation in mutations()}) == len(mutations())
    assert [mutation.name for mutation in mutations() if mutation.old == mutation.new or not mutation.why] == []
    assert [mutation.name for mutation in mutations() if not (ROOT / mutation.folder).is_dir()] == []
