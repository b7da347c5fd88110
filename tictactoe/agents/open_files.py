"""The system's limit of open files of this process; each connection counts as one."""

from __future__ import annotations

import math


def open_files_allowed(wanted: int) -> float:
    """The limit of open files, raised to `wanted` where this process may do so; infinite without a limit.

    >>> open_files_allowed(0) > 2
    True
    """
    try:
        import resource
    except ImportError:  # a system without such limits
        return math.inf
    limit, highest = resource.getrlimit(resource.RLIMIT_NOFILE)
    unlimited = resource.RLIM_INFINITY
    if limit == unlimited:
        return math.inf
    if limit < wanted:
        raised = wanted if highest == unlimited else min(wanted, highest)
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (raised, highest))
        except (OSError, ValueError):  # some systems have another, lower limit
            return limit
        return raised
    return limit
