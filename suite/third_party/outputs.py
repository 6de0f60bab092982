"""Checks that large results can be rebuilt to the byte, with the official Python client, PyPI `mcp` 2.3.0.

    python outputs.py <path to the plainwire binary>

The servers are those of the command, on stdio, once as they are and once with `--outputs`. In each era and each presentation, each
large answer is read again by pages and by lines, and compared with the answer of the first server. Prints one line per check and at
the end `N passed, M failed`. Exit code 1 if anything failed.
"""

import base64
import sys
import tempfile
from contextlib import AsyncExitStack

import anyio
from mcp import Client, StdioServerParameters, stdio_client
from mcp_types.version import LATEST_MODERN_VERSION

DEADLINE = 120
COUNTS = {True: 0, False: 0}

CALLS = {
    "patterns": [
        ("search_patterns", {"q": "graceful shutdown"}),
        ("get_pattern", {"id": "api-cors"}),
        ("list_skills", {}),
        ("get_skill", {"slug": "scheduling"}),
        ("list_analysis_rules", {}),
    ],
    "reference": [("calculate", {"expression": "1 + 2"})],
}


def check(name, is_so):
    COUNTS[bool(is_so)] += 1
    print(f"{'ok' if is_so else 'not ok'} {name}")


def part(it):
    return it["text"].encode() if it.get("text") is not None else base64.b64decode(it["base64"])


async def by_pages(client, uri):
    whole, offset = b"", 0
    while offset is not None:
        page = await client.call_tool("output_page", {"id": uri, "offset": offset, "length": 1000})
        whole += part(page.structured_content)
        offset = page.structured_content.get("nextOffset")
    return whole


async def by_lines(client, uri):
    whole, offset = b"", 0
    while offset is not None:
        found = (await client.call_tool("output_grep", {"id": uri, "pattern": "", "offset": offset, "limit": 20})).structured_content
        for line in found["matches"]:
            whole = whole.ljust(line["offset"], b"\n") + part(line)
        offset = found.get("nextOffset")
    return whole.ljust(found["totalBytes"], b"\n")


def texts(result):
    return [block.text for block in result.content if block.type == "text"]


def links(result):
    return [str(block.uri) for block in result.content if block.type == "resource_link" and str(block.uri).startswith("output://")]


async def of_server(binary, mode, name, profile, folder):
    command = ["serve", name] + (["--profile", profile] if profile else [])
    kept_command = command + ["--outputs", folder, "--outputs-threshold", "1024"]
    async with AsyncExitStack() as stack:
        connect = lambda args: stack.enter_async_context(Client(stdio_client(StdioServerParameters(command=binary, args=args)), mode=mode))
        whole, kept = await connect(command), await connect(kept_command)
        for tool, arguments in CALLS[name]:
            original, short = await whole.call_tool(tool, arguments), await kept.call_tool(tool, arguments)
            place = f"{mode} {name} {profile} {tool}"
            if not links(short):
                check(f"{place}: small, and as it was", texts(short) == texts(original))
                continue
            outputs = []
            for uri in links(short):
                outputs.append(await by_pages(kept, uri))
                check(f"{place}: lines and pages are the same", await by_lines(kept, uri) == outputs[-1])
            known = {it.decode() for it in outputs} | set(texts(short))
            check(f"{place}: each text is rebuilt", all(text in known for text in texts(original)))


async def main(binary):
    with anyio.fail_after(DEADLINE), tempfile.TemporaryDirectory() as folder:
        for mode in ["legacy", LATEST_MODERN_VERSION]:
            for name, profile in [("patterns", "gated"), ("patterns", "data"), ("reference", None)]:
                await of_server(binary, mode, name, profile, folder)
    print(f"{COUNTS[True]} passed, {COUNTS[False]} failed")
    return 1 if COUNTS[False] else 0


sys.exit(anyio.run(main, sys.argv[1]))
