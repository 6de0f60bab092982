"""Checks `plainwire serve reference` over stdio with the official Python client, PyPI `mcp` 2.3.0.

    python python_client.py <path to the plainwire binary>

Connects once per mode: `legacy` and `auto` as the client offers them, each legacy revision by a handshake that asks
for it, and the modern revision without `server/discover`. Every check runs in every mode, against the same server
process. The client also validates each result against the schema of its era.

Prints one line per check and at the end `N passed, M failed`. Exit code 1 if anything failed.
"""

import json
import re
import sys
import time
from collections import Counter
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timezone

import anyio
from mcp import Client, ClientSession, MCPError, StdioServerParameters, stdio_client
from mcp_types import (
    SERVER_INFO_META_KEY,
    ClientCapabilities,
    Implementation,
    InitializedNotification,
    InitializeRequest,
    InitializeRequestParams,
    InitializeResult,
    JSONRPCError,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
)
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, LATEST_HANDSHAKE_VERSION, LATEST_MODERN_VERSION

# The revision each mode has to end up with: `auto` falls back to a handshake silently, which would be a failure here.
MODES = {
    "legacy": LATEST_HANDSHAKE_VERSION,
    "auto": LATEST_MODERN_VERSION,
    **{revision: revision for revision in HANDSHAKE_PROTOCOL_VERSIONS},
    LATEST_MODERN_VERSION: LATEST_MODERN_VERSION,
}
REQUEST_SECONDS = 10
TOTAL_SECONDS = 120


# Connecting


class Recorded:
    """One direction of a transport, noting every message that passes."""

    def __init__(self, stream, log):
        self.stream = stream
        self.log = log

    async def send(self, item):
        self.log.append(item)
        await self.stream.send(item)

    async def receive(self):
        item = await self.stream.receive()
        self.log.append(item)
        return item

    def __aiter__(self):
        return self

    async def __anext__(self):
        item = await self.stream.__anext__()
        self.log.append(item)
        return item

    async def aclose(self):
        await self.stream.aclose()

    async def __aenter__(self):
        await self.stream.__aenter__()
        return self

    async def __aexit__(self, *error):
        return await self.stream.__aexit__(*error)


@dataclass
class Connection:
    mode: str
    peer: Client | ClientSession  # both offer the calls used here
    session: ClientSession
    sent: list
    received: list

    def messages(self, log, kind):
        """Returns the messages of one kind; what was not JSON-RPC is in the log as an exception."""
        return [item.message for item in log if not isinstance(item, Exception) and isinstance(item.message, kind)]

    def cancelled_ids(self):
        notifications = self.messages(self.sent, JSONRPCNotification)
        return [n.params["requestId"] for n in notifications if n.method == "notifications/cancelled"]

    def last_request_id(self):
        return self.messages(self.sent, JSONRPCRequest)[-1].id

    async def calculate(self, expression):
        return await self.peer.call_tool("calculate", {"expression": expression})


@asynccontextmanager
async def connect(binary, mode):
    sent, received = [], []

    @asynccontextmanager
    async def transport():
        async with stdio_client(StdioServerParameters(command=binary, args=["serve", "reference"])) as (read, write):
            yield Recorded(read, received), Recorded(write, sent)

    if mode in HANDSHAKE_PROTOCOL_VERSIONS:
        async with transport() as (read, write), ClientSession(read, write, REQUEST_SECONDS) as session:
            await shake_hands(session, mode)
            yield Connection(mode, session, session, sent, received)
    else:
        async with Client(transport(), mode=mode, read_timeout_seconds=REQUEST_SECONDS) as client:
            yield Connection(mode, client, client.session, sent, received)


async def shake_hands(session, revision):
    """Initializes with the revision of our choice: `ClientSession.initialize` only ever asks for the latest."""
    params = InitializeRequestParams(
        protocol_version=revision,
        capabilities=ClientCapabilities(),
        client_info=Implementation(name="plainwire-third-party-checks", version="1"),
    )
    session.adopt(await session.send_request(InitializeRequest(params=params), InitializeResult))
    await session.send_notification(InitializedNotification())


# The checks, in the order in which they run


async def tools_are_listed_in_order(c):
    tools = (await c.peer.list_tools()).tools
    equal("tool names", [t.name for t in tools], ["calculate", "get_timestamp", "sleep", "count"])
    equal("tools without a description", [t.name for t in tools if not t.description], [])
    equal("schema types", [t.input_schema.get("type") for t in tools], ["object"] * 4)


async def calculate_gives_the_result(c):
    result = await c.calculate("2 + 3 * 4")
    equal("isError", bool(result.is_error), False)
    equal("texts", texts(result), ["14"])


async def calculate_asks_for_an_expression(c):
    result = await c.calculate("")
    equal("isError", result.is_error, True)
    contains("text", " ".join(texts(result)), "expression is required")


async def calculate_refuses_other_characters(c):
    result = await c.calculate("2 + x")
    equal("isError", result.is_error, True)
    contains("text", " ".join(texts(result)), "invalid characters")


async def get_timestamp_gives_utc_time(c):
    text = only("texts", texts(await c.peer.call_tool("get_timestamp", {})))
    if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", text):
        raise AssertionError(f"expected an ISO 8601 time ending in Z, but found {text!r}")
    told = datetime.strptime(text[:19], "%Y-%m-%dT%H:%M:%S").replace(tzinfo=timezone.utc)
    at_most("seconds from this machine's clock", abs((datetime.now(timezone.utc) - told).total_seconds()), 60)


async def unknown_tool_is_a_protocol_error(c):
    equal("code", await error_code(c.peer.call_tool("no_such_tool", {})), -32602)


async def count_reports_progress(c):
    seen = []

    async def note(progress, total, _message):
        seen.append((progress, total))

    result = await c.peer.call_tool("count", {"to": 5, "ms": 5}, progress_callback=note)
    equal("progress and total", seen, [(n, 5) for n in range(1, 6)])
    equal("texts", texts(result), ["counted to 5"])


async def cancelled_call_leaves_the_connection_free(c):
    started = time.monotonic()
    with anyio.move_on_after(0.2) as limit:
        await c.peer.call_tool("sleep", {"ms": 30_000})
    equal("the call was given up", limit.cancelled_caught, True)
    equal("cancelled request ids on the wire", c.cancelled_ids()[-1:], [c.last_request_id()])
    equal("texts", texts(await c.calculate("2 + 3 * 4")), ["14"])
    at_most("seconds in all", time.monotonic() - started, 1)


async def cancelled_call_is_never_answered(c):
    with anyio.move_on_after(0.1) as limit:
        await c.peer.call_tool("sleep", {"ms": 300})
    equal("the call was given up", limit.cancelled_caught, True)
    request = c.last_request_id()
    await anyio.sleep(0.5)  # had the server gone on, its answer would be here by now
    equal("answers to the cancelled request", answered_ids(c).count(request), 0)


async def calls_run_side_by_side(c):
    results = []

    async def nap():
        results.append(await c.peer.call_tool("sleep", {"ms": 300}))

    started = time.monotonic()
    async with anyio.create_task_group() as naps:
        for _ in range(20):
            naps.start_soon(nap)
    at_most("seconds in all", time.monotonic() - started, 1)
    equal("calls that went well", sum(not r.is_error for r in results), 20)


async def resources_are_listed(c):
    contains("uris", [r.uri for r in (await c.peer.list_resources()).resources], "server://info")


async def server_info_is_readable(c):
    content = only("contents", (await c.peer.read_resource("server://info")).contents)
    equal("uri", content.uri, "server://info")
    wanted = ["name", "version", "uptime", "memory", "pid", "platform"]
    found = json.loads(content.text)
    equal("missing keys", [key for key in wanted if key not in found], [])


async def resource_templates_are_listed(c):
    templates = (await c.peer.list_resource_templates()).resource_templates
    contains("templates", [t.uri_template for t in templates], "calculation://{expression}")


async def template_is_readable(c):
    content = only("contents", (await c.peer.read_resource("calculation://1+2")).contents)
    equal("text", content.text, "3")


async def unknown_resource_is_a_protocol_error(c):
    expected = -32602 if is_modern(c) else -32002
    equal("code", await error_code(c.peer.read_resource("nope://x")), expected)


async def prompts_are_listed(c):
    prompts = {p.name: p for p in (await c.peer.list_prompts()).prompts}
    contains("prompt names", list(prompts), "explain_calculation")
    arguments = [(a.name, a.required) for a in prompts["explain_calculation"].arguments or []]
    equal("arguments", arguments, [("expression", True)])


async def prompt_contains_the_expression(c):
    result = await c.peer.get_prompt("explain_calculation", {"expression": "6*7"})
    message = only("messages", result.messages)
    equal("role", message.role, "user")
    contains("text", message.content.text, "6*7")


async def ping_is_answered_where_it_exists(c):
    if is_modern(c):
        equal("code", await error_code(c.session.send_ping()), -32601)
    else:
        await c.session.send_ping()


async def server_introduces_itself(c):
    if c.mode == LATEST_MODERN_VERSION:  # nobody has asked it so far
        discovered = await c.session.send_discover(LATEST_MODERN_VERSION)
        contains("revisions", discovered["supportedVersions"], LATEST_MODERN_VERSION)
        name = discovered["_meta"][SERVER_INFO_META_KEY]["name"]
    else:
        equal("revision", c.peer.protocol_version, MODES[c.mode])
        name = c.peer.server_info.name
    equal("server name", name, "plainwire-reference")


async def stdout_carries_only_messages(c):
    equal("lines that are not JSON-RPC", [str(i) for i in c.received if isinstance(i, Exception)], [])


async def every_request_has_one_answer(c):
    cancelled = c.cancelled_ids()  # an answer may cross the cancellation on its way
    expected = [r.id for r in c.messages(c.sent, JSONRPCRequest) if r.id not in cancelled]
    found = Counter(answered_ids(c))
    equal("unanswered request ids", [i for i in expected if not found[i]], [])
    equal("ids answered twice", [i for i in found if found[i] > 1], [])


CHECKS = [
    tools_are_listed_in_order,
    calculate_gives_the_result,
    calculate_asks_for_an_expression,
    calculate_refuses_other_characters,
    get_timestamp_gives_utc_time,
    unknown_tool_is_a_protocol_error,
    count_reports_progress,
    cancelled_call_leaves_the_connection_free,
    cancelled_call_is_never_answered,
    calls_run_side_by_side,
    resources_are_listed,
    server_info_is_readable,
    resource_templates_are_listed,
    template_is_readable,
    unknown_resource_is_a_protocol_error,
    prompts_are_listed,
    prompt_contains_the_expression,
    ping_is_answered_where_it_exists,
    server_introduces_itself,
    stdout_carries_only_messages,
    every_request_has_one_answer,
]


# Comparing


def equal(what, found, expected):
    if found != expected:
        raise AssertionError(f"{what}: expected {expected!r}, but found {found!r}")


def contains(what, found, expected):
    if expected not in found:
        raise AssertionError(f"{what}: expected {expected!r} in it, but found {found!r}")


def at_most(what, found, limit):
    if found > limit:
        raise AssertionError(f"{what}: expected at most {limit}, but found {found:.2f}")


def only(what, found):
    equal(f"number of {what}", len(found), 1)
    return found[0]


def is_modern(c):
    return MODES[c.mode] == LATEST_MODERN_VERSION


def texts(result):
    return [block.text for block in result.content]


def answered_ids(c):
    return [answer.id for answer in c.messages(c.received, (JSONRPCResponse, JSONRPCError))]


async def error_code(call):
    try:
        result = await call
    except MCPError as error:
        return error.code
    raise AssertionError(f"expected a protocol error, but found {result!r}")


# Running


class Tally:
    def __init__(self):
        self.passed = 0
        self.failed = 0

    def passes(self, name):
        self.passed += 1
        print(f"ok      {name}", flush=True)

    def fails(self, name, error):
        self.failed += 1
        print(f"FAILED  {name}: {explain(error)}", flush=True)


def explain(error):
    """Returns the error in one line; of a group that failed together, the first."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    text = str(error) if isinstance(error, AssertionError) else repr(error)
    return " ".join(text.split())[:300]


async def run_mode(binary, mode, tally):
    try:
        async with connect(binary, mode) as c:
            for check in CHECKS:
                name = f"{mode}: {check.__name__.replace('_', ' ')}"
                try:
                    await check(c)
                    tally.passes(name)
                except Exception as error:
                    tally.fails(name, error)
            closing = time.monotonic()
        # The client waits 2 s before it kills a server that stays.
        at_most("seconds until the server had exited", time.monotonic() - closing, 1)
        tally.passes(f"{mode}: server exits when its input ends")
    except Exception as error:
        tally.fails(f"{mode}: connecting and closing", error)


async def main(binary):
    tally = Tally()
    with anyio.move_on_after(TOTAL_SECONDS) as limit:
        for mode in MODES:
            await run_mode(binary, mode, tally)
    if limit.cancelled_caught:
        tally.fails("all modes", AssertionError(f"not done after {TOTAL_SECONDS} s"))
    print(f"{tally.passed} passed, {tally.failed} failed")
    return 1 if tally.failed else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(anyio.run(main, sys.argv[1]))
