"""Checks that a call which lacks something asks back, with the official Python client, PyPI `mcp` 2.3.0.

    python needs_input.py <path to the plainwire binary>

The server is `plainwire serve patterns`. In each era, a client with a user is asked natively and once, with the suggestions as
choices, and the call goes on with the answer; a client without one gets the value `needsInput:v1`, which is no error. Prints one
line per check and at the end `N passed, M failed`. Exit code 1 if anything failed.
"""

import json
import sys

import anyio
from mcp import Client, StdioServerParameters, stdio_client
from mcp_types import ElicitResult
from mcp_types.version import LATEST_MODERN_VERSION

DEADLINE = 60
COUNTS = {True: 0, False: 0}


def check(name, found, expected):
    COUNTS[found == expected] += 1
    print(f"ok {name}" if found == expected else f"not ok {name}: expected {expected!r}, but found {found!r}")


def user(asked, answer):
    async def elicit(_context, form):
        asked.append(form)
        return ElicitResult(action="accept", content=answer) if answer else ElicitResult(action="decline")

    return {"elicitation_callback": elicit}


async def call(binary, mode, callbacks, tool, arguments):
    server = stdio_client(StdioServerParameters(command=binary, args=["serve", "patterns"]))
    async with Client(server, mode=mode, **callbacks) as client:
        return await client.call_tool(tool, arguments)


def form_schema(form):
    schema = getattr(form, "requested_schema", None) or form.params.requested_schema
    return schema if isinstance(schema, dict) else schema.model_dump(by_alias=True, exclude_none=True)


async def in_mode(binary, mode):
    asked = []
    found = await call(binary, mode, user(asked, {"category": "scheduling"}), "search_patterns", {"q": "stream"})
    value = found.structured_content
    check(f"{mode}: too many matches: the user is asked once", len(asked), 1)
    choices = form_schema(asked[0])["properties"]
    check(f"{mode}: the suggestions are choices", choices["difficulty"]["enum"], ["intermediate", "beginner", "advanced"])
    check(f"{mode}: the call goes on with the answer", (value["kind"], value["query"]["category"]), ("patternSearchResults:v1", "scheduling"))

    asked = []
    found = await call(binary, mode, user(asked, {"id": "api-cors"}), "get_pattern", {"id": "api-corz", "format": "json"})
    value = json.loads(found.content[-1].text)
    check(f"{mode}: an unknown id: the answer is used", (len(asked), value["kind"], value["id"]), (1, "patternDetails:v1", "api-cors"))

    asked = []
    found = await call(binary, mode, user(asked, {"id": "no-such-thing"}), "get_pattern", {"id": "api-corz"})
    check(f"{mode}: a wrong answer is not asked for again", (len(asked), found.structured_content["kind"]), (1, "needsInput:v1"))

    asked = []
    found = await call(binary, mode, user(asked, None), "search_patterns", {"q": ""})
    check(f"{mode}: a user who declines: the value", (len(asked), found.structured_content["kind"]), (1, "needsInput:v1"))

    found = await call(binary, mode, {}, "search_patterns", {"q": "", "format": "both"})
    value = found.structured_content
    check(f"{mode}: without a user: the value, and no error", (value["kind"], bool(found.is_error)), ("needsInput:v1", False))
    check(f"{mode}: without a user: the last block is the value", json.loads(found.content[-1].text), value)
    check(f"{mode}: without a user: the fields", value["needsInput"]["fields"], ["q"])


async def main(binary):
    with anyio.fail_after(DEADLINE):
        for mode in ["legacy", LATEST_MODERN_VERSION]:
            await in_mode(binary, mode)
    print(f"{COUNTS[True]} passed, {COUNTS[False]} failed")
    return 1 if COUNTS[False] else 0


sys.exit(anyio.run(main, sys.argv[1]))
