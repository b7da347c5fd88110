"""What the scores of a match are known to be worth: by formula, and from longer and shorter matches."""

from dataclasses import replace

import pytest

from tictactoe import MatchOptions, StoreError, load_solution
from tictactoe.match.scores import Score, all_scores
from tictactoe.solving.match_run import start_values_by_formula, start_values_of


@pytest.mark.parametrize("rules", ["three-in-a-row", "filled"])
@pytest.mark.parametrize("winning_score", [1, 3, 5])
def test_formulas_and_solutions_have_the_same_values(rules: str, winning_score: int) -> None:
    """The shipped matches are to 5: a shorter match is the end of them. MatchOptions takes the values."""
    solution = load_solution("shipped" if rules == "three-in-a-row" else rules)
    solved, known = start_values_of(solution, winning_score), start_values_by_formula(winning_score, rules)
    assert list(solved) == list(known) == all_scores(winning_score)
    assert solved == pytest.approx(known, abs=1e-12)
    for (first, second), value in solved.items():
        assert value == solution.value[Score(first + 5 - winning_score, second + 5 - winning_score)]
    assert {type(value) for values in (solved, known) for value in values.values()} == {float}
    given = (MatchOptions(winning_score=winning_score, start_from=values).as_dict() for values in (solved, known))
    assert all(len(options["start_from"]) == 64 for options in given)


def test_a_solution_that_lacks_values() -> None:
    whole = load_solution("shipped")
    results = {score: result for score, result in whole.results.items() if score != Score(2, 3)}
    lacking = replace(whole, results=results)
    with pytest.raises(StoreError, match="has no value for the score 2-3; solve the match first"):
        start_values_of(lacking, 3)
    assert len(start_values_of(lacking, 2)) == 4
