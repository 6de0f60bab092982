"""Checks all tools of the learning server with the official Python client, PyPI `mcp` 2.3.0.

    python learning.py <path to the plainwire binary>

In each era, in both profiles, over stdio and Streamable HTTP, each tool is called, and its value is held against the output schema
by `jsonschema`. Pages come from a web server of this program. Prints one line per check and at the end `N passed, M failed`. Exit
code 1 if anything failed.
"""

import http.server
import json
import re
import subprocess
import sys
import tempfile
import threading
from contextlib import asynccontextmanager

import anyio
import jsonschema
from mcp import Client, StdioServerParameters, stdio_client
from mcp_types.version import LATEST_MODERN_VERSION

DEADLINE = 120
COUNTS = {True: 0, False: 0}
PAGE = (
    "<!doctype html><html lang='en'><head><title>Locks for beginners</title></head><body><nav>Menu</nav><article><h1>Locks</h1><p>"
    + "Threads that share data need locks, and locks need an order in which they are taken. " * 20
    + "</p></article></body></html>"
)
BOOKMARKS = "<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><p><DT><A HREF='https://one.example/'>One</A><DT><A HREF='place:x'>No</A></DL>"


def check(name, found, expected):
    COUNTS[found == expected] += 1
    print(f"ok {name}" if found == expected else f"not ok {name}: expected {expected!r}, but found {found!r}")


class Site(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = PAGE.encode() if self.path == "/locks" else b""
        self.send_response(200 if body else 404)
        self.send_header("content-type", "text/html; charset=utf-8")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@asynccontextmanager
async def connected(binary, words, transport, mode):
    if transport == "stdio":
        async with Client(stdio_client(StdioServerParameters(command=binary, args=words)), mode=mode) as client:
            yield client
        return
    server = subprocess.Popen([binary, *words, "--http", "127.0.0.1:0"], stderr=subprocess.PIPE, text=True)
    try:
        url = re.search(r"http://\S+", server.stderr.readline()).group(0)
        async with Client(url, mode=mode) as client:
            yield client
    finally:
        server.kill()
        server.wait()


async def all_tools(client, name, is_gated, page):
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    called = set()

    async def call(tool, **arguments):
        called.add(tool)
        result = await client.call_tool(tool, arguments)
        value = result.structured_content
        try:
            jsonschema.validate(value, tools[tool].output_schema)
            fits = True
        except jsonschema.ValidationError as error:
            fits = error.message
        check(f"{name}: {tool} {arguments}: the value fits the schema", fits, True)
        text = "".join(block.text for block in result.content)
        if not is_gated and not result.is_error:
            check(f"{name}: {tool} {arguments}: the text is the value", json.loads(text), value)
        return value, text

    value, text = await call("search_resources", query="rust async")
    check(f"{name}: search", "rust-async-book" in [it["id"] for it in value["resources"]], True)
    check(f"{name}: search: the form of the text", text.startswith("## Resources"), is_gated)
    value, _ = await call("discover_resources", query="where do I start with Rust?", explain=True)
    check(f"{name}: discover", (value["intent"], value["resources"][0]["resource"]["id"]), ("exploratory", "rust-book"))
    check(f"{name}: discover: the parts make the score", abs(sum(it["points"] for it in value["resources"][0]["why"]) - value["resources"][0]["score"]) < 0.05, True)
    value, _ = await call("browse_vault", category="rust")
    check(f"{name}: browse", value["total"] > 20, True)
    value, _ = await call("list_categories")
    check(f"{name}: categories", len(value["categories"]), 15)
    value, _ = await call("get_resource", id="raft-paper")
    check(f"{name}: get", value["resource"]["type"], "paper")
    value, _ = await call("scrape_url", url=page)
    check(f"{name}: scrape", (value["title"], value["words"] > 300), ("Locks for beginners", True))
    value, _ = await call("read_url", url=page)
    check(f"{name}: read", (value["text"].count("Threads that share data"), "Menu" in value["text"]), (20, False))
    value, _ = await call("add_resource_from_url", url=page)
    check(f"{name}: add a page", value["resource"]["id"], "locks-beginners")
    value, _ = await call("add_resource", id="mine", title="Mine", url="https://mine.example/", description="Text.", type="article")
    check(f"{name}: add", value["resource"]["categories"], ["general"])
    value, _ = await call("import_resources", text=BOOKMARKS)
    check(f"{name}: import", (value["added"], value["skipped"]), (1, 1))
    value, _ = await call("export_results", query="locks", format="md")
    check(f"{name}: export", "## Locks for beginners" in value["text"], True)
    value, _ = await call("get_resource", id="locks-beginners")
    check(f"{name}: what was added is there", value["resource"]["title"], "Locks for beginners")
    check(f"{name}: each tool was called", sorted(set(tools) - called), [])


async def main(binary):
    site = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=site.serve_forever, daemon=True).start()
    page = f"http://127.0.0.1:{site.server_address[1]}/locks"
    with anyio.fail_after(DEADLINE):
        for transport in ["stdio", "http"]:
            for mode in ["legacy", LATEST_MODERN_VERSION]:
                for profile in ["gated", "data"]:
                    with tempfile.TemporaryDirectory() as folder:
                        words = ["serve", "learning", "--data", f"{folder}/vault.db", "--profile", profile, "--allow-private-addresses"]
                        async with connected(binary, words, transport, mode) as client:
                            await all_tools(client, f"{transport} {mode} {profile}", profile == "gated", page)
    site.shutdown()
    print(f"{COUNTS[True]} passed, {COUNTS[False]} failed")
    return 1 if COUNTS[False] else 0


sys.exit(anyio.run(main, sys.argv[1]))
