"""Checks that large results can be rebuilt to the byte, with the official Python client, PyPI `mcp` 2.3.0.

    python outputs.py <path to the plainwire binary>

The servers are those of the command, once as they are and once with `--outputs`, over stdio, Streamable HTTP and HTTP+SSE. In each
era and each presentation, each large answer is read again by pages and by lines, and compared with the answer of the first server. Prints one line per check and at
the end `N passed, M failed`. Exit code 1 if anything failed.
"""

import base64
import json
import re
import subprocess
import sys
import tempfile
from contextlib import AsyncExitStack, contextmanager

import anyio
from mcp import Client, StdioServerParameters, stdio_client
from mcp.client.sse import sse_client
from mcp_types.version import LATEST_MODERN_VERSION

DEADLINE = 300
COUNTS = {True: 0, False: 0}

CALLS = {
    "patterns": [
        ("search_patterns", {"q": "graceful shutdown"}),
        ("get_pattern", {"id": "api-cors"}),
        ("list_skills", {}),
        ("get_skill", {"slug": "scheduling"}),
        ("list_analysis_rules", {}),
    ],
    "learning": [
        ("search_resources", {"query": "rust"}),
        ("discover_resources", {"query": "recommend a book on consensus", "explain": True}),
        ("list_categories", {}),
        ("export_results", {"query": "*", "format": "json"}),
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


def blocks(output):
    try:
        value = json.loads(output)
    except ValueError:
        return []
    return [it for it in value if isinstance(it, dict) and it.get("type") == "text"] if isinstance(value, list) else []


def texts(result):
    return [block.text for block in result.content if block.type == "text"]


def links(result):
    return [str(block.uri) for block in result.content if block.type == "resource_link" and str(block.uri).startswith("output://")]


@contextmanager
def serving(command):
    server = subprocess.Popen([*command, "--http", "127.0.0.1:0", "--sse"], stderr=subprocess.PIPE, text=True)
    try:
        yield re.search(r"http://\S+/mcp", server.stderr.readline()).group(0)
    finally:
        server.kill()
        server.wait()


async def connect(stack, command, transport, mode):
    if transport == "stdio":
        target = stdio_client(StdioServerParameters(command=command[0], args=command[1:]))
    else:
        url = stack.enter_context(serving(command))
        target = url if transport == "http" else sse_client(url.removesuffix("/mcp") + "/sse")
    return await stack.enter_async_context(Client(target, mode=mode))


async def of_server(binary, transport, mode, name, profile, folder):
    command = [binary, "serve", name] + (["--profile", profile] if profile else [])
    command += ["--data", f"{folder}/vault.db"] if name == "learning" else []
    async with AsyncExitStack() as stack:
        whole = await connect(stack, command, transport, mode)
        kept = await connect(stack, command + ["--outputs", f"{folder}/outputs", "--outputs-threshold", "1024"], transport, mode)
        for tool, arguments in CALLS[name]:
            original, short = await whole.call_tool(tool, arguments), await kept.call_tool(tool, arguments)
            place = f"{transport} {mode} {name} {profile} {tool}"
            if not links(short):
                check(f"{place}: small, and as it was", texts(short) == texts(original))
                continue
            outputs = []
            for uri in links(short):
                outputs.append(await by_pages(kept, uri))
                check(f"{place}: lines and pages are the same", await by_lines(kept, uri) == outputs[-1])
            known = {it.decode() for it in outputs} | set(texts(short))
            # Many blocks are one list.
            known |= {block["text"] for it in outputs for block in blocks(it)}
            check(f"{place}: each text is rebuilt", all(text in known for text in texts(original)))


SERVERS = [("patterns", "gated"), ("patterns", "data"), ("learning", "gated"), ("learning", "data"), ("reference", None)]
TRANSPORTS = [("stdio", "legacy"), ("stdio", LATEST_MODERN_VERSION), ("http", "legacy"), ("http", LATEST_MODERN_VERSION), ("sse", "legacy")]


async def main(binary):
    with anyio.fail_after(DEADLINE), tempfile.TemporaryDirectory() as folder:
        for transport, mode in TRANSPORTS:
            for name, profile in SERVERS:
                await of_server(binary, transport, mode, name, profile, folder)
    print(f"{COUNTS[True]} passed, {COUNTS[False]} failed")
    return 1 if COUNTS[False] else 0


sys.exit(anyio.run(main, sys.argv[1]))
