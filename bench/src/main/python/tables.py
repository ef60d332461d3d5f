"""The table of a run: a line for each side, relative to the row's first side."""

import statistics

from processes import Side
from rows import Row


def table(measured: list[tuple[Row, list[Side]]], summary: list[list[str]]) -> str:
    header = ["", "side", "first second", "warm", "MB/s", "ratio", "at least", ""]
    lines = [header]
    for row, sides in measured:
        base = sides[0]
        for side in sides:
            lines += [cells(row, base, side)]
            if row.iteration:
                lines += [first_element_cells(row, base, side)]
    lines += summary
    widths = [max(len(line[i]) for line in lines) for i in range(len(header))]
    return "\n".join("  ".join(align(line, widths)).rstrip() for line in lines)


def align(line: list[str], widths: list[int]) -> list[str]:
    """Aligns names left and figures right."""
    return [c.ljust(w) if i < 2 else c.rjust(w) for i, (c, w) in enumerate(zip(line, widths))]


def cells(row: Row, base: Side, side: Side) -> list[str]:
    if side.figures is not None:
        return [row.name, side.name, *side.figures]
    if row.timed:
        whole, base_whole = statistics.median(side.wholes), statistics.median(base.wholes)
        figures = [milliseconds(side.first_second), milliseconds(whole), ""]
        ratio = base_whole / whole
    else:
        rate = statistics.median(side.rates)
        figures = [f"{side.first_second:,.0f}/s", f"{rate:,.0f}/s", f"{rate * row.size / 1e6:,.1f}"]
        ratio = rate / statistics.median(base.rates)
    return [row.name, side.name, *figures, *verdict(ratio, row.targets.get(side.name))]


def first_element_cells(row: Row, base: Side, side: Side) -> list[str]:
    first = statistics.median(side.firsts)
    ratio = statistics.median(base.firsts) / first
    return ["its first element", side.name, "", milliseconds(first), "", *verdict(ratio, None)]


def verdict(ratio: float, target: float | None) -> list[str]:
    shown = f"{ratio:,.2f} x" if ratio < 10 else f"{ratio:,.0f} x"
    if target is None:
        return [shown, "", ""]
    return [shown, f"{target:,g} x", "reached" if ratio >= target else "MISSED"]


def milliseconds(seconds: float) -> str:
    return f"{seconds * 1e3:,.1f} ms"


def verdict_at_most(figure: float, limit: float | None) -> list[str]:
    """The verdict on a figure to be minimized, which has no ratio where stock's is 0."""
    if limit is None:
        return ["", "", ""]
    return ["", f"<= {limit:g}", "reached" if figure <= limit else "MISSED"]
