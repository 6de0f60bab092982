"""Checks all tools of the Atlassian server with the official Python client, PyPI `mcp` 2.3.0.

    python atlassian.py <path to the plainwire binary> [cloud | datacenter]

The server has the stand-in site behind it: no account is needed. For Cloud and for Data Center, in each era, over stdio and
Streamable HTTP, each tool is called, and refused once in words that a model can act on. Each change is previewed, made, read back, taken
back, and read back again. A tool that is not in the table of this file fails. In the legacy era, the calls that users of mcp-atlassian
0.23.1 make come last, with its names and forms of arguments. With a deployment, there is one run over stdio in the legacy era, against
the site of that deployment at JIRA_URL. Prints one line per check that failed, and at the end `N passed, M failed`. Exit code 1 if
anything failed.
"""

import base64
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import asynccontextmanager

import anyio
import jsonschema
from mcp import Client, MCPError, StdioServerParameters, stdio_client
from mcp_types.version import LATEST_MODERN_VERSION

DEADLINE = 300
# The day decides the keys and ids below.
TODAY = "2026-11-27"
SERVE = ["serve", "atlassian", "--demo", "--toolsets", "all", "--today", TODAY]
# The tools of mcp-atlassian, if they are at hand.
SHARED = os.path.join(os.environ.get("PLAINWIRE_SHARED", "../shared"), "atlassian", "mcp-atlassian-0.23.1.json")
FORMS = {"jira_get_issue_proforma_forms", "jira_get_proforma_form_details", "jira_update_proforma_form_answers"}
CLOUD_ONLY = {"jira_move_issue", "jira_batch_get_changelogs", "jira_get_dashboard_gadgets"} | FORMS
# What atlassian_undo can't take back.
LASTING = {"atlassian_undo", "jira_batch_create_issues", "jira_delete_issue", "jira_update_proforma_form_answers"}
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
COUNTS = {True: 0, False: 0}
TABLE = {}

ISSUE, EPIC, OTHER, NONE = "SHOP-3", "SHOP-7", "SHOP-101", "SHOP-99999"
LENA, LENA_MAIL, CARLOS = "Lena Fischer", "lena.fischer@plainwire.example", "carlos.ibanez@plainwire.example"
GONE = "does not exist"


def check(name, found, expected):
    COUNTS[found == expected] += 1
    if found != expected:
        print(f"not ok {name}: expected {expected!r}, but found {found!r}", flush=True)


def in_order(keys):
    return sorted(keys, key=lambda key: (key.split("-")[0], int(key.split("-")[1])))


def entry(function):
    """Adds the checks of the tool that a function is named after to the table."""
    TABLE[function.__name__] = function
    return function


@asynccontextmanager
async def connected(binary, words, transport, mode):
    if transport == "stdio":
        local = stdio_client(StdioServerParameters(command=binary, args=words))
        async with Client(local, mode=mode) as client:
            yield client
        return
    server = subprocess.Popen([binary, *words, "--http", "127.0.0.1:0"], stderr=subprocess.PIPE, text=True)
    try:
        url = re.search(r"http://\S+", await anyio.to_thread.run_sync(server.stderr.readline)).group(0)
        async with Client(url, mode=mode) as client:
            yield client
    finally:
        server.kill()
        server.wait()


class Run:
    """Calls tools of a server, and checks what all calls have in common."""

    def __init__(self, client, name, deployment, tools):
        self.client, self.name, self.is_cloud, self.tools = client, name, deployment == "cloud", tools
        self.called, self.failed, self.undone = set(), set(), set()

    def check(self, about, found, expected):
        check(f"{self.name}: {about}", found, expected)

    async def answer(self, tool, arguments):
        about = f"{self.name}: {tool} {json.dumps(arguments, ensure_ascii=False)[:300]}"
        result = await self.client.call_tool(tool, arguments)
        texts = [block.text for block in result.content if block.type == "text"]
        value = result.structured_content
        if value and (schema := self.tools[tool].output_schema):
            errors = jsonschema.Draft202012Validator(schema).iter_errors(value)
            check(f"{about}: the value fits the schema", [it.message for it in errors], [])
        return about, result, value, texts

    async def call(self, tool, **arguments):
        """Calls a tool that succeeds, and returns its value."""
        value, _ = await self.blocks(tool, **arguments)
        return value

    async def blocks(self, tool, **arguments):
        """Calls a tool that succeeds, and returns its value and the other blocks."""
        about, result, value, texts = await self.answer(tool, arguments)
        kind = (value or {}).get("kind", "")
        check(f"{about}: success", (result.is_error, kind.startswith(("jira", "atlassian"))), (False, True))
        if result.is_error or not value:
            raise AssertionError(f"{about}: {texts}")
        exact = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
        check(f"{about}: the text is the value", texts, [exact])
        self.called.add(tool)
        return value, result.content[1:]

    async def refused(self, tool, words, **arguments):
        """Calls a tool that fails, and checks that its text says why."""
        about, result, value, texts = await self.answer(tool, arguments)
        check(f"{about}: refused", result.is_error, True)
        check(f"{about}: the text says {words!r}", words in texts[0] or texts[0], True)
        if value:
            check(f"{about}: the value says it too", (value["kind"], value["message"] in texts[0]), ("toolError:v1", True))
        self.failed.add(tool)

    async def asked(self, tool, argument, options, **arguments):
        """Calls a tool that can't go on without a choice, and checks what it offers."""
        about, _, value, _ = await self.answer(tool, arguments)
        value = value or {}
        check(f"{about}: asks", value.get("kind"), "needsInput:v1")
        offered = {it["value"] for it in value.get("options", []) if it["field"] == argument}
        check(f"{about}: offers several, with {sorted(options)}", (len(offered) > 1 and offered >= set(options)) or offered, True)
        self.failed.add(tool)

    async def change(self, tool, look, expected, **arguments):
        """Previews a change, makes it, reads it, takes it back, and reads again. `expected` is what is read after the change, or a
        function of what was read before and of the answer. Returns the answer."""
        about = f"{tool} {json.dumps(arguments, ensure_ascii=False)[:200]}"
        before = await look()
        preview = await self.call(tool, **arguments, preview=True)
        self.check(f"{about}: a preview", (preview["is_preview"], "undo" in preview), (True, False))
        self.check(f"{about}: a preview writes nothing", await look(), before)
        made = await self.call(tool, **arguments)
        self.check(f"{about}: made as previewed", (made["is_preview"], made["changes"]), (False, preview["changes"]))
        self.check(f"{about}: read back", await look(), expected(before, made) if callable(expected) else expected)
        undo = {"undo": made.get("undo", "")}
        await self.call("atlassian_undo", **undo, preview=True)
        undone = await self.call("atlassian_undo", **undo)
        back = [{"field": it["field"], "old": it["new"], "new": it["old"]} for it in made["changes"]]
        self.check(f"{about}: taken back", (undone["is_preview"], undone["changes"]), (False, back))
        self.check(f"{about}: read after it was taken back", await look(), before)
        self.undone.add(tool)
        return made

    # Readers: each returns a function that reads a part of the state.

    def fields(self, key, *names):
        async def look():
            return (await self.call("jira_get_issue", issue_key=key, fields=list(names), comment_limit=0))["fields"]

        return look

    def found(self, jql):
        async def look():
            found = await self.call("jira_search", jql=jql, fields=["summary"], limit=100)
            return in_order(issue["key"] for issue in found["issues"])

        return look

    def links(self, key):
        async def look():
            links = (await self.fields(key, "links")()).get("links", [])
            return sorted((link["how"], link["key"]) for link in links)

        return look

    def reader(self, tool, pick, **arguments):
        async def look():
            return pick(await self.call(tool, **arguments))

        return look


# Reading


@entry
async def jira_get_issue(it):
    value = await it.call("jira_get_issue", issue_key="SHOP-1")
    it.check("an issue", (value["key"], value["fields"]["summary"]), ("SHOP-1", "Gift cards that can be used in parts"))
    whole = await it.call(
        "jira_get_issue", issue_key=f"{value['url']}", fields=["*all"], expand=["changelog", "transitions"],
        include=["links", "subtasks", "attachments", "worklog", "watchers", "remote_links"], comment_limit=100, properties=["*all"],
    )
    parts = {"changelog", "transitions", "worklog", "watchers", "remote_links"}
    it.check("the parts of an issue", parts <= set(whole["more"]) or sorted(whole["more"]), True)
    raw = await it.call("jira_get_issue", issue_key="SHOP-20", fields=["description"], raw=True)
    it.check("a raw description", raw["fields"]["description"].startswith('{"') is it.is_cloud, True)
    await it.refused("jira_get_issue", GONE if not it.is_cloud else "Issue does not exist", issue_key=NONE)
    await it.refused("jira_get_issue", "there is no field", issue_key="SHOP-1", fields=["Colour of the sky"])


@entry
async def jira_search(it):
    first, links = await it.blocks("jira_search", jql="project = SHOP ORDER BY key", limit=3, fields=["summary", "Status"])
    keys = [issue["key"] for issue in first["issues"]]
    found = [(link.type, str(link.uri)) for link in links]
    it.check("a link for each issue", found, [("resource_link", f"jira://issues/{key}") for key in keys])
    rest = await it.call("jira_search", jql="project = SHOP ORDER BY key", limit=3, page_token=first["next_page_token"])
    it.check("the next page", [issue["key"] for issue in rest["issues"] if issue["key"] in keys], [])
    words = await it.call("jira_search", jql="gift card")
    it.check("words in place of JQL", len(words["issues"]) > 0, True)
    both = await it.call("jira_search", jql="created >= -600d", projects_filter=["PAY"], limit=5)
    it.check("only a project", {issue["key"].split("-")[0] for issue in both["issues"]}, {"PAY"})
    await it.refused("jira_search", "'foo'", jql="foo = 1")


@entry
async def jira_get_project_issues(it):
    value = await it.call("jira_get_project_issues", project_key="MOB2", limit=2)
    it.check("issues of a project", [issue["key"].split("-")[0] for issue in value["issues"]], ["MOB2"] * 2)
    await it.refused("jira_get_project_issues", "NOPE", project_key="NOPE")


@entry
async def jira_get_my_issues(it):
    value = await it.call("jira_get_my_issues", include_done=True, limit=5)
    it.check("my issues", {issue["assignee"] for issue in value["issues"]}, {"Dana Moreau"})
    await it.refused("jira_get_my_issues", "there is no field", fields=["Colour of the sky"])


@entry
async def jira_batch_get_changelogs(it):
    value = await it.call("jira_batch_get_changelogs", issue_ids_or_keys=["SHOP-1", "SHOP-2"], fields=["status"])
    fields = {change["field"] for issue in value["issues"] for log in issue["entries"] for change in log["changes"]}
    it.check("changelogs", (len(value["issues"]), "status" in fields), (2, True))
    some = await it.call("jira_batch_get_changelogs", issue_ids_or_keys=["SHOP-1", "SHOP-2"], limit=1)
    it.check("the newest entry of each issue", ([len(issue["entries"]) for issue in some["issues"]], some["is_complete"]), ([1, 1], False))
    await it.refused("jira_batch_get_changelogs", "at least one issue", issue_ids_or_keys=[])


@entry
async def jira_search_fields(it):
    value = await it.call("jira_search_fields", keyword="sprint")
    it.check("fields", value["fields"][0]["name"], "Sprint")
    it.check("no fields", (await it.call("jira_search_fields", keyword="zzzz"))["fields"], [])


@entry
async def jira_get_field_options(it):
    value = await it.call("jira_get_field_options", field_id="priority", project_key="SHOP", issue_type="Task")
    it.check("options", value["options"], ["Highest", "High", "Medium", "Low", "Lowest"])
    await it.refused("jira_get_field_options", "there is no field", field_id="Colour of the sky")


@entry
async def jira_get_edit_metadata(it):
    value = await it.call("jira_get_edit_metadata", issue_key=ISSUE, fields=["priority"])
    it.check("fields to change", [(field["id"], len(field["allowed"])) for field in value["fields"]], [("priority", 5)])
    await it.refused("jira_get_edit_metadata", "ssue", issue_key=NONE)


@entry
async def jira_get_priorities(it):
    value = await it.call("jira_get_priorities")
    it.check("priorities", [each["name"] for each in value["priorities"]], ["Highest", "High", "Medium", "Low", "Lowest"])


@entry
async def jira_get_statuses(it):
    value = await it.call("jira_get_statuses")
    it.check("statuses", "Escalated" in {each["name"] for each in value["statuses"]}, True)
    value = await it.call("jira_get_statuses", project_key="SHOP")
    it.check("statuses of a project", {each["type"] for each in value["statuses"]} >= {"Epic", "Bug"}, True)
    await it.refused("jira_get_statuses", "NOPE", project_key="NOPE")


@entry
async def jira_get_comments(it):
    key = (await it.found("project = HELP ORDER BY key")())[0]
    value = await it.call("jira_get_comments", issue_key=key)
    it.check("comments", (len(value["comments"]) > 0, value["total"] >= len(value["comments"])), (True, True))
    await it.refused("jira_get_comments", "ssue", issue_key=NONE)


@entry
async def jira_get_transitions(it):
    value = await it.call("jira_get_transitions", issue_key=ISSUE)
    it.check("transitions", {each["to"] for each in value["transitions"]}, {"In Progress", "Done"})
    await it.refused("jira_get_transitions", "ssue", issue_key=NONE)


@entry
async def jira_get_all_projects(it):
    value = await it.call("jira_get_all_projects", limit=3)
    rest = await it.call("jira_get_all_projects", page_token=value["next_page_token"])
    it.check("projects", [each["key"] for each in value["projects"] + rest["projects"]], ["HELP", "MOB2", "OPS", "PAY", "SHOP"])
    await it.refused("jira_get_all_projects", "token", page_token="zzz")


@entry
async def jira_search_projects(it):
    value = await it.call("jira_search_projects", query="till")
    it.check("a project", [each["key"] for each in value["projects"]], ["MOB2"])
    left = await it.call("jira_search_projects", query="till", current_project_ids=[value["projects"][0]["id"]])
    it.check("no project", left["projects"], [])
    await it.refused("jira_search_projects", "token", query="", page_token="zzz")


@entry
async def jira_get_project_issue_types(it):
    value = await it.call("jira_get_project_issue_types", project_key="SHOP")
    it.check("types", {each["name"] for each in value["issue_types"]}, {"Epic", "Story", "Task", "Bug", "Sub-task"})
    await it.refused("jira_get_project_issue_types", "NOPE", project_key="NOPE")


@entry
async def jira_get_create_fields(it):
    types = (await it.call("jira_get_project_issue_types", project_key="SHOP"))["issue_types"]
    bug = next(each["id"] for each in types if each["name"] == "Bug")
    by_id = await it.call("jira_get_create_fields", project_key="SHOP", issue_type_id=bug)
    by_name = await it.call("jira_get_create_fields", project_key="SHOP", issue_type_id="bug")
    required = {each["id"] for each in by_id["fields"] if each.get("required")}
    it.check("fields of a new issue", (by_id, required >= {"summary", "issuetype"} or required), (by_name, True))
    await it.refused("jira_get_create_fields", "Nonsense", project_key="SHOP", issue_type_id="Nonsense")


@entry
async def jira_get_project_fields(it):
    value = await it.call("jira_get_project_fields", project_key="SHOP")
    it.check("fields of a project", {each["id"] for each in value["fields"]} >= {"summary", "priority", "components"}, True)
    await it.refused("jira_get_project_fields", "NOPE", project_key="NOPE")


@entry
async def jira_get_project_versions(it):
    value = await it.call("jira_get_project_versions", project_key="SHOP")
    it.check("versions", (value["versions"][0]["name"], value["total"]), ("4.9", 9))
    await it.refused("jira_get_project_versions", "NOPE", project_key="NOPE")


@entry
async def jira_get_project_components(it):
    value = await it.call("jira_get_project_components", project_key="SHOP", limit=2)
    it.check("components", (len(value["components"]), value["total"], "next_page_token" in value), (2, 6, True))
    await it.refused("jira_get_project_components", "NOPE", project_key="NOPE")


@entry
async def jira_get_link_types(it):
    value = await it.call("jira_get_link_types", name_filter="block")
    it.check("types of links", [(each["name"], each["outward"]) for each in value["link_types"]], [("Blocks", "blocks")])


@entry
async def jira_get_remote_issue_links(it):
    value = await it.call("jira_get_remote_issue_links", issue_key=ISSUE)
    it.check("links to pages", isinstance(value["remote_links"], list), True)
    await it.refused("jira_get_remote_issue_links", "ssue", issue_key=NONE)


@entry
async def jira_get_worklog(it):
    key = (await it.found("worklogDate >= -600d ORDER BY key")())[0]
    value = await it.call("jira_get_worklog", issue_key=key)
    it.check("worklogs", (value["total"] > 0, value["seconds"] > 0, len(value["worklogs"])), (True, True, value["total"]))
    await it.refused("jira_get_worklog", "ssue", issue_key=NONE)


@entry
async def jira_get_issue_watchers(it):
    value = await it.call("jira_get_issue_watchers", issue_key="SHOP-1")
    it.check("watchers", value["count"], len(value["people"]))
    await it.refused("jira_get_issue_watchers", "ssue", issue_key=NONE)


@entry
async def jira_get_user_profile(it):
    me = await it.call("jira_get_user_profile", user_identifier="me")
    lena = [await it.call("jira_get_user_profile", user_identifier=who) for who in [LENA, LENA_MAIL]]
    again = await it.call("jira_get_user_profile", user_identifier=lena[0]["id"])
    it.check("people", (me["name"], lena), ("Dana Moreau", [again, again]))
    await it.refused("jira_get_user_profile", "there is no person", user_identifier="Nobody Atall")
    await it.asked("jira_get_user_profile", "user_identifier", [], user_identifier="Alex Kim")


@entry
async def jira_search_assignable_users(it):
    for place in [{"project_key": "SHOP"}, {"issue_key": ISSUE}]:
        value = await it.call("jira_search_assignable_users", query="Lena", **place)
        it.check("people to assign", [each["name"] for each in value["people"]], [LENA])
    await it.refused("jira_search_assignable_users", "expected one of", query="Lena")


@entry
async def jira_search_users(it):
    value = await it.call("jira_search_users", query="Alex", limit=1)
    it.check("people found", ([each["name"] for each in value["people"]], value["is_cut"]), (["Alex Kim"], True))


@entry
async def jira_whoami(it):
    value = await it.call("jira_whoami")
    it.check("who I am", (value["person"]["name"], value["product"]), ("Dana Moreau", "Jira Cloud" if it.is_cloud else "Jira Data Center"))


@entry
async def jira_download_attachments(it):
    value, blocks = await it.blocks("jira_download_attachments", issue_key=await with_file(it))
    inside = [bool(getattr(block.resource, "text", None) or getattr(block.resource, "blob", None)) for block in blocks]
    it.check("files", (len(value["files"]) > 0, inside), (True, [True] * len(value["files"])))
    await it.refused("jira_download_attachments", "has no file", issue_key=await with_file(it), attachments=["nothing.txt"])


@entry
async def jira_get_issue_images(it):
    value, blocks = await it.blocks("jira_get_issue_images", issue_key="SHOP-20")
    kinds = [(block.type, block.mime_type, base64.b64decode(block.data)[:4]) for block in blocks]
    it.check("pictures", (len(value["files"]), kinds), (1, [("image", "image/png", b"\x89PNG")]))
    cut = await it.call("jira_get_issue_images", issue_key="SHOP-20", max_bytes=10)
    it.check("pictures left out", (cut["files"], [each["name"] for each in cut["left_out"]]), ([], ["three-steps.png"]))
    await it.refused("jira_get_issue_images", "ssue", issue_key=NONE)


async def with_file(it):
    """Returns an issue with files of text."""
    found = (await it.call("jira_search", jql="attachments IS NOT EMPTY ORDER BY key", fields=["attachment"], limit=50))["issues"]
    return next(issue["key"] for issue in found if any(file["type"].startswith("text/") for file in issue["attachments"]))


@entry
async def jira_get_agile_boards(it):
    value = await it.call("jira_get_agile_boards", project_key="SHOP", board_type="scrum")
    it.check("boards", [(each["id"], each["name"]) for each in value["boards"]], [(1, "SHOP board")])
    await it.refused("jira_get_agile_boards", "NOPE", project_key="NOPE")


@entry
async def jira_get_board_issues(it):
    value = await it.call("jira_get_board_issues", board_id="1", jql="issuetype = Bug", limit=20)
    it.check("issues of a board", {issue["type"] for issue in value["issues"]}, {"Bug"})
    # Cloud answers wiki markup here.
    it.check("Markdown on a board", [issue["key"] for issue in value["issues"] if "```adf" in issue.get("description", "")], [])
    await it.refused("jira_get_board_issues", "board", board_id="999")


@entry
async def jira_get_sprints_from_board(it):
    value = await it.call("jira_get_sprints_from_board", board_id="1", state="active,future")
    it.check("sprints", [(each["id"], each["state"]) for each in value["sprints"]], [(7, "active"), (8, "future")])
    await it.refused("jira_get_sprints_from_board", "does not support sprints", board_id="3")


@entry
async def jira_get_sprint_issues(it):
    value = await it.call("jira_get_sprint_issues", sprint_id="7", fields=["summary", "Sprint"], limit=3)
    it.check("issues of a sprint", len(value["issues"]), 3)
    await it.refused("jira_get_sprint_issues", "sprint", sprint_id="4711")


@entry
async def jira_get_filters(it):
    value = await it.call("jira_get_filters", filter_name="checkout")
    it.check("filters", [(each["id"], each["name"]) for each in value["filters"]], [("10004", "Checkout bugs")])
    await it.refused("jira_get_filters", "99999", filter_id="99999")


@entry
async def jira_list_dashboards(it):
    value = await it.call("jira_list_dashboards", limit=1)
    rest = await it.call("jira_list_dashboards", page_token=value["next_page_token"])
    it.check("dashboards", [each["id"] for each in value["dashboards"] + rest["dashboards"]], ["10000", "10001"])
    await it.refused("jira_list_dashboards", "token", page_token="zzz")


@entry
async def jira_get_dashboard_gadgets(it):
    value = await it.call("jira_get_dashboard_gadgets", dashboard_id="10000")
    it.check("gadgets", value["gadgets"][0]["title"], "Assigned to Me")
    await it.refused("jira_get_dashboard_gadgets", "dashboard", dashboard_id="99999")


@entry
async def jira_get_service_desk_for_project(it):
    value = await it.call("jira_get_service_desk_for_project", project_key="HELP")
    it.check("a service desk", (value["service_desk_id"], value["project_name"]), ("1", "Help desk"))
    await it.refused("jira_get_service_desk_for_project", "no service desk", project_key="SHOP")


@entry
async def jira_get_service_desk_queues(it):
    value = await it.call("jira_get_service_desk_queues", service_desk_id="1")
    same = await it.call("jira_get_service_desk_queues", service_desk_id="HELP")
    it.check("queues", (value["queues"][0]["name"], same), ("All open", value))
    await it.refused("jira_get_service_desk_queues", "99", service_desk_id="99")


@entry
async def jira_get_queue_issues(it):
    value = await it.call("jira_get_queue_issues", service_desk_id="1", queue_id="1", limit=2)
    it.check("issues of a queue", [issue["key"].split("-")[0] for issue in value["issues"]], ["HELP"] * 2)
    await it.refused("jira_get_queue_issues", "99", service_desk_id="1", queue_id="99")


@entry
async def jira_get_request_types(it):
    value = await it.call("jira_get_request_types", service_desk_id="1")
    it.check("request types", value["request_types"][0]["name"], "Ask a question")
    await it.refused("jira_get_request_types", "99", service_desk_id="99")


@entry
async def jira_get_request_type_fields(it):
    value = await it.call("jira_get_request_type_fields", service_desk_id="1", request_type_id="1")
    it.check("the form", [each["id"] for each in value["fields"] if each["required"]], ["summary", "description"])
    await it.refused("jira_get_request_type_fields", "99", service_desk_id="1", request_type_id="99")


@entry
async def jira_get_issue_dates(it):
    value = await it.call("jira_get_issue_dates", issue_key="SHOP-1")
    stays = [stay["status"] for stay in value["status_changes"]]
    it.check("dates", (stays[0], stays[-1], len(value["status_summary"]) > 0), ("To Do", "Done", True))
    await it.refused("jira_get_issue_dates", "ssue", issue_key=NONE)


@entry
async def jira_get_issue_sla(it):
    value = await it.call("jira_get_issue_sla", issue_key="SHOP-1", metrics=["lead_time"], working_hours_only=True, include_raw_dates=True)
    it.check("times", (list(value["metrics"]), value["metrics"]["lead_time"]["is_resolved"]), (["lead_time"], True))
    desk = await it.call("jira_get_issue_sla", issue_key="HELP-4")
    it.check("agreements", len(desk.get("service_desk", [])) > 0, True)
    await it.refused("jira_get_issue_sla", "expected metrics among", issue_key="SHOP-1", metrics=["beauty"])


@entry
async def jira_get_project_epic_hierarchy(it):
    value = await it.call("jira_get_project_epic_hierarchy", project_key="SHOP")
    epics = [epic["key"] for group in value["groups"] for epic in group["epics"]]
    it.check("epics", ("SHOP-1" in epics, len(epics), value["is_complete"]), (True, value["total_epics"], True))
    await it.refused("jira_get_project_epic_hierarchy", "NOPE", project_key="NOPE")


@entry
async def jira_get_cross_project_dependencies(it):
    value = await it.call("jira_get_cross_project_dependencies", project_key="SHOP")
    it.check("dependencies", ("PAY" in value["by_project"], "SHOP" in value["by_project"]), (True, False))
    await it.refused("jira_get_cross_project_dependencies", "NOPE", project_key="NOPE")


@entry
async def jira_get_issue_development_info(it):
    # Not each issue has development, but among three neighbours one has.
    keys = ["SHOP-20", "SHOP-21", "SHOP-22"]
    found = [(await it.call("jira_get_issue_development_info", issue_key=key))["issues"][0] for key in keys]
    it.check("development", any("branches" in issue and "commits" in issue for issue in found) or found, True)
    await it.refused("jira_get_issue_development_info", "ssue", issue_key=NONE)


@entry
async def jira_get_issues_development_info(it):
    value = await it.call("jira_get_issues_development_info", issue_keys=["SHOP-1", ISSUE, NONE])
    it.check("development of issues", (len(value["issues"]), [each["key"] for each in value["failed"]]), (2, [NONE]))
    await it.refused("jira_get_issues_development_info", "at most 50", issue_keys=[f"SHOP-{n}" for n in range(1, 60)])


async def with_form(it):
    """Returns an issue with a form, and the id of the form."""
    for key in await it.found("project = HELP AND issuetype = Incident")():
        forms = (await it.call("jira_get_issue_proforma_forms", issue_key=key))["forms"]
        if forms:
            return {"issue_key": key, "form_id": forms[0]["id"]}
    raise AssertionError("no issue has a form")


@entry
async def jira_get_issue_proforma_forms(it):
    await with_form(it)
    none = await it.call("jira_get_issue_proforma_forms", issue_key="SHOP-1")
    it.check("no forms", none["forms"], [])
    await it.refused("jira_get_issue_proforma_forms", "ssue", issue_key=NONE)


@entry
async def jira_get_proforma_form_details(it):
    form = await with_form(it)
    value = (await it.call("jira_get_proforma_form_details", **form))["form"]
    it.check("a form", (value["state"], value["questions"][1]["choices"]), ("open", ["Slow", "Partly down", "Down"]))
    await it.refused("jira_get_proforma_form_details", "form", **form | {"form_id": "none"})


# Writing


@entry
async def atlassian_undo(it):
    await it.refused("atlassian_undo", "unknown, has expired", undo="undo-00")
    made = await it.call("jira_update_issue", issue_key=ISSUE, fields={"labels": ["one"]})
    later = await it.call("jira_update_issue", issue_key=ISSUE, fields={"labels": ["two"]})
    await it.refused("atlassian_undo", "was changed since", undo=made["undo"])
    await it.call("atlassian_undo", undo=later["undo"])
    await it.call("atlassian_undo", undo=made["undo"])
    await it.refused("atlassian_undo", "unknown, has expired", undo=made["undo"])


@entry
async def jira_create_issue(it):
    new = {"project_key": "SHOP", "summary": "Made by a judge", "issue_type": "Bug", "description": "It is **broken**.\n\n- [ ] look\n"}
    more = {"labels": ["judge"], "priority": "High", "Fix versions": ["5.6"], "duedate": "2026-12-01"}
    new |= {"assignee": LENA, "components": ["Checkout", "Search"], "additional_fields": more}
    made = await it.change("jira_create_issue", it.found("labels = judge"), lambda _, made: [made["key"]], **new)
    await it.refused("jira_get_issue", "ssue", issue_key=made["key"])
    once = [await it.call("jira_create_issue", **new, idempotency_key="one") for _ in range(2)]
    it.check("made once", once[0]["key"], once[1]["key"])
    value = await it.call("jira_get_issue", issue_key=once[0]["key"], fields="*all")
    expected = {"summary": new["summary"], "assignee": LENA, "components": ["Checkout", "Search"], "labels": ["judge"], "priority": "High"}
    expected |= {"type": "Bug", "fix_versions": ["5.6"], "due": "2026-12-01"}
    it.check("the new issue", {name: value["fields"].get(name) for name in expected}, expected)
    it.check("its description", "**broken**" in value["fields"]["description"], True)
    await it.refused("jira_create_issue", "one", **new | {"summary": "Another"}, idempotency_key="one")
    await it.call("atlassian_undo", undo=once[0]["undo"])
    await it.refused("jira_create_issue", "`issuetype`", **new | {"issue_type": "Nonsense"})
    await it.refused("jira_create_issue", "there is no field", **new | {"additional_fields": {"Colour of the sky": "blue"}})


@entry
async def jira_batch_create_issues(it):
    new = [{"project_key": "SHOP", "summary": f"Number {n}", "issue_type": "Task", "labels": ["judge"]} for n in range(2)]
    checked = await it.call("jira_batch_create_issues", issues=new, validate_only=True)
    it.check("only checked", (checked["is_preview"], await it.found("labels = judge")()), (True, []))
    made = await it.call("jira_batch_create_issues", issues=[*new, {**new[0], "issue_type": "Nonsense"}])
    keys = made["result"]["keys"]
    it.check("made what could be", (len(keys), any("[2] was not made" in text for text in made["warnings"])), (2, True))
    it.check("found", sorted(await it.found("labels = judge")()), sorted(keys))
    for key in keys:
        await it.call("jira_delete_issue", issue_key=key)
    it.check("deleted", await it.found("labels = judge")(), [])
    await it.refused("jira_batch_create_issues", "issues[0].issue_type", issues=[{"project_key": "SHOP", "summary": "x"}])


@entry
async def jira_update_issue(it):
    wanted = {"summary": "Another summary", "priority": "Lowest", "labels": ["judge"], "assignee": LENA, "due": "2026-12-24"}
    names = ["summary", "priority", "labels", "assignee", "duedate", "components"]
    expected = {**wanted, "components": ["Search"]}
    await it.change("jira_update_issue", it.fields(ISSUE, *names), expected, issue_key=ISSUE, fields=wanted, components=["Search"])
    moved = {"status": "In Progress", "summary": "It goes on"}
    await it.change("jira_update_issue", it.fields(ISSUE, "status", "summary"), moved, issue_key=ISSUE, fields=moved)
    # A description with all that an editor can do, of which one word changes.
    read = await it.call("jira_get_issue", issue_key="SHOP-20")
    text = read["fields"]["description"]
    edited = text.replace("seven pages become three", "seven pages become four")
    it.check("there is something to edit", edited != text, True)
    look = it.reader("jira_get_issue", lambda value: (value["fields"]["description"], value["description_revision"]), issue_key="SHOP-20")

    async def description():
        return (await look())[0]

    revision = {"based_on": read["description_revision"]}
    await it.change("jira_update_issue", description, edited, issue_key="SHOP-20", fields={"description": edited}, **revision)
    it.check("the description to the byte", await look(), (text, read["description_revision"]))
    await it.refused("jira_update_issue", "changed since", issue_key="SHOP-20", fields={"description": edited}, based_on="0000")
    await it.refused("jira_update_issue", "there is no field", issue_key=ISSUE, fields={"Colour of the sky": "blue"})
    await it.refused("jira_update_issue", "priority", issue_key=ISSUE, fields={"priority": "Nonsense"})
    await it.refused("jira_update_issue", "jira_upload_attachment", issue_key=ISSUE, fields={}, attachments=["notes.txt"])


@entry
async def jira_assign_issue(it):
    look = it.fields(ISSUE, "assignee")
    await it.change("jira_assign_issue", look, {"assignee": LENA}, issue_key=ISSUE, assignee=LENA)
    await it.change("jira_assign_issue", look, {}, issue_key=ISSUE)
    await it.refused("jira_assign_issue", "there is no person", issue_key=ISSUE, assignee="Nobody Atall")
    await it.asked("jira_assign_issue", "assignee", [], issue_key=ISSUE, assignee="Alex Kim")


@entry
async def jira_delete_issue(it):
    new = {"project_key": "SHOP", "summary": "Not for long", "issue_type": "Task", "additional_fields": {"labels": ["judge"]}}
    key = (await it.call("jira_create_issue", **new))["key"]
    preview = await it.call("jira_delete_issue", issue_key=key, preview=True)
    it.check("not yet deleted", (preview["is_preview"], await it.found("labels = judge")()), (True, [key]))
    gone = await it.call("jira_delete_issue", issue_key=key)
    it.check("deleted for good", ("undo" in gone, any("can't take this back" in text for text in gone["warnings"])), (False, True))
    await it.refused("jira_get_issue", "ssue", issue_key=key)
    await it.refused("jira_delete_issue", "permission", issue_key="PAY-1")


@entry
async def jira_move_issue(it):
    new = {"project_key": "SHOP", "summary": "Goes away", "issue_type": "Task", "additional_fields": {"labels": ["judge"]}}
    made = await it.call("jira_create_issue", **new)

    async def look():
        return [issue.split("-")[0] for issue in await it.found("labels = judge")()]

    await it.change("jira_move_issue", look, ["OPS"], issue_key=made["key"], target_project_key="OPS")
    for key in await it.found("labels = judge")():
        await it.call("jira_delete_issue", issue_key=key)
    await it.refused("jira_move_issue", "NOPE", issue_key=ISSUE, target_project_key="NOPE")


@entry
async def jira_add_comment(it):
    look = it.reader("jira_get_comments", lambda value: [each["body"].strip() for each in value["comments"]], issue_key=ISSUE)
    text = "Seen **twice**, by `curl` and by hand."
    await it.change("jira_add_comment", look, lambda before, _: [*before, text], issue_key=ISSUE, body=text)
    only = {"visibility": {"type": "group", "value": "jira-software-users"}}
    await it.change("jira_add_comment", look, lambda before, _: [*before, text], issue_key=ISSUE, body=text, **only)
    await it.refused("jira_add_comment", "ssue", issue_key=NONE, body=text)


@entry
async def jira_edit_comment(it):
    made = await it.call("jira_add_comment", issue_key=ISSUE, body="As it was.")
    id = made["result"]["comment_id"]
    pick = lambda value: [each["body"].strip() for each in value["comments"] if each["id"] == id]
    look = it.reader("jira_get_comments", pick, issue_key=ISSUE)
    await it.change("jira_edit_comment", look, ["As it **is**."], issue_key=ISSUE, comment_id=id, body="As it **is**.")
    await it.call("atlassian_undo", undo=made["undo"])
    await it.refused("jira_edit_comment", "omment", issue_key=ISSUE, comment_id="99999", body="x")


@entry
async def jira_transition_issue(it):
    look = it.fields(ISSUE, "status")
    await it.change("jira_transition_issue", look, {"status": "In Progress"}, issue_key=ISSUE, transition_id="In Progress")
    offered = (await it.call("jira_get_transitions", issue_key=ISSUE))["transitions"]
    done = next(each["id"] for each in offered if each["to"] == "Done")
    # There is no way back that keeps all, so a new issue is declined.
    key = (await it.call("jira_create_issue", project_key="SHOP", summary="To decline", issue_type="Bug"))["key"]
    wanted = {"fields": {"resolution": "Won't Do"}, "comment": "No."}
    moved = await it.call("jira_transition_issue", issue_key=key, transition_id=done, **wanted)
    it.check("declined", moved["changes"][0]["new"], "Done")
    it.check("resolved", await it.fields(key, "status", "resolution")(), {"status": "Done", "resolution": "Won't Do"})
    await it.call("jira_delete_issue", issue_key=key)
    await it.asked("jira_transition_issue", "transition_id", {each["id"] for each in offered}, issue_key=ISSUE, transition_id="Nowhere")
    await it.refused("jira_transition_issue", "esolution", issue_key=ISSUE, transition_id=done, fields={"resolution": "Nonsense"})


@entry
async def jira_create_version(it):
    look = it.reader("jira_get_project_versions", lambda value: [each["name"] for each in value["versions"]], project_key="SHOP")
    new = {"project_key": "SHOP", "name": "7.0", "start_date": "2026-12-01", "release_date": "2027-03-01", "description": "Far away."}
    await it.change("jira_create_version", look, lambda before, _: [*before, "7.0"], **new)
    await it.refused("jira_create_version", "already exists", **new | {"name": "5.6"})


@entry
async def jira_batch_create_versions(it):
    look = it.reader("jira_get_project_versions", lambda value: [each["name"] for each in value["versions"]], project_key="SHOP")
    new = [{"name": "7.1", "releaseDate": "2027-03-01"}, {"name": "7.2"}]
    await it.change("jira_batch_create_versions", look, lambda before, _: [*before, "7.1", "7.2"], project_key="SHOP", versions=new)
    await it.refused("jira_batch_create_versions", "1 to 50", project_key="SHOP", versions=[])


@entry
async def jira_update_version(it):
    pick = lambda value: next(each for each in value["versions"] if each["id"] == "10008")
    look = it.reader("jira_get_project_versions", pick, project_key="SHOP")
    wanted = {"name": "6.0 LTS", "release_date": "2027-01-01", "released": True}
    await it.change("jira_update_version", look, lambda before, _: {**before, **wanted}, version_id="10008", **wanted)
    await it.refused("jira_update_version", "99999", version_id="99999", name="x")


@entry
async def jira_create_component(it):
    look = it.reader("jira_get_project_components", lambda value: [each["name"] for each in value["components"]], project_key="SHOP")
    new = {"project_key": "SHOP", "name": "Zebra", "description": "Stripes.", "lead": LENA, "assignee_type": "COMPONENT_LEAD"}
    await it.change("jira_create_component", look, lambda before, _: [*before, "Zebra"], **new)
    await it.refused("jira_create_component", "already", **new | {"name": "Checkout"})


@entry
async def jira_create_issue_link(it):
    look, pair = it.links(OTHER), {"inward_issue_key": OTHER, "outward_issue_key": ISSUE}
    for kind, how, sentence in [
        ("Blocks", "blocks", f"{OTHER} blocks {ISSUE}"),
        ("is blocked by", "is blocked by", f"{ISSUE} blocks {OTHER}"),
    ]:
        linked = lambda before, _: sorted([*before, (how, ISSUE)])
        made = await it.change("jira_create_issue_link", look, linked, link_type=kind, **pair)
        it.check("the sentence of a link", made["summary"], sentence)
    await it.asked("jira_create_issue_link", "link_type", ["Blocks", "Relates"], link_type="Hates", **pair)
    await it.refused("jira_create_issue_link", "ssue", link_type="Blocks", **pair | {"outward_issue_key": NONE})


@entry
async def jira_remove_issue_link(it):
    made = await it.call("jira_create_issue_link", link_type="Relates", inward_issue_key=OTHER, outward_issue_key=ISSUE)
    without = [("relates to", ISSUE)]
    rest = lambda before, _: [link for link in before if link not in without]
    await it.change("jira_remove_issue_link", it.links(OTHER), rest, link_id=made["result"]["link_id"])
    await it.call("atlassian_undo", undo=made["undo"])
    await it.refused("jira_remove_issue_link", "link", link_id="99999")


@entry
async def jira_link_to_epic(it):
    look = it.found(f"parent = {EPIC}" if it.is_cloud else f'"Epic Link" = {EPIC}')
    await it.change("jira_link_to_epic", look, lambda before, _: in_order([*before, ISSUE]), issue_key=ISSUE, epic_key=EPIC)
    await it.refused("jira_link_to_epic", "ssue", issue_key=ISSUE, epic_key=NONE)


@entry
async def jira_create_remote_issue_link(it):
    look = it.reader("jira_get_remote_issue_links", lambda value: [each["url"] for each in value["remote_links"]], issue_key=ISSUE)
    page = {"url": "https://example.com/a?b=c", "title": "A page", "summary": "About it.", "relationship": "documentation"}
    await it.change("jira_create_remote_issue_link", look, lambda before, _: [*before, page["url"]], issue_key=ISSUE, **page)
    await it.refused("jira_create_remote_issue_link", "url", issue_key=ISSUE, url="no address", title="x")


@entry
async def jira_add_worklog(it):
    pick = lambda value: (value["seconds"], [each["time_spent"] for each in value["worklogs"]])
    look = it.reader("jira_get_worklog", pick, issue_key=ISSUE)
    work = {"time_spent": "1h 30m", "comment": "Looked *hard*.", "started": "2026-11-26T09:30:00Z"}
    for estimates in [{}, {"original_estimate": "3d", "remaining_estimate": "2d"}]:
        more = lambda before, _: (before[0] + 5400, [*before[1], "1h 30m"])
        await it.change("jira_add_worklog", look, more, issue_key=ISSUE, **work, **estimates)
    await it.refused("jira_add_worklog", "ime", issue_key=ISSUE, time_spent="a while")


@entry
async def jira_add_watcher(it):
    look = it.reader("jira_get_issue_watchers", lambda value: sorted(value["people"]), issue_key=ISSUE)
    await it.change("jira_add_watcher", look, lambda before, _: sorted([*before, LENA]), issue_key=ISSUE, user_identifier=LENA)
    await it.refused("jira_add_watcher", "there is no person", issue_key=ISSUE, user_identifier="Nobody Atall")


@entry
async def jira_remove_watcher(it):
    made = await it.call("jira_add_watcher", issue_key=ISSUE, user_identifier=LENA)
    look = it.reader("jira_get_issue_watchers", lambda value: sorted(value["people"]), issue_key=ISSUE)
    rest = lambda before, _: [who for who in before if who != LENA]
    await it.change("jira_remove_watcher", look, rest, issue_key=ISSUE, user_identifier=LENA)
    await it.call("atlassian_undo", undo=made["undo"])
    await it.refused("jira_remove_watcher", "there is no person", issue_key=ISSUE, user_identifier="Nobody Atall")


@entry
async def jira_upload_attachment(it):
    look = it.fields(ISSUE, "attachment")

    async def names():
        return [each["name"] for each in (await look()).get("attachments", [])]

    for name, content in [("notes.txt", {"text": "One.\n"}), ("a.png", {"content": PIXEL})]:
        more = lambda before, _: [*before, name]
        await it.change("jira_upload_attachment", names, more, issue_key=ISSUE, file_name=name, **content)
    await it.refused("jira_upload_attachment", "base64", issue_key=ISSUE, file_name="a.png", content="§§")


@entry
async def jira_create_sprint(it):
    look = it.reader("jira_get_sprints_from_board", lambda value: [each["name"] for each in value["sprints"]], board_id="1", state="future")
    new = {"board_id": "1", "name": "One more", "start_date": "2026-12-14", "end_date": "2026-12-24T12:00Z", "goal": "Peace."}
    await it.change("jira_create_sprint", look, lambda before, _: [*before, "One more"], **new)
    await it.refused("jira_create_sprint", "does not support sprints", **new | {"board_id": "3"})


@entry
async def jira_update_sprint(it):
    pick = lambda value: [(each["name"], each.get("goal")) for each in value["sprints"]]
    look = it.reader("jira_get_sprints_from_board", pick, board_id="1", state="future")
    wanted = {"name": "Renamed", "goal": "All of it."}
    await it.change("jira_update_sprint", look, [("Renamed", "All of it.")], sprint_id="8", **wanted)
    await it.refused("jira_update_sprint", "sprint", sprint_id="4711", name="x")


@entry
async def jira_add_issues_to_sprint(it):
    look = it.reader("jira_get_sprint_issues", lambda value: in_order(issue["key"] for issue in value["issues"]), sprint_id="8", limit=100)
    more = lambda before, _: in_order([*before, ISSUE, OTHER])
    await it.change("jira_add_issues_to_sprint", look, more, sprint_id="8", issue_keys=[ISSUE, OTHER])
    await it.refused("jira_add_issues_to_sprint", "ssue", sprint_id="8", issue_keys=[NONE])


@entry
async def jira_move_issues_to_backlog(it):
    look = it.reader("jira_get_sprint_issues", lambda value: in_order(issue["key"] for issue in value["issues"]), sprint_id="7", limit=100)
    first = (await look())[0]
    await it.change("jira_move_issues_to_backlog", look, lambda before, _: [key for key in before if key != first], issue_keys=[first])
    await it.refused("jira_move_issues_to_backlog", "ssue", issue_keys=[NONE])


@entry
async def jira_rank_issues(it):
    pick = lambda value: [issue["key"] for issue in value["issues"]]
    look = it.reader("jira_get_board_issues", pick, board_id="1", fields=["summary"], limit=5)
    first, second, third, *rest = await look()
    await it.change("jira_rank_issues", look, [third, first, second, *rest], issue_keys=[third], rank_before_issue=first)
    await it.change("jira_rank_issues", look, [second, third, first, *rest], issue_keys=[first], rank_after_issue=third)
    await it.refused("jira_rank_issues", "expected one of", issue_keys=[first])


def named_filter(it, id):
    """Data Center lists no other filters than favourites, so it is read by its id."""

    async def look():
        result = await it.client.call_tool("jira_get_filters", {"filter_id": id})
        return None if result.is_error else result.structured_content["filters"][0]["name"]

    return look


@entry
async def jira_create_filter(it):
    new = {"name": "The judge's", "jql": "labels = judge", "description": "Empty."}
    first = await it.call("jira_create_filter", **new)
    await it.call("atlassian_undo", undo=first["undo"])
    # The next one gets the same id.
    await it.change("jira_create_filter", named_filter(it, first["result"]["filter_id"]), "The judge's", **new)
    await it.refused("jira_create_filter", "foo", **new | {"jql": "foo = 1"})


@entry
async def jira_update_filter(it):
    look = it.reader("jira_get_filters", lambda value: value["filters"][0], filter_id="10004")
    wanted = {"name": "Bugs", "jql": "project = SHOP"}
    await it.change("jira_update_filter", look, lambda before, _: {**before, **wanted}, filter_id="10004", **wanted)
    await it.refused("jira_update_filter", "99999", filter_id="99999", name="x")


@entry
async def jira_delete_filter(it):
    id = (await it.call("jira_create_filter", name="The judge's", jql="labels = judge"))["result"]["filter_id"]
    await it.change("jira_delete_filter", named_filter(it, id), None, filter_id=id)
    await it.call("jira_delete_filter", filter_id=id)
    await it.refused("jira_delete_filter", "99999", filter_id="99999")


@entry
async def jira_create_customer_request(it):
    look = it.found("project = HELP AND summary ~ zebra")
    values = {"summary": "Where is the zebra", "description": "It **ran**."}
    new = {"service_desk_id": "1", "request_type_id": "1", "request_field_values": values}
    await it.change("jira_create_customer_request", look, lambda _, made: [made["key"]], **new)
    await it.change("jira_create_customer_request", look, lambda _, made: [made["key"]], **new, raise_on_behalf_of="Anne Whitlock")
    await it.refused("jira_create_customer_request", "Tell us more", **new | {"request_field_values": {"summary": "x"}})


@entry
async def jira_update_proforma_form_answers(it):
    form = await with_form(it)

    async def look():
        questions = (await it.call("jira_get_proforma_form_details", **form))["form"]["questions"]
        return {each["label"]: each.get("answer") for each in questions}

    before = await look()
    answers = [{"questionId": "1", "value": "A white page."}, {"questionId": "How bad was it?", "value": "Down"}]
    answers.append({"questionId": "3", "type": "DATE", "value": "2026-11-26"})
    preview = await it.call("jira_update_proforma_form_answers", **form, answers=answers, preview=True)
    it.check("a preview of answers writes nothing", (preview["is_preview"], await look()), (True, before))
    made = await it.call("jira_update_proforma_form_answers", **form, answers=answers)
    it.check("answered as previewed", made["changes"], preview["changes"])
    it.check("answers read back", list((await look()).values()), ["A white page.", ["Down"], "2026-11-26"])
    it.check("no undo", "undo" in made, False)
    old = [{"questionId": change["field"], "value": change["old"]} for change in made["changes"]]
    await it.call("jira_update_proforma_form_answers", **form, answers=old)
    it.check("the old answers written again", [each or None for each in (await look()).values()], list(before.values()))
    await it.refused("jira_update_proforma_form_answers", "has no question", **form, answers=[{"questionId": "99", "value": "x"}])
    await it.refused("jira_update_proforma_form_answers", "has no choice", **form, answers=[{"questionId": "2", "value": "Nonsense"}])


# What is not a tool


async def resources_and_prompts(it):
    client = it.client
    listed = (await client.list_resources()).resources
    it.check("resources/list", isinstance(listed, list), True)
    templates = {each.uri_template for each in (await client.list_resource_templates()).resource_templates}
    it.check("templates", "jira://issues/{key}" in templates or templates, True)
    content = (await client.read_resource("jira://issues/SHOP-1")).contents[0]
    issue = await it.call("jira_get_issue", issue_key="SHOP-1")
    read = json.loads(content.text)
    fields = {name: read["fields"].get(name) for name in issue["fields"]}
    it.check("an issue as a resource", (content.mime_type, read["key"], fields), ("application/json", "SHOP-1", issue["fields"]))
    for uri in [f"jira://issues/{NONE}", "jira://nothing/at/all"]:
        try:
            await client.read_resource(uri)
            code = None
        except MCPError as error:
            code = error.code
        it.check(f"no {uri}", code in [-32002, -32602] or code, True)
    prompts = {each.name for each in (await client.list_prompts()).prompts}
    it.check("prompts", prompts >= {"jira_triage", "jira_standup", "jira_sprint_report", "jira_release_notes"} or prompts, True)
    messages = (await client.get_prompt("jira_sprint_report", {"board_id": "1"})).messages
    it.check("a prompt", ([message.role for message in messages], "SHOP Sprint 27" in messages[0].content.text), (["user"] * 2, True))


# As users of mcp-atlassian call


async def as_before(it):
    """Calls each tool of mcp-atlassian with all of its arguments, in its forms: JSON and lists as text, and null for what is left out."""
    given = {}

    async def old(tool, **arguments):
        given.setdefault(tool, set()).update(arguments)
        value = await it.call(tool, **arguments)
        if value.get("undo"):
            await it.call("atlassian_undo", undo=value["undo"])
        return value

    async def kept(tool, **arguments):
        given.setdefault(tool, set()).update(arguments)
        return await it.call(tool, **arguments)

    usual = "summary,updated,priority,reporter,labels,status,description,issuetype,assignee,versions,created"
    page = {"start_at": 0, "limit": 5}
    board, sprint, desk = {"board_id": "1"}, {"sprint_id": "8"}, {"service_desk_id": "1"}
    value = await old(
        "jira_get_issue", issue_key="SHOP-1", fields=usual, expand="changelog,renderedFields", comment_limit=10, properties=None,
        update_history=True, include="comments,worklogs,watchers,transitions,changelog,remote_links", use_display_names=False,
    )
    parts = {"worklogs", "watchers", "transitions", "changelog", "remote_links"}
    it.check("the parts of include", parts <= set(value["more"]) or sorted(value["more"]), True)
    await old("jira_get_issue", issue_key="SHOP-1", fields="*all", expand=None, include="all")
    value = await old(
        "jira_search", jql="project in (SHOP, PAY) ORDER BY key", fields="summary,status", limit=5, start_at=0, projects_filter="PAY,SHOP",
        expand=None, page_token=None, use_display_names=False,
    )
    it.check("fields as text with commas", sorted(value["issues"][0]), ["key", "status", "summary"])
    await old("jira_get_project_issues", project_key="SHOP", start_at="0", limit="5")

    fields = {"priority": {"name": "High"}, "labels": ["frontend", "urgent"], "fixVersions": [{"id": "10007"}], "epicKey": EPIC}
    new = {"project_key": "SHOP", "summary": "An old script", "issue_type": "Task", "assignee": LENA_MAIL}
    new["description"] = "# Title\n\n*text*"
    made = await kept("jira_create_issue", **new, components="Checkout,Search", additional_fields=json.dumps(fields))
    key, epic = made["key"], "parent" if it.is_cloud else "Epic Link"
    value = await it.call("jira_get_issue", issue_key=key, fields=f"priority,labels,components,assignee,{epic}")
    shown = value["fields"]
    expected = ("High", ["frontend", "urgent"], ["Checkout", "Search"], LENA)
    it.check("the issue of an old script", (shown["priority"], shown["labels"], shown["components"], shown["assignee"]), expected)
    it.check("the epic of an old script", EPIC in json.dumps(shown[epic]), True)
    await old("jira_create_issue", **new, components=None, additional_fields=json.dumps({"epic_link": EPIC}))
    await old("jira_create_issue", **new | {"issue_type": "Sub-task"}, components=None, additional_fields=json.dumps({"parent": ISSUE}))
    issues = [{"project_key": "SHOP", "summary": "Issue 1", "issue_type": "Task"}, {**new, "components": ["Checkout"]}]
    await old("jira_batch_create_issues", issues=json.dumps(issues), validate_only=True)
    await old(
        "jira_update_issue", issue_key=key, fields=json.dumps({"summary": "A new summary", "assignee": LENA_MAIL}), attachments=None,
        additional_fields=json.dumps({"priority": {"name": "Low"}, "labels": ["a"]}), components="Search,Accounts", return_fields="*all",
    )
    value = await it.call("jira_update_issue", issue_key=key, fields="{}", components="Search,Accounts")
    it.check("components as text with commas", sorted((await it.fields(key, "components")())["components"]), ["Accounts", "Search"])
    await it.call("atlassian_undo", undo=value["undo"])
    await old("jira_assign_issue", issue_key=key, assignee=LENA_MAIL)
    await old("jira_assign_issue", issue_key=key, assignee=None)
    await old("jira_transition_issue", issue_key=key, transition_id="11", fields=None, comment="Begun.")
    decline = next(each for each in (await kept("jira_get_transitions", issue_key=key))["transitions"] if each["to"] == "Done")
    resolution = json.dumps({"resolution": {"name": "Won't Do"}})
    await kept("jira_transition_issue", issue_key=key, transition_id=decline["id"], fields=resolution, comment="No.")
    it.check("resolved by an old script", (await it.fields(key, "resolution")())["resolution"], "Won't Do")

    group = json.dumps({"type": "group", "value": "jira-software-users"})
    await old("jira_add_comment", issue_key="HELP-4", body="For us.", visibility=None, public=False)
    comment = await kept("jira_add_comment", issue_key=key, body="*Hello*", visibility=group)
    await old("jira_edit_comment", issue_key=key, comment_id=comment["result"]["comment_id"], body="*Bye*", visibility=group)
    await old(
        "jira_add_worklog", issue_key=key, time_spent="1h 30m", comment="x", started="2026-11-01T12:00:00.000+0000", original_estimate="3d",
        remaining_estimate="2d",
    )
    await old("jira_get_worklog", issue_key=key)
    await old("jira_add_watcher", issue_key=key, user_identifier=LENA_MAIL)
    watcher = await it.call("jira_add_watcher", issue_key=key, user_identifier=LENA_MAIL)
    id = (await old("jira_get_user_profile", user_identifier=LENA_MAIL))["id"]
    await old("jira_get_user_profile", user_identifier=f"accountid:{id}")
    who = {"username": None, "account_id": id} if it.is_cloud else {"username": id, "account_id": None}
    await old("jira_remove_watcher", issue_key=key, **who)
    await it.call("atlassian_undo", undo=watcher["undo"])
    await old("jira_get_issue_watchers", issue_key=key)
    await old("jira_search_assignable_users", query="Lena", project_key="SHOP", issue_key=None, limit=20)

    pair = {"inward_issue_key": key, "outward_issue_key": ISSUE}
    link = await kept("jira_create_issue_link", link_type="Blocks", **pair, comment="x", comment_visibility=group)
    await old("jira_remove_issue_link", link_id=link["result"]["link_id"])
    await old("jira_get_link_types", name_filter=None)
    await old("jira_link_to_epic", issue_key=key, epic_key="SHOP-20")
    page_link = {"url": "https://example.com/page", "title": "A page", "summary": None, "relationship": "mentioned in", "icon_url": None}
    await old("jira_create_remote_issue_link", issue_key=key, **page_link)
    await old("jira_download_attachments", issue_key=key)
    await old("jira_get_issue_images", issue_key=key)

    await old("jira_get_agile_boards", board_name="SHOP", project_key="SHOP", board_type="scrum", **page)
    await old("jira_get_board_issues", **board, jql="issuetype = Bug", fields=usual, expand="version", **page)
    await old("jira_get_sprints_from_board", **board, state="active", **page)
    await old("jira_get_sprint_issues", sprint_id="7", fields=usual, **page)
    times = {"start_date": "2026-12-14T09:00:00.000Z", "end_date": "2026-12-24T09:00:00.000+0000"}
    await old("jira_create_sprint", **board, name="Another", goal="x", **times)
    await old("jira_update_sprint", **sprint, name="Renamed", state=None, goal=None, **times)
    await old("jira_add_issues_to_sprint", **sprint, issue_keys=f"{OTHER},{ISSUE}")
    await old("jira_move_issues_to_backlog", issue_keys=f"{OTHER}, {ISSUE}")

    await old("jira_search_fields", keyword="sprint", limit=10, refresh=False)
    options = {"field_id": "priority", "context_id": None, "project_key": "SHOP", "issue_type": "Bug", "contains": "high"}
    await old("jira_get_field_options", **options, return_limit=5, values_only=True)
    await old("jira_get_all_projects", include_archived=False)
    await old("jira_search_projects", query="SHOP", max_results=20, current_project_ids="10001,10002")
    await old("jira_get_project_issue_types", project_key="SHOP")
    await old("jira_get_create_fields", project_key="SHOP", issue_type_id="10002" if it.is_cloud else "Task")
    await old("jira_get_project_fields", project_key="SHOP")
    await old("jira_get_project_components", project_key="SHOP")
    await old("jira_get_project_versions", project_key="SHOP")
    dates = {"start_date": "2026-12-01", "release_date": "2026-12-24"}
    await old("jira_create_version", project_key="SHOP", name="8.0", description="x", **dates)
    versions = [{"name": "8.1", "startDate": "2027-01-01", "releaseDate": "2027-02-01", "description": "First"}, {"name": "8.2"}]
    await old("jira_batch_create_versions", project_key="SHOP", versions=json.dumps(versions))
    await old("jira_update_version", version_id="10008", name="6.0.0", description="x", archived=False, released=False, **dates)

    await old("jira_get_service_desk_for_project", project_key="HELP")
    await old("jira_get_service_desk_queues", **desk, **page)
    await old("jira_get_queue_issues", **desk, queue_id="1", **page)
    await old("jira_get_request_types", **desk, **page)
    await old("jira_get_request_type_fields", **desk, request_type_id="1")
    values = json.dumps({"summary": "Printer", "description": "It **burns**"})
    people = {"raise_on_behalf_of": "anne.whitlock@plainwire.example", "request_participants": CARLOS, "strict_on_behalf": False}
    await old("jira_create_customer_request", **desk, request_type_id="1", request_field_values=values, attachments=None, **people)

    await old("jira_get_issue_dates", issue_key="SHOP-1", include_status_changes=True, include_status_summary=False)
    await old("jira_get_issue_sla", issue_key="SHOP-1", metrics="cycle_time,lead_time", working_hours_only=None, include_raw_dates=True)
    await old("jira_get_project_epic_hierarchy", project_key="SHOP", max_epics=20)
    await old("jira_get_cross_project_dependencies", project_key="SHOP", max_issues=20)
    panel = {"application_type": "bitbucket", "data_type": "pullrequest"}
    await old("jira_get_issue_development_info", issue_key=key, **panel)
    await old("jira_get_issues_development_info", issue_keys=f"{key},{ISSUE}", **panel)
    if it.is_cloud:
        await old("jira_batch_get_changelogs", issue_ids_or_keys=f"SHOP-1,{ISSUE}", fields="status,assignee", limit=-1)
        await old("jira_move_issue", issue_key=ISSUE, target_project_key="PAY")
        form = await with_form(it)
        await old("jira_get_issue_proforma_forms", issue_key=form["issue_key"])
        await old("jira_get_proforma_form_details", **form)
        await old("jira_update_proforma_form_answers", **form, answers=[{"questionId": "2", "type": "SELECT", "value": "Slow"}])
    await kept("jira_delete_issue", issue_key=key)
    if os.path.exists(SHARED):
        with open(SHARED, encoding="utf-8") as file:
            wanted = {tool["name"]: {each["name"] for each in tool["parameters"]} for tool in json.load(file)["tools"]}
        left_out = set() if it.is_cloud else CLOUD_ONLY
        wanted = {name: names for name, names in wanted.items() if name.startswith("jira_") and name not in left_out}
        missing = {name: sorted(names - given.get(name, set())) for name, names in wanted.items() if names - given.get(name, set())}
        it.check("each argument of mcp-atlassian was given", missing, {})


async def all_tools(client, name, deployment, is_legacy):
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    for tool in tools.values():
        jsonschema.Draft202012Validator.check_schema(tool.input_schema)
    it = Run(client, name, deployment, tools)
    expected = set(TABLE) - (set() if it.is_cloud else CLOUD_ONLY)
    it.check("tools without an entry in the table", sorted(set(tools) - set(TABLE)), [])
    it.check("tools of the table that are missing", sorted(expected - set(tools)), [])
    start = await it.call("jira_get_issue", issue_key=ISSUE, fields="*all", include="all", comment_limit=100)
    for tool in sorted(expected & set(tools)):
        await attempted(it, tool, TABLE[tool])
    await attempted(it, "resources and prompts", resources_and_prompts)
    it.check("each tool was called", sorted(set(tools) - it.called), [])
    never = {"jira_get_link_types", "jira_get_priorities", "jira_search_fields", "jira_search_users", "jira_whoami"}
    it.check("each tool was refused", sorted(set(tools) - it.failed - never), [])
    writes = {tool.name for tool in tools.values() if not tool.annotations.read_only_hint}
    it.check("each change was taken back", sorted(writes - it.undone - LASTING), [])
    end = await it.call("jira_get_issue", issue_key=ISSUE, fields="*all", include="all", comment_limit=100)
    for value in [start, end]:
        value["more"].pop("changelog")
        value["fields"].pop("updated")
        value["fields"].pop("Rank", None)
    it.check("the issue is as before", end, start)
    if is_legacy:
        await attempted(it, "as before", as_before)


async def attempted(it, name, checks):
    try:
        await checks(it)
    except (AssertionError, AttributeError, LookupError, RuntimeError, TypeError, ValueError, MCPError) as error:
        it.check(f"{name}: {type(error).__name__} {error}"[:600], False, True)


async def filled(binary, folder, deployment):
    """Fills a site, and checks that the server answers meanwhile."""
    words = [*SERVE, "--deployment", deployment, "--data", f"{folder}/{deployment}.db"]
    start = time.monotonic()
    async with Client(stdio_client(StdioServerParameters(command=binary, args=words)), mode="legacy") as client:
        took = time.monotonic() - start
        check(f"{deployment}: initialize is answered before the site is filled", took < 1 or took, True)
        result = await client.call_tool("jira_whoami", {})
        check(f"{deployment}: the first call waits for the site", result.is_error, False)


async def run(binary, folder, deployment, transport, mode):
    name, copy = f"{deployment} {transport} {mode}", f"{folder}/{deployment}-{transport}-{mode}.db"
    for end in ["", "-wal"]:
        if os.path.exists(f"{folder}/{deployment}.db{end}"):
            shutil.copy(f"{folder}/{deployment}.db{end}", f"{copy}{end}")
    words = [*SERVE, "--deployment", deployment, "--data", copy]
    async with connected(binary, words, transport, mode) as client:
        await all_tools(client, name, deployment, mode == "legacy")


async def names(binary, folder, deployment):
    """Checks the tools under the names of `v1`: what is read, and a change that is previewed, made and taken back."""
    copy = f"{folder}/{deployment}-names.db"
    for end in ["", "-wal"]:
        if os.path.exists(f"{folder}/{deployment}.db{end}"):
            shutil.copy(f"{folder}/{deployment}.db{end}", f"{copy}{end}")
    words = [*SERVE, "--deployment", deployment, "--data", copy, "--names", "v1"]
    async with Client(stdio_client(StdioServerParameters(command=binary, args=words)), mode="legacy") as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        it = Run(client, f"{deployment} names v1", deployment, tools)
        it.check("the number of tools", len(tools), 13)
        for tool in ["jira_search_issues", "search_issues"]:
            found = await it.call(tool, query="project = SHOP ORDER BY key", maxResults="10")
            it.check(f"{tool}: a number may be a text", len(found["issues"]), 10)
            await it.refused(tool, "nothing", query="nothing = 1")

        async def look():
            fields = (await it.call("jira_get_issue", issueKey=ISSUE))["fields"]
            return {name: fields.get(name) for name in ["summary", "status", "assignee", "priority"]}

        before = await look()
        changed = {**before, "summary": "Another summary"}
        await it.change("jira_update_issue", look, changed, issueKey=ISSUE, summary="Another summary")
        made = await it.call("jira_create_issue", projectKey="SHOP", summary="By another name", issueType="Bug")
        await it.call("jira_assign_issue", issueKey=made["key"], accountId="me")
        await it.call("jira_add_comment", issueKey=made["key"], comment="A *word*.")
        found = await it.call("jira_get_comments", issueKey=made["key"], maxResults="5")
        it.check("a comment", len(found["comments"]), 1)
        await it.call("jira_transition_issue", issueKey=made["key"], transition="In Progress")
        keys = {project["key"] for project in (await it.call("jira_list_projects"))["projects"]}
        it.check("projects", "SHOP" in keys, True)
        sprint = await it.call("jira_get_sprint", boardId="1")
        it.check("the active sprint", [one["state"] for one in sprint["sprints"]], ["active"])
        inside = await it.call("jira_get_sprint_issues", boardId="1", maxResults="5")
        it.check("issues of the active sprint", len(inside["issues"]), 5)
        await it.refused("jira_get_issue", "does not exist", issueKey=NONE)
        it.check("all is as before", await look(), before)
        it.check("each tool was called", sorted(set(tools) - it.called), [])


async def runs(binary, folder, deployment):
    await filled(binary, folder, deployment)
    async with anyio.create_task_group() as group:
        group.start_soon(names, binary, folder, deployment)
        for transport in ["stdio", "http"]:
            for mode in ["legacy", LATEST_MODERN_VERSION]:
                group.start_soon(run, binary, folder, deployment, transport, mode)


async def at_site(binary, deployment):
    """Checks all tools once, with the demo user of the site at JIRA_URL."""
    env = {name: value for name, value in os.environ.items() if not name.startswith(("JIRA_", "ATLASSIAN_"))}
    env |= {"JIRA_URL": os.environ["JIRA_URL"], "JIRA_DEPLOYMENT": {"datacenter": "data_center"}.get(deployment, deployment)}
    if deployment == "cloud":
        env |= {"JIRA_USERNAME": "demo@plainwire.example", "JIRA_API_TOKEN": "demo-token", "ATLASSIAN_GATEWAY_URL": env["JIRA_URL"]}
    else:
        env["JIRA_PERSONAL_TOKEN"] = "demo-token"
    words = ["serve", "atlassian", "--toolsets", "all"]
    async with Client(stdio_client(StdioServerParameters(command=binary, args=words, env=env)), mode="legacy") as client:
        await all_tools(client, f"{deployment} at a site", deployment, True)


async def main(binary, deployment=None):
    with tempfile.TemporaryDirectory() as folder, anyio.fail_after(DEADLINE):
        async with anyio.create_task_group() as group:
            if deployment:
                group.start_soon(at_site, binary, deployment)
            for each in [] if deployment else ["cloud", "datacenter"]:
                group.start_soon(runs, binary, folder, each)
    print(f"{COUNTS[True]} passed, {COUNTS[False]} failed")
    return 1 if COUNTS[False] else 0


sys.exit(anyio.run(main, *sys.argv[1:]))
