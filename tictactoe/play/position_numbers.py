"""The numbers of a position as text, with as many digits as are wanted."""

from __future__ import annotations

from ..number_text import decimal_text, signed_text


class Numbers:
    """Numbers as text. precision: digits of values and probabilities; percentages have two fewer, shares four fewer."""

    def __init__(self, precision: int) -> None:
        self._precision = precision

    def probability(self, number: float) -> str:
        return f"{number:.{self._precision}f}"

    def value(self, number: float) -> str:
        return signed_text(number, self._precision)

    def points(self, number: float) -> str:
        return signed_text(number, max(self._precision - 1, 0))

    def percent(self, number: float) -> str:
        return f"{number:z.{max(self._precision - 2, 0)}f} %"

    def share(self, probability: float) -> str:
        """A probability in percent, with digits after the point from a precision of 5 on. A small positive probability
        is never shown as 0 %, but as less than the smallest number that can be shown."""
        digits = max(self._precision - 4, 0)
        if 1e-12 < probability < 0.5 * 10 ** -(digits + 2):
            return f"<{10.0**-digits:.{digits}f}%"
        return f"{100.0 * probability:.{digits}f}%"

    def cost(self, number: float, digits_less: int) -> str:
        """A cost; only a best move has 0. digits_less: how many digits fewer than the precision, 2 for percentages."""
        digits = max(self._precision - digits_less, 0)
        if number < 1e-9:  # rounding
            return "0"
        if number < 0.5 * 10**-digits:
            return f"<{10.0**-digits:.{digits}f}".replace("<0.", "<.")
        return decimal_text(number, digits)

    def small(self, number: float) -> str:
        """A number with `precision` significant digits; a rounding error is 0."""
        return "0" if abs(number) < 1e-14 else f"{number:.{self._precision}g}"
