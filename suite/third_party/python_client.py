"""Checks `plainwire serve reference` with the official Python client, PyPI `mcp` 2.3.0.

    python python_client.py <path to the plainwire binary> stdio|http|sse

Connects once per mode: `legacy` and `auto` as the client offers them, each legacy revision by a handshake that asks
for it, and the modern revision without `server/discover`. All checks for the features of a revision run on the same
connection of the mode. Its client has a user, a model and roots. A second connection per mode
has none of them. The client also validates each result against the schema of its era.

Over stdio each connection has a server of its own. Over HTTP one server, on a free port of this machine, has all
connections; SIGTERM has to end it.

Prints one line per check and at the end `N passed, M failed`. Exit code 1 if anything failed.
"""

import json
import re
import signal
import subprocess
import sys
import time
import warnings
from collections import Counter
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timezone

import anyio
from mcp import Client, ClientSession, MCPDeprecationWarning, MCPError, StdioServerParameters, stdio_client
from mcp.client.sse import sse_client
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client
from mcp.client.subscriptions import ResourceUpdated, listen
from mcp_types import (
    SERVER_INFO_META_KEY,
    ClientCapabilities,
    CreateMessageResult,
    ElicitationCapability,
    ElicitResult,
    ErrorData,
    Implementation,
    InitializedNotification,
    InitializeRequest,
    InitializeRequestParams,
    InitializeResult,
    InputRequiredResult,
    JSONRPCError,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    ListRootsResult,
    PromptReference,
    ResourceUpdatedNotification,
    Root,
    RootsCapability,
    SamplingCapability,
    TextContent,
)
from mcp_types.version import (
    HANDSHAKE_PROTOCOL_VERSIONS,
    LATEST_HANDSHAKE_VERSION,
    LATEST_MODERN_VERSION,
    is_version_at_least,
)

# The expected revision of each mode: `auto` falls back to a handshake silently, which would be a failure here.
MODES = {
    "legacy": LATEST_HANDSHAKE_VERSION,
    "auto": LATEST_MODERN_VERSION,
    **{revision: revision for revision in HANDSHAKE_PROTOCOL_VERSIONS},
    LATEST_MODERN_VERSION: LATEST_MODERN_VERSION,
}
ANSWERS_OF_THE_CLIENT = ["server answered a request with 202 Accepted", "SSE stream ended without a response"]
REQUEST_SECONDS = 10
TOTAL_SECONDS = 60


# Connecting


class Recorded:
    """One direction of a transport, which records every message."""

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
class Host:
    """The user, the model and the roots behind the client. Records the questions to each."""

    user: object = None  # gives the answer to a form
    says: object = None  # what the model says, or an error
    roots: list = field(default_factory=list)
    forms: list = field(default_factory=list)
    samples: list = field(default_factory=list)
    roots_asked: int = 0
    given_up: int = 0
    updated: list = field(default_factory=list)

    def begin(self):
        """Forgets the recorded questions. By default the user closes every form."""
        self.user, self.says = closes, "Paris"
        self.forms, self.samples, self.updated = [], [], []
        self.roots_asked = self.given_up = 0

    def callbacks(self):
        return {
            "elicitation_callback": self.elicit,
            "sampling_callback": self.sample,
            "list_roots_callback": self.list_roots,
        }

    async def elicit(self, _context, form):
        self.forms.append(form)
        try:
            return await self.user(form)
        except anyio.get_cancelled_exc_class():
            self.given_up += 1
            raise

    async def sample(self, _context, request):
        self.samples.append(request)
        if isinstance(self.says, ErrorData):
            return self.says
        text = TextContent(type="text", text=self.says)
        return CreateMessageResult(role="assistant", content=text, model="checks", stop_reason="endTurn")

    async def list_roots(self, _context):
        self.roots_asked += 1
        return ListRootsResult(roots=[Root(uri=uri) for uri in self.roots])

    async def note(self, message):
        if isinstance(message, ResourceUpdatedNotification):
            self.updated.append(message.params.uri)


@dataclass
class Connection:
    mode: str
    peer: Client | ClientSession  # both offer the calls used here
    session: ClientSession
    host: Host
    sent: list
    received: list
    responses: list  # those of HTTP
    began: tuple = (0, 0)

    def begin(self):
        """Begins a check: `requests`, `questions` and `results` return those since this call."""
        self.host.begin()
        self.began = (len(self.sent), len(self.received))

    def messages(self, log, kind):
        """Returns the messages of one kind. The log has an exception for a line that was not JSON-RPC."""
        return [item.message for item in log if not isinstance(item, Exception) and isinstance(item.message, kind)]

    def requests(self):
        return self.messages(self.sent[self.began[0] :], JSONRPCRequest)

    def answers(self):
        return self.messages(self.sent[self.began[0] :], (JSONRPCResponse, JSONRPCError))

    def questions(self):
        """Returns the requests of the server."""
        return self.messages(self.received[self.began[1] :], JSONRPCRequest)

    def results(self):
        return [answer.result for answer in self.messages(self.received[self.began[1] :], JSONRPCResponse)]

    def notifications(self, method):
        received = self.messages(self.received[self.began[1] :], JSONRPCNotification)
        return [notification for notification in received if notification.method == method]

    def cancelled_ids(self):
        notifications = self.messages(self.sent, JSONRPCNotification)
        return [n.params["requestId"] for n in notifications if n.method == "notifications/cancelled"]

    def last_request_id(self):
        return self.messages(self.sent, JSONRPCRequest)[-1].id

    async def calculate(self, expression):
        return await self.peer.call_tool("calculate", {"expression": expression})

    async def ask(self, whom):
        return await self.peer.call_tool("ask", {"whom": whom})

    async def ask_in_rounds(self, whom, state=None, responses=None, tool="ask"):
        """Makes one round by hand, in the modern era."""
        return await self.session.call_tool(
            tool, {"whom": whom}, request_state=state, input_responses=responses, allow_input_required=True
        )

    async def complete(self, prompt, value):
        argument = {"name": "expression", "value": value}
        return (await self.peer.complete(PromptReference(type="ref/prompt", name=prompt), argument)).completion


class Stdio:
    """A new server for each connection, which ends with it."""

    modes = None

    def __init__(self, binary):
        self.binary = binary

    async def __aenter__(self):
        return self

    async def __aexit__(self, *error):
        pass

    @asynccontextmanager
    async def connect(self, _responses):
        async with stdio_client(StdioServerParameters(command=self.binary, args=["serve", "reference"])) as streams:
            yield streams


class Http:
    """One server for all connections. A client that leaves ends its session."""

    modes = None
    options = ()

    def __init__(self, binary):
        self.binary = binary

    async def __aenter__(self):
        command = [self.binary, "serve", "reference", "--http", "127.0.0.1:0", *self.options]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        log = iter(self.process.stderr)
        # The first line on stderr is the URL, unless the server has ended.
        found = re.search(r"serving (http://\S+)", next(log, ""))
        if found is None:
            self.process.kill()
            self.process.wait()
            raise AssertionError("expected the server to say where it is, but found something else")
        self.url = found[1]
        return self

    async def __aexit__(self, failed, *_error):
        began = time.monotonic()
        try:
            self.process.send_signal(signal.SIGTERM)
            code = self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = self.process.wait()
        log = self.process.stderr.read()
        self.process.stderr.close()
        if failed is None:
            equal("exit code", code, 0)
            lines = [line for line in log.splitlines() if "INFO" not in line]
            # Without the warnings that the checks provoke.
            warnings = [line for line in lines if "refused a request state" not in line]
            equal("what the server warns of", warnings, [])
            at_most("seconds until the server had exited", time.monotonic() - began, 1)

    @asynccontextmanager
    async def connect(self, responses):
        async def note(response):
            responses.append(response)

        async with create_mcp_http_client() as http:
            http.event_hooks = {"response": [note]}
            async with streamable_http_client(self.url, http_client=http) as streams:
                yield streams


class Sse(Http):
    """The transport of 2024-11-05, with one legacy session for each stream."""

    modes = HANDSHAKE_PROTOCOL_VERSIONS
    options = ("--sse",)

    @asynccontextmanager
    async def connect(self, _responses):
        async with sse_client(self.url.removesuffix("/mcp") + "/sse") as streams:
            yield streams


SERVERS = {"stdio": Stdio, "http": Http, "sse": Sse}


@asynccontextmanager
async def connect(server, mode, can_be_asked=True):
    host, sent, received, responses = Host(), [], [], []
    callbacks = host.callbacks() if can_be_asked else {}
    callbacks |= {"message_handler": host.note, "read_timeout_seconds": REQUEST_SECONDS}

    @asynccontextmanager
    async def transport():
        async with server.connect(responses) as (read, write):
            yield Recorded(read, received), Recorded(write, sent)

    if mode in HANDSHAKE_PROTOCOL_VERSIONS:
        async with transport() as (read, write), ClientSession(read, write, **callbacks) as session:
            await shake_hands(session, mode, can_be_asked)
            yield Connection(mode, session, session, host, sent, received, responses)
    else:
        async with Client(transport(), mode=mode, **callbacks) as client:
            yield Connection(mode, client, client.session, host, sent, received, responses)


async def shake_hands(session, revision, can_be_asked):
    """Initializes with the revision of our choice: `ClientSession.initialize` only ever asks for the latest.

    Forms are declared even where the revision has none.
    """
    capabilities = ClientCapabilities()
    if can_be_asked:
        capabilities = ClientCapabilities(
            elicitation=ElicitationCapability(),
            roots=RootsCapability(list_changed=True),
            sampling=SamplingCapability(),
        )
    params = InitializeRequestParams(
        protocol_version=revision,
        capabilities=capabilities,
        client_info=Implementation(name="plainwire-third-party-checks", version="1"),
    )
    session.adopt(await session.send_request(InitializeRequest(params=params), InitializeResult))
    await session.send_notification(InitializedNotification())


# The checks, in the order in which they run


async def tools_are_listed_in_order(c):
    tools = (await c.peer.list_tools()).tools
    equal("tool names", [t.name for t in tools], ["calculate", "get_timestamp", "sleep", "count", "ask"])
    equal("tools without a description", [t.name for t in tools if not t.description], [])
    equal("schema types", [t.input_schema.get("type") for t in tools], ["object"] * 5)


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
    uris = [r.uri for r in (await c.peer.list_resources()).resources]
    equal("uris", uris, ["server://info", "server://calculations"])


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
        capabilities = discovered["capabilities"]
    else:
        equal("revision", c.peer.protocol_version, MODES[c.mode])
        name = c.peer.server_info.name
        capabilities = c.peer.server_capabilities.model_dump(by_alias=True, exclude_none=True)
    equal("server name", name, "plainwire-reference")
    expected = ["prompts", "resources", "tools"]
    if has(c, "2025-03-26"):
        expected.insert(0, "completions")
    equal("capabilities", sorted(capabilities), expected)
    equal("subscribe", capabilities["resources"].get("subscribe"), True)


async def user_is_asked_twice(c):
    c.host.user = called("Ada")
    result = await c.ask("user")
    equal("isError", bool(result.is_error), False)
    equal("texts", texts(result), ["Hello, Ada!"])
    equal("questions", [form.message for form in c.host.forms], ["What is your name?", "Shall I greet Ada?"])
    equal("modes", [form.mode for form in c.host.forms], ["form", "form"])
    first, second = (form.requested_schema for form in c.host.forms)
    equal("type of the first form", first["type"], "object")
    equal("fields of the first form", {key: it["type"] for key, it in first["properties"].items()}, {"name": "string"})
    equal("description", first["properties"]["name"].get("description"), "What you want to be called.")
    equal("what it requires", first["required"], ["name"])
    equal("type of the second form", second["type"], "object")
    equal("fields of the second form", second["properties"], {})
    equal("what it requires", second.get("required", []), [])


async def questions_are_requests_of_the_server(c):
    c.host.user = called("Ada")
    equal("texts", texts(await c.ask("user")), ["Hello, Ada!"])
    equal("requests of the client", [r.method for r in c.requests()], ["tools/call"])
    equal("questions", [q.method for q in c.questions()], ["elicitation/create"] * 2)
    equal("distinct ids", len({q.id for q in c.questions()}), 2)
    equal("answered ids", [a.id for a in c.answers()], [q.id for q in c.questions()])
    equal("modes on the wire", ["mode" in q.params for q in c.questions()], [has(c, "2025-11-25")] * 2)
    modern = {"resultType", "requestState", "inputRequests"}
    equal("keys of modern results", modern & set(only("results", c.results())), set())


async def questions_are_rounds_of_the_call(c):
    # With a space: a sealed state is base64, which may have any three letters in a row.
    c.host.user = called("Ada Lovelace")
    equal("texts", texts(await c.ask("user")), ["Hello, Ada Lovelace!"])
    rounds, results = c.requests(), c.results()
    equal("requests of the client", [r.method for r in rounds], ["tools/call"] * 3)
    equal("distinct ids", len({r.id for r in rounds}), 3)
    equal("requests of the server", c.questions(), [])
    equal("resultTypes", [r["resultType"] for r in results], ["input_required", "input_required", "complete"])
    equal("questions", [list(r.get("inputRequests", {})) for r in results], [["name"], ["sure"], []])
    equal("answers", [list(r.params.get("inputResponses", {})) for r in rounds], [[], ["name"], ["sure"]])
    states = [r.get("requestState") for r in results]
    equal("states that are text", [isinstance(state, str) for state in states], [True, True, False])
    equal("echoed states", [r.params.get("requestState") for r in rounds], [None, *states[:2]])
    equal("names that can be read in a state", [state for state in states[:2] if "Ada L" in state], [])
    equal("results with a lifetime", [r for r in results if "ttlMs" in r], [])
    equal("arguments", [r.params["arguments"] for r in rounds], [{"whom": "user"}] * 3)


async def no_ends_the_call(c):
    c.host.user = declines
    result = await c.ask("user")
    equal("isError", result.is_error, True)
    contains("text", " ".join(texts(result)), "declined")
    equal("number of questions", len(c.host.forms), 1)


async def closing_the_form_ends_the_call(c):
    c.host.user = closes
    result = await c.ask("user")
    equal("isError", result.is_error, True)
    contains("text", " ".join(texts(result)), "closed the question")
    equal("number of questions", len(c.host.forms), 1)


async def no_to_the_second_question_ends_the_call(c):
    c.host.user = called("Ada", then="decline")
    result = await c.ask("user")
    equal("isError", result.is_error, True)
    contains("text", " ".join(texts(result)), "declined")
    equal("number of questions", len(c.host.forms), 2)


async def answer_that_does_not_fit_is_refused(c):
    c.host.user = called(5)
    result = await c.ask("user")
    equal("isError", result.is_error, True)
    contains("text", " ".join(texts(result)), "expected `name` to be a string")
    equal("number of questions", len(c.host.forms), 1)


async def answer_without_its_field_is_refused(c):
    c.host.user = fills_in({})
    result = await c.ask("user")
    equal("isError", result.is_error, True)
    contains("text", " ".join(texts(result)), "expected `name` to be a string")
    equal("number of questions", len(c.host.forms), 1)


async def user_who_fails_is_a_tool_error(c):
    c.host.user = fails
    result = await c.ask("user")
    equal("isError", result.is_error, True)
    contains("text", " ".join(texts(result)), "no form today")
    equal("number of questions", len(c.host.forms), 1)


async def cancelled_question_leaves_the_connection_free(c):
    c.host.user = thinks_forever
    started = time.monotonic()
    with anyio.move_on_after(0.2) as limit:
        await c.ask("user")
    equal("the call was given up", limit.cancelled_caught, True)
    equal("texts", texts(await c.calculate("2 + 3 * 4")), ["14"])
    equal("number of questions", len(c.host.forms), 1)
    await until("the question was given up", lambda: c.host.given_up == 1)
    at_most("seconds in all", time.monotonic() - started, 1)
    if not is_modern(c):  # where the question is a request, the server takes it back
        taken_back = [n.params["requestId"] for n in c.notifications("notifications/cancelled")]
        equal("questions taken back", taken_back, [q.id for q in c.questions()])
    c.host.user = called("Ada")
    equal("texts", texts(await c.ask("user")), ["Hello, Ada!"])


async def answers_of_calls_side_by_side_are_not_mixed(c):
    names, names_given, waiting = [f"n{n}" for n in range(8)], 0, anyio.Event()

    async def user(form):
        nonlocal names_given
        if form.requested_schema["properties"]:
            name, names_given = names[names_given], names_given + 1
            if names_given == len(names):
                waiting.set()
            await waiting.wait()
            # The first question is answered last.
            await anyio.sleep(0.005 * (len(names) - int(name[1:])))
            return ElicitResult(action="accept", content={"name": name})
        even = int(form.message.rstrip("?").rpartition("n")[2]) % 2 == 0
        return ElicitResult(action="accept", content={}) if even else ElicitResult(action="decline")

    results = []

    async def ask(whom):
        results.append(" ".join(texts(await c.ask(whom))))

    c.host.user = user
    await moves_to(c, ["file:///srv/b", "file:///srv/a"])
    async with anyio.create_task_group() as calls:
        for _ in names:
            calls.start_soon(ask, "user")
        calls.start_soon(ask, "model")
        calls.start_soon(ask, "client")
    greetings = [f"Hello, {name}!" for name in names[::2]]
    others = ["Paris", "file:///srv/b\nfile:///srv/a"] + ["the user declined"] * 4
    equal("results", sorted(results), sorted(greetings + others))
    asked = Counter(form.message for form in c.host.forms)
    equal("questions", asked, {"What is your name?": 8, **{f"Shall I greet {name}?": 1 for name in names}})


async def forms_do_not_exist_yet(c):
    result = await c.ask("user")
    equal("isError", result.is_error, True)
    contains("text", " ".join(texts(result)), "elicitation")
    equal("questions", (c.questions(), c.host.forms), ([], []))


async def model_is_asked(c):
    result = await c.ask("model")
    equal("isError", bool(result.is_error), False)
    equal("texts", texts(result), ["Paris"])
    request = only("samples", c.host.samples)
    message = only("messages", request.messages)
    equal("role", message.role, "user")
    equal("type", message.content.type, "text")
    equal("text", message.content.text, "What is the capital of France?")
    equal("maxTokens", request.max_tokens, 100)


async def model_that_refuses_is_a_tool_error(c):
    c.host.says = ErrorData(code=-1, message="no model today")
    result = await c.ask("model")
    equal("isError", result.is_error, True)
    contains("text", " ".join(texts(result)), "no model today")


async def roots_come_in_order(c):
    await moves_to(c, [f"file:///srv/{name}" for name in ("z", "a", "m%20n", "z/y")])
    result = await c.ask("client")
    equal("isError", bool(result.is_error), False)
    equal("roots", texts(result), ["\n".join(c.host.roots)])


async def roots_are_asked_for_again_once_they_changed(c):
    for n in range(3):
        await moves_to(c, [f"file:///srv/{n}"])
        for _ in range(2):
            equal("roots", texts(await c.ask("client")), c.host.roots)
        equal("how often they were asked for", c.host.roots_asked, n + 1)


async def roots_are_asked_for_in_every_call(c):
    for n in range(3):
        await moves_to(c, [f"file:///srv/{n}"])
        equal("roots", texts(await c.ask("client")), c.host.roots)
        equal("how often they were asked for", c.host.roots_asked, n + 1)


async def rounds_can_be_made_by_hand(c):
    first = asks("name", await c.ask_in_rounds("user"))
    equal("message", first.input_requests["name"].params.message, "What is your name?")
    second = asks("sure", await c.ask_in_rounds("user", first.request_state, {"name": accepts(name="Ada")}))
    equal("message", second.input_requests["sure"].params.message, "Shall I greet Ada?")
    result = await c.ask_in_rounds("user", second.request_state, {"sure": accepts()})
    equal("texts", texts(result), ["Hello, Ada!"])


async def tampered_state_is_refused(c):
    state = asks("name", await c.ask_in_rounds("user")).request_state
    places = [*range(0, len(state), 41), len(state) - 1]
    changed = [state[:n] + ("A" if state[n] != "A" else "Q") + state[n + 1 :] for n in places]
    for tampered in [*changed, state[:-4], state + "AAAA", state[4:], "", "nonsense", "ä"]:
        code = await error_code(c.ask_in_rounds("user", tampered, {"name": accepts(name="Ada")}))
        equal(f"code of {tampered[:20]!r}…", code, -32602)
    asks("sure", await c.ask_in_rounds("user", state, {"name": accepts(name="Ada")}))


async def state_of_another_call_is_refused(c):
    state = asks("name", await c.ask_in_rounds("user")).request_state
    answers = {"name": accepts(name="Ada")}
    equal("code with other arguments", await error_code(c.ask_in_rounds("model", state, answers)), -32602)
    equal("code with another tool", await error_code(c.ask_in_rounds("user", state, answers, "sleep")), -32602)
    prompt = c.session.get_prompt(
        "explain_calculation", {"expression": "1"}, input_responses=answers, request_state=state
    )
    equal("code with another method", await error_code(prompt), -32602)
    asks("sure", await c.ask_in_rounds("user", state, answers))


async def missing_answers_are_asked_again(c):
    first = asks("name", await c.ask_in_rounds("user"))
    again = asks("name", await c.ask_in_rounds("user", first.request_state, {}))
    again = asks("name", await c.ask_in_rounds("user", again.request_state, None))
    second = asks("sure", await c.ask_in_rounds("user", again.request_state, {"name": accepts(name="Ada")}))
    # The name was kept, though the second question was not answered.
    again = asks("sure", await c.ask_in_rounds("user", second.request_state, {}))
    result = await c.ask_in_rounds("user", again.request_state, {"sure": accepts()})
    equal("texts", texts(result), ["Hello, Ada!"])


async def unknown_answers_are_ignored(c):
    first = asks("name", await c.ask_in_rounds("user"))
    # `sure` is not asked yet, so that its answer is unknown too.
    early = {"name": accepts(name="Ada"), "sure": ElicitResult(action="decline"), "other": accepts(x="y")}
    second = asks("sure", await c.ask_in_rounds("user", first.request_state, early))
    late = {"sure": accepts(), "name": accepts(name="Bob")}
    result = await c.ask_in_rounds("user", second.request_state, late)
    equal("texts", texts(result), ["Hello, Ada!"])


async def calculations_are_counted(c):
    before = int(only("contents", (await c.peer.read_resource("server://calculations")).contents).text)
    await c.calculate("1 + 1")
    after = int(only("contents", (await c.peer.read_resource("server://calculations")).contents).text)
    equal("calculations", after, before + 1)


async def subscriber_hears_of_changes(c):
    await c.peer.subscribe_resource("server://calculations")
    for n in range(1, 3):
        await c.calculate("1 + 1")
        await until(f"{n} changes were heard of", lambda: len(c.host.updated) >= n)
    equal("updated", c.host.updated, ["server://calculations"] * 2)
    await c.peer.unsubscribe_resource("server://calculations")
    await c.calculate("1 + 1")
    await anyio.sleep(0.1)  # had the server gone on, the change would be heard of by now
    equal("updated after the end", c.host.updated[2:], [])


async def subscription_of_something_else_is_refused(c):
    equal("code of an unknown one", await error_code(c.peer.subscribe_resource("nope://x")), -32002)
    code = await error_code(c.peer.subscribe_resource("server://info"))
    equal("code of one that can't be subscribed to", code, -32602)


async def listener_hears_of_changes(c):
    await c.calculate("1 + 1")  # before anybody listens
    async with listen(c.session, resource_subscriptions=["server://calculations"]) as changes:
        equal("honored", changes.honored.resource_subscriptions, ["server://calculations"])
        for _ in range(2):
            await c.calculate("1 + 1")
            with anyio.fail_after(1):
                equal("change", await anext(changes), ResourceUpdated(uri="server://calculations"))
    request = only("listens", [r for r in c.requests() if r.method == "subscriptions/listen"])
    updated = c.notifications("notifications/resources/updated")
    ids = [n.params["_meta"]["io.modelcontextprotocol/subscriptionId"] for n in updated]
    equal("subscription ids", ids, [request.id] * 2)
    # The client sends the cancellation in a task of its own.
    await until("the listen was given up", lambda: request.id in c.cancelled_ids())
    await c.calculate("1 + 1")
    await anyio.sleep(0.1)  # had the server gone on, the change would be heard of by now
    equal("changes", len(c.notifications("notifications/resources/updated")), 2)


async def listener_gets_what_exists(c):
    wanted = ["nope://x", "server://calculations", "server://info"]
    async with listen(c.session, tools_list_changed=True, resource_subscriptions=wanted) as changes:
        equal("honored", changes.honored.resource_subscriptions, ["server://calculations"])
        equal("honored lists", bool(changes.honored.tools_list_changed), False)
    equal("code of the old method", await error_code(c.session.subscribe_resource("server://calculations")), -32601)


async def listeners_hear_each_for_themselves(c):
    uris = ["server://calculations"]
    async with listen(c.session, resource_subscriptions=uris) as one:
        async with listen(c.session, resource_subscriptions=uris) as other:
            await c.calculate("1 + 1")
            with anyio.fail_after(1):
                equal("changes", [await anext(one), await anext(other)], [ResourceUpdated(uri=uris[0])] * 2)
        await c.calculate("1 + 1")
        with anyio.fail_after(1):
            equal("change", await anext(one), ResourceUpdated(uri=uris[0]))
    listens = [r.id for r in c.requests() if r.method == "subscriptions/listen"]
    await until("both were given up", lambda: set(listens) <= set(c.cancelled_ids()))


async def argument_is_completed(c):
    known = ["2 + 3 * 4", "2 ^ 10", "(1 + 2) / 3"]
    for value, expected in {"": known, "2": known[:2], "2 ^": known[1:2], "x": []}.items():
        completion = await c.complete("explain_calculation", value)
        equal(f"values of {value!r}", completion.values, expected)
        equal("total", completion.total, len(expected))
        equal("hasMore", bool(completion.has_more), False)


async def argument_of_an_unknown_prompt_is_a_protocol_error(c):
    equal("code", await error_code(c.complete("no_such_prompt", "2")), -32602)


async def client_that_cannot_be_asked_is_told_so(c):
    needs = {"user": "elicitation", "model": "sampling", "client": "roots"}
    for whom, capability in needs.items():
        if is_modern(c):
            error = await protocol_error(c.ask(whom))
            equal("code", error.code, -32021)
            expected = {"elicitation": {"form": {}}} if whom == "user" else {capability: {}}
            equal("data", error.data, {"requiredCapabilities": expected})
        else:
            result = await c.ask(whom)
            equal("isError", result.is_error, True)
            contains("text", " ".join(texts(result)), capability)
    equal("questions", c.questions(), [])
    equal("texts", texts(await c.calculate("2 + 3 * 4")), ["14"])


async def only_messages_arrive(c):
    equal("what is not JSON-RPC", [str(i) for i in c.received if isinstance(i, Exception)], [])


async def every_request_has_one_answer(c):
    cancelled = c.cancelled_ids()  # an answer may cross the cancellation on its way
    expected = [r.id for r in c.messages(c.sent, JSONRPCRequest) if r.id not in cancelled]
    found = Counter(answered_ids(c))
    equal("unanswered request ids", [i for i in expected if not found[i]], [])
    equal("ids answered twice", [i for i in found if found[i] > 1], [])


async def every_question_has_one_answer(c):
    questions = [q.id for q in c.messages(c.received, JSONRPCRequest)]
    equal("ids used twice", [i for i, times in Counter(questions).items() if times > 1], [])
    notifications = c.messages(c.received, JSONRPCNotification)
    taken_back = [n.params["requestId"] for n in notifications if n.method == "notifications/cancelled"]
    answered = [a.id for a in c.messages(c.sent, (JSONRPCResponse, JSONRPCError))]
    equal("unanswered ids", sorted(set(questions) - set(answered) - set(taken_back)), [])
    equal("requests of a modern server", questions if is_modern(c) else [], [])


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
    model_is_asked,
    roots_come_in_order,
    calculations_are_counted,
    argument_is_completed,
    argument_of_an_unknown_prompt_is_a_protocol_error,
]
CHECKS_WITHOUT_FORMS = [forms_do_not_exist_yet]
CHECKS_WITH_FORMS = [
    user_is_asked_twice,
    no_ends_the_call,
    closing_the_form_ends_the_call,
    no_to_the_second_question_ends_the_call,
    answer_that_does_not_fit_is_refused,
    answer_without_its_field_is_refused,
    cancelled_question_leaves_the_connection_free,
    answers_of_calls_side_by_side_are_not_mixed,
]
LEGACY_CHECKS = [
    model_that_refuses_is_a_tool_error,
    roots_are_asked_for_again_once_they_changed,
    subscriber_hears_of_changes,
    subscription_of_something_else_is_refused,
]
LEGACY_CHECKS_WITH_FORMS = [
    questions_are_requests_of_the_server,
    user_who_fails_is_a_tool_error,
]
MODERN_CHECKS = [
    questions_are_rounds_of_the_call,
    rounds_can_be_made_by_hand,
    tampered_state_is_refused,
    state_of_another_call_is_refused,
    missing_answers_are_asked_again,
    unknown_answers_are_ignored,
    roots_are_asked_for_in_every_call,
    listener_hears_of_changes,
    listener_gets_what_exists,
    listeners_hear_each_for_themselves,
]
LAST_CHECKS = [
    only_messages_arrive,
    every_request_has_one_answer,
    every_question_has_one_answer,
]
CHECKS_OF_A_CLIENT_THAT_CANNOT_BE_ASKED = [client_that_cannot_be_asked_is_told_so, *LAST_CHECKS]


def checks_of(c):
    with_forms = has(c, "2025-06-18")
    checks = CHECKS + (CHECKS_WITH_FORMS if with_forms else CHECKS_WITHOUT_FORMS)
    if is_modern(c):
        checks += MODERN_CHECKS
    else:
        checks += LEGACY_CHECKS + (LEGACY_CHECKS_WITH_FORMS if with_forms else [])
    return checks + LAST_CHECKS


# Answers of the user and the model


def fills_in(content):
    async def user(_form):
        return ElicitResult(action="accept", content=content)

    return user


def called(name, then="accept"):
    """Returns a user who gives a name, and answers a form without fields with the action `then`."""

    async def user(form):
        if form.requested_schema["properties"]:
            return ElicitResult(action="accept", content={"name": name})
        return ElicitResult(action=then, content={} if then == "accept" else None)

    return user


async def declines(_form):
    return ElicitResult(action="decline")


async def closes(_form):
    return ElicitResult(action="cancel")


async def fails(_form):
    return ErrorData(code=-32603, message="no form today")


async def thinks_forever(_form):
    await anyio.sleep_forever()


async def moves_to(c, roots):
    c.host.roots = roots
    if not is_modern(c):
        await c.peer.send_roots_list_changed()


def accepts(**content):
    return ElicitResult(action="accept", content=content)


def asks(key, result):
    """Returns the result of a round, which has to ask exactly one question."""
    if not isinstance(result, InputRequiredResult):
        raise AssertionError(f"expected the question `{key}`, but found {result!r}")
    equal("questions", list(result.input_requests or {}), [key])
    return result


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


def has(c, revision):
    return is_version_at_least(MODES[c.mode], revision)


def texts(result):
    return [block.text for block in result.content]


def answered_ids(c):
    """Returns the ids that the server has answered: over HTTP the client answers itself when a response has none."""
    answers = c.messages(c.received, (JSONRPCResponse, JSONRPCError))
    own = [it for it in answers if isinstance(it, JSONRPCError) and it.error.message in ANSWERS_OF_THE_CLIENT]
    return [it.id for it in answers if it not in own]


async def error_code(call):
    return (await protocol_error(call)).code


async def protocol_error(call):
    try:
        result = await call
    except MCPError as error:
        return error
    raise AssertionError(f"expected a protocol error, but found {result!r}")


async def until(what, holds):
    with anyio.move_on_after(1):
        while not holds():
            await anyio.sleep(0.005)
    equal(what, holds(), True)


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


async def run_checks(c, checks, tally, name):
    for check in checks:
        c.begin()
        try:
            await check(c)
            tally.passes(f"{name}: {check.__name__.replace('_', ' ')}")
        except Exception as error:
            tally.fails(f"{name}: {check.__name__.replace('_', ' ')}", error)


async def closing_ends_the_session(c):
    """Runs once the connection is closed."""
    if c.responses and not is_modern(c):
        last = c.responses[-1]
        equal("the last request", (last.request.method, last.status_code), ("DELETE", 204))


async def run_mode(server, mode, tally, can_be_asked):
    name = mode if can_be_asked else f"{mode}, can't be asked"
    try:
        async with connect(server, mode, can_be_asked) as c:
            checks = checks_of(c) if can_be_asked else CHECKS_OF_A_CLIENT_THAT_CANNOT_BE_ASKED
            await run_checks(c, checks, tally, name)
            closing = time.monotonic()
        # Over stdio the client waits 2 s before it kills a server that stays after its input has ended.
        at_most("seconds until the connection was closed", time.monotonic() - closing, 1)
        await closing_ends_the_session(c)
        tally.passes(f"{name}: the connection closes in order")
    except Exception as error:
        tally.fails(f"{name}: connecting and closing", error)


async def main(binary, transport):
    # Features that 2026-07-28 deprecates have to work in the revisions that have them.
    warnings.simplefilter("ignore", MCPDeprecationWarning)
    tally = Tally()
    with anyio.move_on_after(TOTAL_SECONDS) as limit:
        try:
            async with SERVERS[transport](binary) as server:
                for mode in server.modes or MODES:
                    await run_mode(server, mode, tally, can_be_asked=True)
                    await run_mode(server, mode, tally, can_be_asked=False)
            tally.passes("the server begins and ends in order")
        except Exception as error:
            tally.fails("the server begins and ends in order", error)
    if limit.cancelled_caught:
        tally.fails("all modes", AssertionError(f"not done after {TOTAL_SECONDS} s"))
    print(f"{tally.passed} passed, {tally.failed} failed")
    return 1 if tally.failed else 0


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[2] not in SERVERS:
        sys.exit(__doc__)
    sys.exit(anyio.run(main, *sys.argv[1:]))
