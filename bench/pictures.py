"""Pictures of the figures: plain SVG, readable on light and on dark ground.

    python3 bench/pictures.py FIGURES FOLDER

reads the JSON files that run.py wrote into FIGURES and writes
FOLDER/performance-*.svg: for docs, python3 bench/pictures.py build/bench docs."""

import json
import math
import os
import sys
from xml.sax.saxutils import escape

import measure

WIDTH = 760
LEFT = 190            # names of bars end here
RIGHT = 110           # room for values
BAR, GAP = 18, 8
STYLE = """
text { font: 13px system-ui, sans-serif; fill: #1f2328; }
.title { font-weight: 600; font-size: 15px; }
.small { font-size: 11px; fill: #59636e; }
.us { fill: #0969da; } .other { fill: #8c959f; }
.limit { fill: none; stroke: #8c959f; stroke-dasharray: 4 3; }
.range, .axis { stroke: #1f2328; stroke-width: 1; fill: none; }
.grid { stroke: #d1d9e0; stroke-width: 1; }
.first { stroke: #0969da; } .second { stroke: #bc4c00; }
.first, .second { stroke-width: 2; fill: none; }
.dot-first { fill: #0969da; } .dot-second { fill: #bc4c00; }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc; } .small { fill: #9198a1; }
  .us { fill: #4493f8; } .other { fill: #656c76; }
  .limit { stroke: #9198a1; } .range, .axis { stroke: #f0f6fc; }
  .grid { stroke: #3d444d; }
  .first { stroke: #4493f8; } .second { stroke: #f0883e; }
  .dot-first { fill: #4493f8; } .dot-second { fill: #f0883e; }
}
"""


def text(x, y, words, kind="", anchor="start"):
    return (f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}" '
            f'text-anchor="{anchor}">{escape(words)}</text>')


def line(x1, y1, x2, y2, kind):
    return (f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
            f'class="{kind}"/>')


def rectangle(x, y, width, height, kind):
    return (f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(width, 1):.1f}" '
            f'height="{height}" class="{kind}"/>')


def write(path, height, title, parts):
    with open(path, "w", encoding="utf-8") as file:
        file.write(f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" '
                   f'height="{height:.0f}" viewBox="0 0 {WIDTH} {height:.0f}" '
                   f'role="img">\n<title>{escape(title)}</title>\n'
                   f"<style>{STYLE}</style>\n" + "\n".join(parts) +
                   "\n</svg>\n")
    return path


# Bars: one group for each site or kind of crawl

def kind_of(name):
    if name.startswith("crawler"):
        return "us"
    return "limit" if name in ("bare libcurl", "wrk") else "other"


def group(y, heading, runs, scale):
    """The bars of one group below y: its parts, and where it ends."""
    parts = [text(0, y + 14, heading, "title")]
    y += 24
    for name, of in runs.items():
        rates = [run["pages_per_cpu_s"] for run in of]
        value, high = measure.median(rates), max(rates)
        middle = y + BAR / 2
        parts += [text(LEFT - 8, y + 14, name, anchor="end"),
                  rectangle(LEFT, y, value * scale, BAR, kind_of(name))]
        if len(rates) > 1:
            parts.append(line(LEFT + min(rates) * scale, middle,
                              LEFT + high * scale, middle, "range"))
        parts.append(text(LEFT + max(value, high) * scale + 8, y + 14,
                          f"{value:,.0f}"))
        y += BAR + GAP
    return parts, y + 14


def bars(path, title, groups):
    """Pages per CPU second; each group has a scale of its own."""
    parts, y = [], 6
    for heading, runs in groups:
        most = max(run["pages_per_cpu_s"] for of in runs.values() for run in of)
        more, y = group(y, heading, runs, (WIDTH - LEFT - RIGHT) / most)
        parts += more
    parts.append(text(0, y + 4, "Pages per second of CPU time, median; the thin "
                      "line is the range of the runs. Dashed: the limit, nothing "
                      "scanned or saved.", "small"))
    return write(path, y + 14, title, parts)


# Lines: cost by size

def curve(points, place, number):
    kind = ("first", "second")[number]
    told = " ".join(f"{x:.1f},{y:.1f}" for x, y in map(place, points))
    return [f'<polyline points="{told}" class="{kind}"/>'] + [
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" class="dot-{kind}"/>'
        for x, y in map(place, points)]


def round_up(value):
    step = 10 ** math.floor(math.log10(value)) / 2
    return math.ceil(value / step) * step


def lines(path, title, names, curves):
    """Curves over 10^5, 10^6 ...: (x, y) each, at most two of them."""
    left, top, width, height = 60, 40, WIDTH - 220, 220
    exponents = sorted({round(math.log10(x)) for c in curves for x, _ in c})
    most = round_up(max(y for c in curves for _, y in c))
    low, span = exponents[0], max(exponents[-1] - exponents[0], 1)

    def place(point):
        return (left + (math.log10(point[0]) - low) / span * width,
                top + height * (1 - point[1] / most))

    parts = [text(0, 16, title, "title")]
    for i in range(5):
        y = top + height * i / 4
        parts += [line(left, y, left + width, y, "grid"),
                  text(left - 8, y + 4, f"{most * (4 - i) / 4:,.0f}", "small",
                       "end")]
    for exponent in exponents:
        x = left + (exponent - low) / span * width
        parts.append(text(x, top + height + 18,
                          f"{10 ** exponent:,}", "small", "middle"))
    for number, (name, points) in enumerate(zip(names, curves)):
        x, y = place(points[-1])
        parts += curve(points, place, number)
        parts += [text(px, py - 9, f"{value:,.0f}", "small", "middle")
                  for (px, py), (_, value) in
                  zip(map(place, points[:-1]), points[:-1])]
        parts.append(text(x + 10, y + 4, f"{name}: {points[-1][1]:,.0f}"))
    parts.append(text(left + width / 2, top + height + 36, "URLs found", "small",
                      "middle"))
    return write(path, top + height + 46, title, parts)


# The pictures

def crawl(figures, folder):
    groups = [(f"{name}: {of['bare libcurl'][0]['pages']:,} pages, http",
               {who: runs for who, runs in of.items() if who != "wrk"})
              for name, of in figures["sites"].items()]
    return bars(folder + "/performance-crawl.svg", "Whole crawls over http",
                groups)


def https(figures, folder):
    kinds = {"site": "https, one site: cppreference, 16 fetches at a time",
             "hosts": f"https, {figures['hosts_count']:,} hosts, 6 pages of "
                      "19 KB each"}
    groups = [(kinds[part], {name: runs for name, runs in figures[part].items()
                             if name != "openssl s_time"})
              for part in ("site", "hosts")]
    return bars(folder + "/performance-https.svg",
                "https with the system's trust store", groups)


def frontier(figures, folder):
    orders = ["bfs", "priority"]
    curves = [[(row["urls"], row["ns"]) for row in figures
               if row["order"] == order] for order in orders]
    return lines(folder + "/performance-frontier.svg",
                 "Nanoseconds of CPU time a candidate (a link that is judged, "
                 "queued, taken)", orders, curves)


PICTURES = {"crawl": crawl, "https": https, "frontier": frontier}


def draw(source, folder):
    """All pictures that there are figures for."""
    drawn = []
    for part, picture in PICTURES.items():
        path = os.path.join(source, part + ".json")
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                figures = json.load(file)["figures"]
            if figures:
                drawn.append(picture(figures, folder))
    return drawn


if __name__ == "__main__":
    for name in draw(*sys.argv[1:]):
        print(name)
