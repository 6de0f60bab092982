"""The same call in both eras: one run that waits, and three rounds. The call is that of `book` in docs/asking.md."""

from draw import GREY, Picture

CLIENT, SERVER = 44, 356


def lanes(p, top, bottom):
    """The two sides as boxes, with a line below each."""
    for x, name, kind in ((CLIENT, "client", "client"), (SERVER, "server", "server")):
        p.line((x, top + 24), (x, bottom))
        p.labelled(x - 34, top, 68, 24, kind, [name])


def message(p, y, direction, above, below=None):
    """An arrow between the two sides: "→" from the client, "←" from the server."""
    left, right = CLIENT + 1, SERVER - 7
    ends = ((left, y), (right, y)) if direction == "→" else ((right, y), (left, y))
    p.arrow(*ends)
    p.text((left + right) / 2, y - 5, above, 12.5, anchor="middle", room=right - left - 4)
    if below:
        p.text((left + right) / 2, y + 14, below, 12.5, anchor="middle", colour=GREY, room=right - left - 4)


def run(p, top, bottom, waits=False):
    """A time in which the handler runs, or waits."""
    p.box(SERVER - 7, top, 14, bottom - top, "plain" if waits else "server", dashed=waits, radius=2)


def picture():
    p = Picture(
        834,
        "One call with two questions, in both eras",
        """Up to 2025-11-25 the handler of book runs once. The client sends tools/call. The server sends elicitation/create with
        the question "Where to?", and the handler waits for the answer. It then runs the step "ticket", asks "How many
        nights in Ghent?" in the same way, and returns the result. In 2026-07-28 the handler runs three times. Round 1 ends with the
        result input_required, which has the first question and requestState. The client sends tools/call again, with
        inputResponses and requestState. Round 2 starts at the first line of the handler, gets the first answer at once, runs
        the step, and ends with the second question. Round 3 gets both answers and the result of the step, and returns the
        result.""",
    )
    p.text(16, 28, "Up to 2025-11-25: one run, which waits", 14, True)
    lanes(p, 42, 356)
    ys = [96, 138, 180, 240, 282, 332]
    message(p, ys[0], "→", "tools/call book")
    run(p, ys[0], ys[1])
    message(p, ys[1], "←", "elicitation/create", "“Where to?”")
    run(p, ys[1], ys[2], True)
    message(p, ys[2], "→", "result: “Ghent”")
    run(p, ys[2], ys[3])
    p.text(SERVER - 14, 206, "the step “ticket” runs", 12.5, anchor="end")
    message(p, ys[3], "←", "elicitation/create", "“How many nights in Ghent?”")
    run(p, ys[3], ys[4], True)
    message(p, ys[4], "→", "result: 2")
    run(p, ys[4], ys[5])
    message(p, ys[5], "←", "result of tools/call")
    p.text(SERVER + 13, 122, "runs", 12.5)
    p.text(SERVER + 13, 164, "waits", 12.5)
    p.text(SERVER + 13, 214, "runs", 12.5)
    p.text(SERVER + 13, 266, "waits", 12.5)
    p.text(SERVER + 13, 312, "runs", 12.5)

    p.line((16, 374), (424, 374), colour="#d0d7de")
    p.text(16, 404, "2026-07-28: three runs, the rounds", 14, True)
    lanes(p, 418, 774)
    ys = [472, 514, 576, 634, 696, 750]
    message(p, ys[0], "→", "tools/call book")
    run(p, ys[0], ys[1])
    message(p, ys[1], "←", "input_required, requestState", "“Where to?”")
    message(p, ys[2], "→", "tools/call book, requestState", "inputResponses: “Ghent”")
    run(p, ys[2], ys[3])
    p.text(SERVER - 14, 610, "the step “ticket” runs", 12.5, anchor="end")
    message(p, ys[3], "←", "input_required, requestState", "“How many nights in Ghent?”")
    message(p, ys[4], "→", "tools/call book, requestState", "inputResponses: 2")
    run(p, ys[4], ys[5])
    message(p, ys[5], "←", "result of tools/call")
    for n, y in enumerate((497, 609, 727)):
        p.text(SERVER + 13, y, f"round {n + 1}", 12.5)
    p.text(16, 796, "Each round begins at the first line of the handler.", 12.5)
    p.text(16, 814, "Any process with the same key can run it.", 12.5)
    return p
