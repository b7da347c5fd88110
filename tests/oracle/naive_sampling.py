"""The draws of sampling, with Python's integers."""

MASK = 2**64 - 1


def mixed(bits: int) -> int:
    """SplitMix64's finaliser with Python's integers."""
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB & MASK
    return bits ^ (bits >> 31)


def draw(key: int, number: int) -> float:
    """The draw of that number, a float in 0 to 1, of those that belong to the key."""
    return (mixed((key + (number + 1) * 0x9E3779B97F4A7C15) & MASK) >> 11) * 2.0**-53
