"""Draws the pictures of the documentation: NAME.svg from NAME.py in this folder.

    python3 docs/pictures/draw.py            writes every picture
    python3 docs/pictures/draw.py --check    writes nothing; exit code 1 if a picture is not what its source draws

Pictures that tests draw are not drawn here: terminal-*.svg come from what the command prints (suite/tests/cli/pictures.rs), and
inventory-*.svg from the states and charts of the server (suite/tests/inventory/pictures.rs).

A source makes a `Picture` and adds to it in the order of painting. It draws only shapes and text. The library checks what
an eye may miss: a text that is wider than its place, two texts that overlap, and anything outside of the picture.

A picture is 440 units wide, and one unit is one pixel of a wide screen: on a phone of 390 pixels it shrinks to about 360,
where text of 13 units is still readable. It has a light background of its own, because a page shows it as an image, which
knows nothing of the theme of the page. Colours only repeat what shapes and words say.
"""

import importlib
import pathlib
import sys
from xml.sax.saxutils import escape

HERE = pathlib.Path(__file__).resolve().parent
DRAWN_BY_TESTS = ("terminal-", "inventory-")
WIDTH = 440
INK, GREY = "#1f2328", "#57606a"
# Fill and line of each kind of box.
KINDS = {
    "paper": ("#ffffff", "#d0d7de"),
    "plain": ("#f6f8fa", "#6e7781"),
    "client": ("#ddf4ff", "#0969da"),
    "server": ("#dafbe1", "#1a7f37"),
    "store": ("#fff3c4", "#9a6700"),
    "edit": ("#ffd8b5", "#bc4c00"),
}
# Widths of characters of DejaVu Sans, in hundredths of the size of the font. It is wider than other fonts that a
# browser takes for `sans-serif`, so a text that fits here fits everywhere.
WIDTHS = {
    **dict.fromkeys("ijl'|", 32),
    **dict.fromkeys(" .,:;!", 36),
    **dict.fromkeys("frt()[]-/`\"", 43),
    **dict.fromkeys("mwMW…→←≤", 98),
    **dict.fromkeys("ABCDEFGHKLNOPQRSTUVXYZ", 72),
}
OTHER = 62


def width_of(text, size, bold=False):
    """Returns the width of `text`, or a little more."""
    return sum(WIDTHS.get(it, OTHER) for it in text) * size / 100 * (1.1 if bold else 1)


class Picture:
    """One picture. `title` and `desc` are what a screen reader says; `desc` tells all that the picture shows."""

    def __init__(self, height, title, desc):
        self.height, self.title, self.desc = height, title, desc
        self.parts, self.texts = [], []

    def box(self, x, y, width, height, kind, dashed=False, radius=5):
        """A rectangle. `dashed` is a group, or a time of waiting."""
        self._within(x, y, x + width, y + height)
        fill, line = KINDS[kind]
        dash = ' stroke-dasharray="4 3"' if dashed else ""
        self.parts.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{radius}" fill="{fill}" '
            f'stroke="{line}"{dash}/>'
        )

    def text(self, x, y, text, size=13, bold=False, anchor="start", colour=INK, room=None):
        """One line of text with its baseline at `y`. `room` is the width that it may have."""
        width = width_of(text, size, bold)
        left = {"start": x, "middle": x - width / 2, "end": x - width}[anchor]
        if room is not None and width > room:
            raise ValueError(f"{text!r} has {room} units, and needs {width:.0f}")
        self._within(left, y - size, left + width, y + size / 4)
        place = (left, y - size * 0.75, left + width, y + size * 0.2)
        for other, words in self.texts:
            if place[0] < other[2] and other[0] < place[2] and place[1] < other[3] and other[1] < place[3]:
                raise ValueError(f"{text!r} overlaps {words!r}")
        self.texts.append((place, text))
        weight = ' font-weight="bold"' if bold else ""
        at = "" if anchor == "start" else f' text-anchor="{anchor}"'
        self.parts.append(
            f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" fill="{colour}"{weight}{at}>{escape(text)}</text>'
        )

    def labelled(self, x, y, width, height, kind, lines, dashed=False, size=13):
        """A box with centred lines of text. The first one is bold, if there are several."""
        self.box(x, y, width, height, kind, dashed)
        step = size + 4
        first = y + height / 2 - (len(lines) - 1) * step / 2 + size * 0.36
        for n, line in enumerate(lines):
            bold = n == 0 and len(lines) > 1
            self.text(x + width / 2, first + n * step, line, size, bold, "middle", room=width - 6)

    def line(self, *points, dashed=False, colour=GREY):
        """A line through `points` without a head."""
        self._path(points, dashed, colour, "")

    def arrow(self, *points, dashed=False, colour=INK, both=False):
        """An arrow through `points`. `both`: with a head at each end."""
        self._path(points, dashed, colour, ' marker-end="url(#head)"' + (' marker-start="url(#tail)"' if both else ""))

    def number(self, x, y, number):
        """A number in a circle, on an arrow or before a sentence."""
        self._within(x - 9, y - 9, x + 9, y + 9)
        self.parts.append(f'<circle cx="{x:g}" cy="{y:g}" r="9" fill="{INK}"/>')
        self.text(x, y + 4.2, str(number), 12, True, "middle", "#ffffff")

    def svg(self):
        """Returns the picture as text."""
        body = "\n".join(f"  {part}" for part in self.parts)
        fill, line = KINDS["paper"]
        head = '<path d="M0 0 10 5 0 10z" fill="#1f2328"/></marker>'
        return f"""<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{self.height}" \
viewBox="0 0 {WIDTH} {self.height}" font-family="sans-serif" role="img" aria-labelledby="title desc">
  <title id="title">{escape(self.title)}</title>
  <desc id="desc">{escape(" ".join(self.desc.split()))}</desc>
  <defs>
    <marker id="head" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto">{head}
    <marker id="tail" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" \
orient="auto-start-reverse">{head}
  </defs>
  <rect x="0.5" y="0.5" width="{WIDTH - 1}" height="{self.height - 1}" rx="8" fill="{fill}" stroke="{line}"/>
{body}
</svg>
"""

    def _path(self, points, dashed, colour, markers):
        for x, y in points:
            self._within(x, y, x, y)
        path = " ".join(f"{x:g} {y:g}" for x, y in points)
        dash = ' stroke-dasharray="4 3"' if dashed else ""
        self.parts.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="1.3"{dash}{markers}/>')

    def _within(self, left, top, right, bottom):
        if left < 4 or top < 4 or right > WIDTH - 4 or bottom > self.height - 4:
            raise ValueError(f"({left:.0f}, {top:.0f}) to ({right:.0f}, {bottom:.0f}) is outside of the picture")


def main():
    """Draws or checks every picture of this folder."""
    check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not check:
        sys.exit(__doc__)
    sys.path.insert(0, str(HERE))
    sys.dont_write_bytecode = True
    names = sorted(path.stem for path in HERE.glob("*.py") if path.stem != "draw")
    old = []
    for name in names:
        drawn, path = importlib.import_module(name).picture().svg(), HERE / f"{name}.svg"
        if check and (not path.exists() or path.read_text(encoding="utf-8") != drawn):
            old.append(path.name)
        elif not check:
            path.write_text(drawn, encoding="utf-8")
    drawn_here = (path for path in HERE.glob("*.svg") if not path.stem.startswith(DRAWN_BY_TESTS))
    stray = sorted(path.name for path in drawn_here if path.stem not in names)
    if old or stray:
        sys.exit(f"pictures that their sources do not draw: {', '.join(old + stray)}; run docs/pictures/draw.py")
    print(f"{len(names)} pictures {'are as their sources draw them' if check else 'drawn'}: {', '.join(names)}")


if __name__ == "__main__":
    main()
