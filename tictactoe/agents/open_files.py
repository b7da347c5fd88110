"""How many files this process may have open at once; each connection counts as one."""

from __future__ import annotations

import math


def open_files_allowed(wanted: int) -> float:
    """How many there may be; infinite without a limit. One that this process may raise is raised to `wanted` before.

    >>> open_files_allowed(0) > 2
    True
    """
    try:
        import resource
    except ImportError:  # systems that know no such limit
        return math.inf
    limit, highest = resource.getrlimit(resource.RLIMIT_NOFILE)
    unlimited = resource.RLIM_INFINITY
    if limit == unlimited:
        return math.inf
    if limit < wanted:
        raised = wanted if highest == unlimited else min(wanted, highest)
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (raised, highest))
        except (OSError, ValueError):  # some systems have a lower limit besides
            return limit
        return raised
    return limit
