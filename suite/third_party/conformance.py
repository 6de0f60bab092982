"""Runs the official conformance suite against a server and a client.

    conformance.py NODE SUITE SERVER CLIENT

NODE and SUITE are what install.sh prints, SERVER and CLIENT the binaries `plainwire-conformance-server` and
`plainwire-conformance-client`. One process at one URL serves every revision; the client is started for each scenario. A
scenario counts only if all its checks succeed and at least one of them checks more than the schema of the messages: a
silent program passes that check, too. Exit code 0 if all scored scenarios count, and all unscored ones that need no
missing extension.
"""

import json
import pathlib
import re
import shlex
import socket
import subprocess
import sys
import tempfile
import time

SCORED = {
    "server": {"2025-11-25": 30, "2026-07-28": 37},
    "client": {"2025-11-25": 18, "2026-07-28": 32},
}
# Scenarios of extensions that are not implemented yet.
EXTENSIONS = re.compile(r"^(tasks-|sep-2640-|auth/(dpop|wif-jwt|enterprise-managed))")
PATIENCE = 30


def free_port():
    with socket.socket() as it:
        it.bind(("127.0.0.1", 0))
        return it.getsockname()[1]


def wait_for(port, server):
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        assert server.poll() is None, f"the server has ended with {server.returncode}"
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.05)
    raise AssertionError(f"expected a server on port {port} within {PATIENCE} s")


def checks(folder):
    """Returns the checks of each scenario, by its name."""
    found = {}
    for path in sorted(folder.rglob("checks.json")):
        name = re.sub(r"-\d{4}-\d\d-\d\dT[\dZ-]+$", "", str(path.parent.relative_to(folder)))
        # The suite puts `server-` in front of the names of folders.
        found[name.removeprefix("server-")] = json.loads(path.read_text())
    return found


def what_is_wrong(results):
    """Returns why a scenario does not count; `None` if it does."""
    failures = [it for it in results if it["status"] in ("FAILURE", "WARNING")]
    if failures:
        return "; ".join(f"{it['id']}: {it.get('errorMessage', it.get('description'))}" for it in failures)
    if not any(it["status"] == "SUCCESS" and not it["id"].startswith("wire-schema") for it in results):
        return "no check of the scenario ran"
    return None


def run(node, suite, role, revision, target):
    with tempfile.TemporaryDirectory() as out:
        command = [node, suite, role, *target, "--requirements", revision, "-o", out]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)
        scenarios = checks(pathlib.Path(out))
    summary = done.stdout[done.stdout.rfind("SUMMARY") :]
    unscored = set(re.findall(r"^  [✓✗] (\S+) \(", summary, re.M))
    wrong, counted = [], {True: 0, False: 0}
    for name, results in scenarios.items():
        if EXTENSIONS.match(name):
            continue
        why = what_is_wrong(results)
        if why:
            wrong.append(f"{name}: {why}")
        else:
            counted[name in unscored] += 1
    scored = SCORED[role][revision]
    print(f"{role}, {revision}: {counted[False]} of {scored} scored scenarios, {counted[True]} others")
    for it in wrong:
        print(f"FAILED  {it}")
    if not scenarios:
        print(done.stdout[-2000:], done.stderr[-2000:])
    return not wrong and counted[False] == scored


def judge_server(node, suite, binary):
    port = free_port()
    server = subprocess.Popen([binary, "--http", str(port)], stdin=subprocess.DEVNULL)
    try:
        wait_for(port, server)
        url = ["--url", f"http://127.0.0.1:{port}/mcp"]
        passed = [run(node, suite, "server", revision, url) for revision in SCORED["server"]]
    finally:
        server.terminate()
        code = server.wait(timeout=PATIENCE)
    assert code == 0, f"expected the server to end when it is asked to, but found exit code {code}"
    return passed


def judge_client(node, suite, binary):
    command = ["--command", shlex.quote(str(pathlib.Path(binary).resolve()))]
    return [run(node, suite, "client", revision, command) for revision in SCORED["client"]]


def main(node, suite, server, client):
    passed = judge_server(node, suite, server) + judge_client(node, suite, client)
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
