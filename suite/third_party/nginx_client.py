"""Checks what arrives through nginx, and when. nginx.sh starts it with the port. It needs only Python."""

import http.client
import json
import sys
import time

PORT = int(sys.argv[1])
MODERN, LEGACY = "2026-07-28", "2025-11-25"
passed = failed = 0


def check(name, holds, found):
    global passed, failed
    if holds:
        passed += 1
        print(f"ok      {name}")
    else:
        failed += 1
        print(f"FAILED  {name}: found {found!r}")


def post(path, message, headers):
    """Sends a message, and returns the connection on which its response comes."""
    connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=20)
    common = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    connection.request("POST", path, json.dumps(message), common | headers)
    return connection


def call(tool, arguments, meta):
    params = {"name": tool, "arguments": arguments, "_meta": {"progressToken": 1} | meta}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}


def modern(path, tool, arguments):
    meta = {"io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {}}
    headers = {"Mcp-Protocol-Version": MODERN, "Mcp-Method": "tools/call", "Mcp-Name": tool}
    return post(path, call(tool, arguments, meta), headers)


def session(path):
    """Begins a session, and returns the headers of its requests."""
    info = {"name": "nginx_client", "version": "1"}
    params = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": info}
    message = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}
    response = post(path, message, {}).getresponse()
    response.read()
    headers = {"Mcp-Session-Id": response.headers["Mcp-Session-Id"], "Mcp-Protocol-Version": LEGACY}
    post(path, {"jsonrpc": "2.0", "method": "notifications/initialized"}, headers).getresponse().read()
    return headers


def events(response):
    """Yields the events as pairs: the time of arrival, and the fields."""
    fields = {}
    for line in response:
        line = line.decode().rstrip("\n")
        if line:
            name, _, value = line.partition(":")
            fields[name] = value.strip()
        elif fields:
            yield time.monotonic(), fields
            fields = {}


def seen(path):
    """Returns the number of running calls and of dropped calls."""
    answer = json.load(modern(path, "seen", {}).getresponse())
    running, dropped = answer["result"]["content"][0]["text"].split()
    return int(running), int(dropped)


def until(path, wanted, seconds=3.0):
    """Waits until `seen` returns `wanted`, or the time is up. Returns the last numbers."""
    end = time.monotonic() + seconds
    while (found := seen(path)) != wanted and time.monotonic() < end:
        time.sleep(0.02)
    return found


def spread(response):
    """Returns the time between the first and the last event, and the data of the last."""
    came = list(events(response))
    return came[-1][0] - came[0][0], came[-1][1]["data"]


def wait_for_nginx():
    for _ in range(100):
        try:
            return seen("/plain")
        except OSError:
            time.sleep(0.05)
    sys.exit("nginx does not answer")


wait_for_nginx()
for path in ["/plain", "/kept"]:
    seconds, last = spread(modern(path, "count", {"to": 5, "ms": 150}).getresponse())
    check(f"{path}: events arrive one by one", 0.4 < seconds < 2 and "counted to 5" in last, (seconds, last))
    headers = session(path)
    seconds, last = spread(post(path, call("count", {"to": 5, "ms": 150}, {}), headers).getresponse())
    check(f"{path}: events of a session arrive one by one", 0.4 < seconds < 2 and "counted to 5" in last, (seconds, last))

    _, before = seen(path)
    silent = modern(path, "wait", {"ms": 60_000})
    check(f"{path}: a call runs", (found := until(path, (1, before))) == (1, before), found)
    silent.close()
    found = until(path, (0, before + 1))
    check(f"{path}: closing cancels before anything was answered", found == (0, before + 1), found)
    telling = modern(path, "count", {"to": 1000, "ms": 50})
    response = telling.getresponse()
    next(events(response))
    response.close()
    telling.close()
    found = until(path, (0, before + 2))
    check(f"{path}: closing cancels in the middle of a stream", found == (0, before + 2), found)

    telling = post(path, call("count", {"to": 10, "ms": 100}, {}), headers)
    response = telling.getresponse()
    _, first = next(events(response))
    response.close()
    telling.close()
    time.sleep(0.3)
    check(f"{path}: closing cancels nothing in a session", (found := seen(path)) == (1, before + 2), found)
    again = http.client.HTTPConnection("127.0.0.1", PORT, timeout=20)
    again.request("GET", path, headers=headers | {"Accept": "text/event-stream", "Last-Event-ID": first["id"]})
    rest = [event["data"] for _, event in events(again.getresponse())]
    check(f"{path}: the rest is there for who comes back", len(rest) >= 10 and "counted to 10" in rest[-1], rest)
    check(f"{path}: nothing was dropped", (found := until(path, (0, before + 2))) == (0, before + 2), found)

seconds, last = spread(modern("/deaf", "count", {"to": 5, "ms": 150}).getresponse())
check("/deaf: buffers hold events back", seconds < 0.1 and "counted to 5" in last, (seconds, last))

print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed else 0)
