"""The keys in files of what has another name in the code: files keep the keys that they were first written with."""

from __future__ import annotations

PARAMETER_KEYS = {
    "alpha": "discount_alpha",
    "beta": "discount_beta",
    "gamma": "discount_gamma",
    "horizon": "schedule_horizon",
}
"""The keys of parameters of update rules."""

OPTION_KEYS = {
    "rule": "algorithm",
    "bonus_schedule": "small_move_epsilon",
    "start_values": "start_from",
    **PARAMETER_KEYS,
}
"""The keys of options of a run, and of these parameters."""

FILE_KEYS = {"rules": "end_rule", "skippable": "settled", "rule_digest": "algorithm_sha256", **OPTION_KEYS}
"""The keys of fields, of options and of parameters."""


def file_key(name: str) -> str:
    """The key in files of a field, an option or a parameter.

    >>> file_key("rules"), file_key("iteration")
    ('end_rule', 'iteration')
    """
    return FILE_KEYS.get(name, name)
