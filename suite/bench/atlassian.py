"""Compares `plainwire serve atlassian` with mcp-atlassian 0.23.1 on one stand-in site (Data Center), in one run.

    python suite/bench/atlassian.py <path to the plainwire binary> <path to mcp-atlassian>

mcp-atlassian takes addresses of this machine for Data Center only. Both servers speak stdio with the same requests. Prints the
bytes of `tools/list` (the Jira tools of mcp-atlassian's default toolsets, on Cloud, which has all of them), the time to the answer to
`initialize`, resident memory, and bytes and times of two calls; and the times of the site alone, as the floor.
"""

import json
import os
import statistics
import subprocess
import sys
import time
import urllib.request

BINARY, PEER = sys.argv[1], sys.argv[2]
FIELDS = "summary,updated,priority,reporter,labels,status,description,issuetype,assignee,versions,created"
JQL = "project = SHOP ORDER BY key ASC"
ROUNDS = 20


# No request is sent to list the tools.
CLOUD = {"JIRA_URL": "https://example.atlassian.net", "JIRA_USERNAME": "a@example.com", "JIRA_API_TOKEN": "none"}


class Server:
    def __init__(self, command, env):
        self.began = time.perf_counter()
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env={**os.environ, **env}
        )
        self.last = 0
        client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
        self.ask("initialize", client)
        self.initialized = time.perf_counter() - self.began
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, method, params):
        self.last += 1
        self.send({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params})
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise SystemExit(f"{self.process.args}: ended")
            message = json.loads(line)
            if message.get("id") == self.last and "method" not in message:
                if "error" in message:
                    raise SystemExit(message["error"])
                return message["result"], len(line)

    def call(self, tool, arguments):
        result, size = self.ask("tools/call", {"name": tool, "arguments": arguments})
        if result.get("isError"):
            raise SystemExit(f"{tool}: {result}")
        text = sum(len(block.get("text", "").encode()) for block in result["content"])
        return result, size, text

    def resident(self):
        with open(f"/proc/{self.process.pid}/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) // 1024

    def end(self):
        self.process.stdin.close()
        self.process.wait(10)


def listed(command, names=None):
    """Returns the Jira tools of a server, by name; only those with the names, if there are any."""
    server = Server(command, {**CLOUD, "TOOLSETS": "default"})
    tools = server.ask("tools/list", {})[0]["tools"]
    server.end()
    return {tool["name"]: tool for tool in tools if (tool["name"] in names if names else tool["name"].startswith("jira"))}


def size(tools):
    return sum(len(json.dumps(tool, separators=(",", ":"), ensure_ascii=False).encode()) for tool in tools.values())


def median_ms(work):
    times = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        work()
        times.append((time.perf_counter() - began) * 1000)
    return statistics.median(times)


def main():
    site = subprocess.Popen(
        [BINARY, "serve", "site", "--http", "127.0.0.1:0", "--deployment", "datacenter", "--today", "2026-11-27"],
        stderr=subprocess.PIPE, text=True,
    )
    began = time.perf_counter()
    line = site.stderr.readline()
    seeded = time.perf_counter() - began
    url = line.split("the site is at ")[1].strip()
    headers = {"Authorization": "Bearer demo-token"}

    def get(path):
        request = urllib.request.Request(url + path, headers=headers)
        with urllib.request.urlopen(request) as answer:
            return answer.read()

    search = "/rest/api/2/search?maxResults={}&fields=" + FIELDS + "&jql=" + urllib.request.quote(JQL)
    get(search.format(200))
    print(f"site: seeded in {seeded:.1f} s, 200 issues per page in {median_ms(lambda: get(search.format(200))):.1f} ms, "
          f"50 in {median_ms(lambda: get(search.format(50))):.1f} ms, "
          f"resident {next(int(l.split()[1]) for l in open(f'/proc/{site.pid}/status') if l.startswith('VmRSS')) // 1024} MB")
    long = json.loads(get("/rest/api/2/search?fields=comment&maxResults=1000&jql=" + urllib.request.quote("project in (SHOP, PAY, MOB2, OPS, HELP)")))
    issue = max(long["issues"], key=lambda it: it["fields"]["comment"]["total"])["key"]

    env = {"JIRA_URL": url, "JIRA_PERSONAL_TOKEN": "demo-token"}
    ours = Server([BINARY, "serve", "atlassian"], env)
    theirs = Server([PEER], {**env, "TOOLSETS": "default"})
    their_tools = listed([PEER])
    lists = {"ours": listed([BINARY, "serve", "atlassian"], their_tools), "theirs": their_tools}
    rows = []
    for name, server in (("ours", ours), ("theirs", theirs)):
        found, _, searched = server.call("jira_search", {"jql": JQL, "limit": 50, "fields": FIELDS})
        _, _, read = server.call("jira_get_issue", {"issue_key": issue, "comment_limit": 20})
        rows.append({
            "server": name,
            "tools": len(lists[name]),
            "tools/list, bytes": size(lists[name]),
            "initialize, ms": round(server.initialized * 1000),
            "jira_search of 50, bytes": searched,
            "jira_search of 50, ms": round(median_ms(lambda: server.call("jira_search", {"jql": JQL, "limit": 50, "fields": FIELDS})), 1),
            f"jira_get_issue {issue} with 20 comments, bytes": read,
            "jira_get_issue, ms": round(median_ms(lambda: server.call("jira_get_issue", {"issue_key": issue, "comment_limit": 20})), 1),
            "resident, MB": server.resident(),
        })
    for what in rows[0]:
        a, b = rows[0][what], rows[1][what]
        ratio = f"{a / b:.2f}" if isinstance(a, (int, float)) and b else ""
        print(f"{what:<50} {a!s:>10} {b!s:>10} {ratio:>8}")
    ours.end()
    theirs.end()
    site.terminate()
    site.wait(10)


main()
