"""Two replicas of one server behind a proxy, with one store: the way of a call whose connection breaks."""

from draw import GREY, Picture

STEPS = [
    ["POST with tools/call: replica A runs the call"],
    ["append: its messages become events of a stream"],
    ["after a break: GET with Last-Event-ID"],
    ["tail: replica B reads the events that follow"],
    ["POST with an answer, or with a cancellation"],
    ["publish: the message reaches replica A,", "which has subscribed to the channel"],
]


def picture():
    p = Picture(
        688,
        "Two replicas with one store",
        """A client of 2026-07-28 and a client with a session send their requests through a proxy to either of two replicas of
        one server. Both replicas have the same sealing keys and the same store. The store has the records of sessions, the
        events of their streams, and a channel. 1: the client with a session sends tools/call by POST, and replica A runs the
        call. 2: replica A appends the messages of the call to the store as events of a stream. 3: the connection breaks, and
        the client sends GET with Last-Event-ID, which reaches replica B. 4: replica B reads the events that follow with a
        tail, and sends them. 5: the client sends an answer or a cancellation by POST, which reaches replica B. 6: replica B
        publishes it in the channel, and replica A gets it.""",
    )
    p.labelled(16, 16, 192, 44, "client", ["client of 2026-07-28", "without a session"])
    p.labelled(232, 16, 192, 44, "client", ["client up to 2025-11-25", "with a session"])
    p.labelled(16, 104, 408, 30, "plain", ["proxy, such as nginx"])
    p.arrow((112, 60), (112, 104))
    p.arrow((258, 60), (258, 104))
    p.arrow((328, 60), (328, 104))
    p.arrow((398, 60), (398, 104))

    p.labelled(16, 190, 184, 62, "server", ["replica A", "runs the call"])
    p.labelled(240, 190, 184, 62, "server", ["replica B", "reads the stream"])
    # The proxy routes each request, so the arrows below it go straight down.
    p.arrow((60, 134), (60, 190))
    p.arrow((140, 134), (140, 190))
    p.arrow((270, 134), (270, 190), dashed=True)
    p.arrow((328, 134), (328, 190))
    p.arrow((398, 134), (398, 190))
    for x, number in ((258, 1), (328, 3), (398, 5)):
        p.number(x, 81, number)
    for x, number in ((140, 1), (328, 3), (398, 5)):
        p.number(x, 161, number)

    p.box(16, 308, 408, 144, "store")
    p.text(70, 328, "store", 13, True)
    p.labelled(70, 338, 96, 46, "paper", ["sessions", "records"])
    p.labelled(178, 338, 192, 46, "paper", ["streams", "events"])
    p.labelled(28, 396, 384, 46, "paper", ["channel", "messages between replicas"])
    p.arrow((188, 252), (188, 338))
    p.number(188, 280, 2)
    p.arrow((256, 338), (256, 252))
    p.number(256, 280, 4)
    p.arrow((398, 252), (398, 396))
    p.number(398, 280, 6)
    p.arrow((42, 396), (42, 252))
    p.number(42, 280, 6)

    y = 478
    for n, lines in enumerate(STEPS):
        p.number(26, y, n + 1)
        for line in lines:
            p.text(44, y + 4, line, 12.5)
            y += 18
        y += 6
    p.line((16, y - 2), (424, y - 2), colour="#d0d7de")
    p.text(16, y + 18, "2026-07-28: each request may go to any replica (dashed).", 12.5, colour=GREY)
    p.text(16, y + 36, "All have the keys with which requestState is sealed.", 12.5, colour=GREY)
    return p
