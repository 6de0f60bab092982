"""The three ways to edit a document: which bytes of the source stay, and what is written anew. The document is
docs/samples/page.xml, and the edits are those of docs/rich-text.md."""

from draw import GREY, KINDS, Picture

SOURCE, MARKDOWN, RESULT = 16, 158, 300
WIDTH, HEIGHT, STEP = 124, 20, 23
BLOCKS = ["Release", "We ship on …", "Ask @… first.", "Goals", "Less is more."]
# The fill of the right end of a block in which only the edited words are new.
MARK = 10


def block(p, x, y, text, kind="plain", edited=False):
    """One block of a document: bytes of the source, Markdown, or text that is written anew."""
    p.box(x, y, WIDTH, HEIGHT, kind, radius=3)
    if edited:
        p.box(x + WIDTH - MARK, y, MARK, HEIGHT, "edit", radius=3)
    p.text(x + 6, y + 14.5, text, 12.5, room=WIDTH - MARK - 8)


def column(p, x, y, kind="plain", changed=None, edited=True):
    """All blocks of the document. `changed` replaces the text of one of them, by its number."""
    for n, text in enumerate(BLOCKS):
        now = (changed or {}).get(n, text)
        block(p, x, y + n * STEP, now, kind, edited=edited and now != text)


def across(p, y, start, end, **how):
    """An arrow from one column to another."""
    p.arrow((start + WIDTH + 2, y), (end - 2, y), **how)


def heads(p, y, title, keeps):
    """The title of a way, and what has to be kept for it."""
    p.text(16, y, title, 14, True)
    p.text(424, y, f"you keep: {keeps}", 12.5, anchor="end", colour=GREY)
    for x, name in ((SOURCE, "source"), (MARKDOWN, "Markdown"), (RESULT, "result")):
        p.text(x + WIDTH / 2, y + 22, name, 12.5, anchor="middle", colour=GREY)


def picture():
    p = Picture(
        684,
        "The three ways to edit a document",
        """The document has five blocks. 1, patch a section: you keep the source. Only the section Goals becomes Markdown, and you
        edit "Less is more" to "Less is enough". In the result, everything outside of the section is the source, byte for
        byte, and in the section only the edited word is new. 2, extended Markdown: you keep nothing. The whole document
        becomes Markdown, you edit "ship" to "sail", and all five blocks of the result are written anew. 3, a sidecar: you
        keep the sidecar, a file that contains the source. The whole document becomes Markdown, you edit one word, and in the
        result only this word is new. All other bytes come from the sidecar.""",
    )
    middle = HEIGHT / 2

    heads(p, 28, "1  Patch a section", "the source")
    top = 60
    p.box(SOURCE - 5, top + 3 * STEP - 4, WIDTH + 10, 2 * STEP + 5, "plain", dashed=True)
    p.text(SOURCE + WIDTH / 2, top + 5 * STEP + 15, "section Goals", 12.5, anchor="middle", colour=GREY)
    column(p, SOURCE, top)
    for n, text in ((3, "## Goals"), (4, "Less is enough.")):
        block(p, MARKDOWN, top + n * STEP, text, "client", edited=n == 4)
    column(p, RESULT, top, changed={4: "Less is enough."})
    across(p, top + STEP + middle, SOURCE, RESULT)
    p.text(MARKDOWN + WIDTH / 2, top + STEP + middle - 5, "copied", 12.5, anchor="middle", colour=GREY)
    across(p, top + 3.5 * STEP + middle, SOURCE + 5, MARKDOWN)
    across(p, top + 3.5 * STEP + middle, MARKDOWN, RESULT)

    heads(p, 226, "2  Extended Markdown", "nothing")
    top = 258
    now = {0: "# Release", 1: "We sail on …", 2: ":::panel …", 3: "## Goals"}
    column(p, SOURCE, top)
    for n, text in enumerate(BLOCKS):
        block(p, MARKDOWN, top + n * STEP, now.get(n, text), "client", edited=n == 1)
    column(p, RESULT, top, "store", {1: "We sail on …"}, edited=False)
    across(p, top + 2 * STEP + middle, SOURCE, MARKDOWN)
    across(p, top + 2 * STEP + middle, MARKDOWN, RESULT)

    heads(p, 408, "3  A sidecar", "the sidecar")
    top = 440
    column(p, SOURCE, top)
    for n, text in enumerate(BLOCKS):
        block(p, MARKDOWN, top + n * STEP, now.get(n, text), "client", edited=n == 1)
    column(p, RESULT, top, changed={1: "We sail on …"})
    across(p, top + 2 * STEP + middle, SOURCE, MARKDOWN)
    across(p, top + 2 * STEP + middle, MARKDOWN, RESULT)
    below = top + 5 * STEP
    p.labelled(MARKDOWN, below + 8, WIDTH, 24, "plain", ["the sidecar"], size=12.5)
    p.arrow((SOURCE + WIDTH / 2, below), (SOURCE + WIDTH / 2, below + 20), (MARKDOWN - 2, below + 20))
    p.arrow((MARKDOWN + WIDTH + 2, below + 20), (RESULT + WIDTH / 2, below + 20), (RESULT + WIDTH / 2, below))

    y = 616
    p.line((16, y - 8), (424, y - 8), colour=KINDS["paper"][1])
    for n, (kind, text) in enumerate(
        (("plain", "bytes of the source"), ("edit", "the edited words"), ("store", "all bytes written anew"))
    ):
        p.box(16, y + 2 + n * 20, 28, 14, kind, radius=3)
        p.text(52, y + 13 + n * 20, text, 12.5)
    return p
