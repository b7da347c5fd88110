"""The tables and the figure of the paper on restarts, from what benchmarks/restarts.py measured.

Writes restarts/*.tex beside this file, which restarts.tex reads; ./build runs this program first.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))

import restarts_tables as measured

FOLDER = Path(__file__).parent / "restarts"


def typewriter(name: str) -> str:
    return rf"\texttt{{{name}}}"


def table(aligned: str, rows: Iterable[Sequence[str]]) -> str:
    """A tabular; the first row is its head. An empty row is a rule."""
    head, *rest = [" & ".join(cells) + r"\\" if cells else r"\midrule" for cells in rows]
    return "\n".join(
        [rf"\begin{{tabular}}{{{aligned}}}\toprule", head, r"\midrule", *rest, r"\bottomrule\end{tabular}"]
    )


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    halves, runs = measured.ends()
    rows: list[list[str]] = [["", *(rf"\rotatebox{{90}}{{{typewriter(name)}}}" for name in measured.COLUMNS)]]
    for number, (half, games) in enumerate(halves.items()):
        rows += [[], [rf"\emph{{{half}}}"]] if number else [[rf"\emph{{{half}}}"]]
        for game in games:
            found = [runs.get((game, method)) for method in measured.COLUMNS]
            best = min(measured.end(each) for each in found if each)
            rows.append([game, *(_gains(measured.end(each), best) if each else "" for each in found)])
    write_part("games", table(f"@{{}}l{'r' * len(measured.COLUMNS)}@{{}}", rows))
    titles = [title.replace("at most 1e-6", r"$\le10^{-6}$") for title in measured.method_titles(halves)]
    by_method = [[typewriter(name), *cells] for name, *cells in measured.by_method(halves, runs)]
    write_part("methods", table(f"@{{}}l{'r' * len(titles)}@{{}}", [["method", *titles], *by_method]))
    others = (*measured.VARIED[1:], *measured.PROGRAMS)
    names = (typewriter("rdcfr"), "lower quartile", "upper quartile", "worst", *map(typewriter, others))
    rows = [["", *(rf"\rotatebox{{90}}{{{name}}}" for name in names)]]
    for game, (ours, *theirs) in measured.perturbed(halves, runs, ("rdcfr", *others)):
        low, median, high = ours.quartiles
        rules = (ours, *theirs[: -len(measured.PROGRAMS)])
        best = min(each.quartiles[1] for each in rules if each)
        cells = [_gains(median, best, 0), *(f"{each:.0e}" for each in (low, high, ours.worst))]
        rows.append([game, *cells, *(_gains(each.quartiles[1], best, 0) if each else "" for each in theirs)])
    write_part("perturbed", table(f"@{{}}l{'r' * len(names)}@{{}}", rows))
    titles = [title.replace("at most 1e-6", r"$\le10^{-6}$") for title in measured.VARIED_TITLES]
    by_rule = [[typewriter(name), *cells] for name, *cells in measured.by_rule(halves, runs)]
    write_part("rules", table(f"@{{}}l{'r' * len(titles)}@{{}}", [["rule", *titles], *by_rule]))
    write_part("curves", curves())


def write_part(name: str, text: str) -> None:
    (FOLDER / f"{name}.tex").write_text(text + "%\n", "ascii")


def _gains(gains: float, best: float, digits: int = 1) -> str:
    return rf"\textbf{{{gains:.{digits}e}}}" if gains <= 2.0 * best else f"{gains:.{digits}e}"


COLOURS = ("red!80!black", "blue!75!black", "gray", "orange!80!black", "teal", "violet")
"""Of DRAWN."""
DRAWN = ("rdcfr", "restarted(epoch=200)", "cfr+", "dcfr", "pcfr+", "pdcfr+")


def curves() -> str:
    """TikZ pictures: iterations from 10 to 10,000 to the right, NashConv from 1e-16 to 1 up, both logarithmic."""
    found, lines = measured.curves(), list[str]()
    for game in (name for name in measured.PICTURED if (name, "rdcfr") in found):
        lines += [
            r"\begin{tikzpicture}[x=19mm,y=3.2mm,font=\tiny]",
            rf"\node[font=\footnotesize] at (2.5,1.2) {{{game}}};",
        ]
        lines += [r"\draw (1,-16) rectangle (4,0);"]
        lines += [rf"\draw ({x},-16) node[below] {{$10^{x}$}} -- ({x},-15.7);" for x in (1, 2, 3, 4)]
        lines += [rf"\draw (1,{y}) node[left] {{$10^{{{y}}}$}} -- (1.05,{y});" for y in (-16, -12, -8, -4, 0)]
        for method, colour in zip(DRAWN, COLOURS, strict=True):
            at = found.get((game, method), [])
            points = [(math.log10(each.iteration), math.log10(max(each.nash_conv, measured.ZERO))) for each in at]
            width = "very thick" if method in measured.OURS else "semithick"
            if points:
                path = " -- ".join(f"({x:.2f},{min(y, 0.0):.2f})" for x, y in points)
                lines.append(rf"\draw[{colour},{width}] {path};")
        lines.append(r"\end{tikzpicture}\hfill")
    legend = (
        rf"\textcolor{{{colour}}}{{\rule[0.5ex]{{5mm}}{{1pt}}}}~{typewriter(name)}"
        for name, colour in zip(DRAWN, COLOURS, strict=True)
    )
    return "\n".join([*lines, r"\par\footnotesize " + r"\quad ".join(legend)])


if __name__ == "__main__":
    main()
