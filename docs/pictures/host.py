"""A host with three servers: the merged list, and the way of one call by its name in the host."""

from draw import GREY, Picture

MEMBERS = [
    # x, name in the host, how it is reached, state of its list, its own tools, names in the host
    (16, "jira", "a command", "stdio", "Fresh", ["search"], ["jira__search"]),
    (156, "wiki", "a URL", "HTTP", "Fresh", ["search", "edit"], ["wiki__search", "wiki__edit"]),
    (296, "files", "a command", "stdio", "Missing", [], []),
]
TASK = 128


def picture():
    p = Picture(
        560,
        "A host with three servers",
        """A program uses one Host, which has a Client for each of three servers: jira and files are commands over stdio, wiki is
        a URL over HTTP. tools() returns one list with jira__search, wiki__search and wiki__edit. The lists of jira and wiki
        are Fresh. The list of files is Missing, because that server has not answered within its deadline of 5 seconds.
        next_change() reports changes of all lists. The program calls wiki__search. The host finds that the name belongs to
        wiki, and sends tools/call with the server's own name, search, to wiki alone.""",
    )
    p.labelled(16, 16, 408, 32, "plain", ["your program"])
    p.arrow((76, 122), (76, 48))
    p.text(84, 90, "tools()", 12.5)
    p.arrow((190, 48), (190, 122))
    p.number(190, 78, 1)
    p.text(204, 76, "call_tool", 12.5)
    p.text(204, 92, "wiki__search", 12.5)
    p.arrow((316, 122), (316, 48))
    p.text(324, 90, "next_change()", 12.5)

    p.box(8, 122, 424, 222, "client")
    p.text(20, 142, "Host", 14, True)
    p.text(424, 142, "one list for all servers", 12.5, anchor="end", colour=GREY)
    for x, name, how, transport, state, own, merged in MEMBERS:
        missing = state == "Missing"
        p.box(x, 152, TASK, 92, "paper", dashed=missing)
        middle = x + TASK / 2
        for n, entry in enumerate(merged):
            p.text(middle, 172 + 18 * n, entry, 12.5, anchor="middle", room=TASK - 4)
        if missing:
            p.text(middle, 172, "no answer", 12.5, anchor="middle", colour=GREY)
            p.text(middle, 190, "within 5 s", 12.5, anchor="middle", colour=GREY)
        p.text(middle, 232, state, 12.5, True, "middle")
        p.labelled(x, 288, TASK, 44, "plain", ["Client", f"prefix {name}__"])
        p.arrow((x + 24, 288), (x + 24, 244), dashed=missing)
        p.labelled(x, 410, TASK, 60, "server", [f"server {name}", how, f"over {transport}"], dashed=missing)
        p.arrow((x + 24, 410), (x + 24, 332), dashed=missing)
        if not missing:
            p.text(x + 32, 376, "tools/list", 12.5)
    # The call: from the list to the client of one server, and on to the server.
    p.arrow((264, 244), (264, 288))
    p.number(264, 265, 2)
    p.arrow((264, 332), (264, 410))
    p.number(264, 371, 3)
    steps = [
        "the program calls a tool by its name in the host",
        "the host finds the server in its lists: wiki",
        "tools/call with the server's own name: search",
    ]
    for n, step in enumerate(steps):
        p.number(26, 492 + 24 * n, n + 1)
        p.text(44, 496 + 24 * n, step, 12.5)
    return p
