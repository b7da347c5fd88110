"""An update rule from outside the library: CFR+ that believes only a share of its prediction.

R <- max(R + r, 0); the next strategy is proportional to max(R + share * r, 0); iteration t weighs t^gamma in the
average. With share 0 that is CFR+ (but for gamma), with share 1 predictive CFR+ (Farina, Kroer & Sandholm 2021). The
library has it as sapcfr+ (Meng et al. 2025); here it shows how a rule is written.
"""

from collections.abc import Mapping

from tictactoe import Coefficients, register_rule


def fill(table: Coefficients, parameters: Mapping[str, float]) -> None:
    table.floor = 0.0
    table.prediction_weight = parameters["share"]
    table.averaging_weight = table.t ** parameters["discount_gamma"]


register_rule(
    "cautious-cfr+",
    fill,
    {"share": 1 / 3, "discount_gamma": 2.0},
    limits={"share": (0.0, 1.0), "discount_gamma": (0.0, 20.0)},
)
