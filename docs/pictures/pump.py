"""The message pump: one loop between the stream of a client and the calls of a server."""

from draw import GREY, Picture

IN, OUT, WIDTH = 24, 228, 188
LEFT, RIGHT = IN + WIDTH / 2, OUT + WIDTH / 2


def picture():
    p = Picture(
        556,
        "The message pump of a server",
        """One connection is one task with one loop, Pump::poll. On the way in, poll_read reads stdin into lines of at most 16 MiB,
        Peer::handle_frame takes each line and keeps at most 4,096 requests in flight, and for an event that is a request the
        handler is polled for the first time. A handler that is ready is answered at once with respond. A handler that is
        pending becomes a task of its own. Its signals, such as Progress, Log, Ask and Done, wait in a queue. In each turn the
        loop takes at most 64 of them with poll_signal, and at most 64 changes of lists and resources with poll_change. On
        the way out, the frames of the peer go to out with poll_transmit, and poll_write writes them to stdout, at most 128
        KiB at a time. While more than 1 MiB is unsent in out, no frame is handled.""",
    )
    p.labelled(IN, 14, WIDTH, 28, "client", ["stdin"])
    p.labelled(OUT, 14, WIDTH, 28, "client", ["stdout"])
    p.box(12, 62, 416, 378, "plain", dashed=True)
    p.text(220, 82, "one connection,", 12.5, anchor="middle", colour=GREY)
    p.text(220, 98, "one task, one loop", 12.5, anchor="middle", colour=GREY)

    p.labelled(IN, 110, WIDTH, 66, "paper", ["Wire: poll_read", "lines", "of at most 16 MiB"])
    p.labelled(OUT, 110, WIDTH, 66, "paper", ["Wire: poll_write", "out: above 1 MiB, no", "frame is handled"])
    p.arrow((LEFT, 42), (LEFT, 110))
    p.arrow((RIGHT, 110), (RIGHT, 42))

    p.box(IN, 214, 392, 70, "server")
    p.text(220, 233, "Peer (crate proto)", 13, True, "middle")
    p.text(LEFT, 255, "handle_frame", 12.5, anchor="middle")
    p.text(LEFT, 273, "≤ 4,096 in flight", 12.5, anchor="middle", colour=GREY)
    p.text(RIGHT, 255, "poll_transmit", 12.5, anchor="middle")
    for x, tip, tail in ((LEFT, 214, 176), (RIGHT, 176, 214)):
        p.arrow((x, tail), (x, tip))
        p.text(x + 8, 199, "frame", 12.5)

    p.box(IN, 322, 392, 106, "store")
    p.text(34, 341, "Calls", 13, True)
    p.labelled(34, 358, 134, 58, "paper", ["first poll", "of the handler"])
    p.arrow((LEFT, 284), (LEFT, 358))
    p.text(LEFT + 8, 307, "Event", 12.5)
    p.arrow((168, 387), (222, 387), (222, 284))
    p.text(174, 381, "ready", 12.5)
    p.text(230, 307, "respond", 12.5)
    p.box(234, 358, 172, 58, "paper")
    p.text(278, 382, "poll_signal", 12.5, anchor="middle")
    p.text(362, 382, "poll_change", 12.5, anchor="middle")
    p.text(320, 402, "each ≤ 64 in a turn", 12.5, anchor="middle", colour=GREY)
    p.arrow((RIGHT, 358), (RIGHT, 284))
    p.text(RIGHT + 8, 307, "message", 12.5)

    p.labelled(16, 480, 112, 62, "plain", ["task", "of the call"])
    p.labelled(152, 480, 152, 62, "plain", ["queue of signals", "Progress, Log,", "Ask, Done, …"])
    p.labelled(316, 480, 112, 62, "plain", ["changes", "of lists and", "resources"])
    p.arrow((72, 416), (72, 480))
    p.text(80, 460, "pending", 12.5)
    p.arrow((128, 511), (152, 511))
    p.arrow((278, 480), (278, 416))
    p.arrow((362, 480), (362, 416))
    return p
