"""Checks the command against six foreign servers: `list`, `describe`, `call` with numbers, booleans and lists, and `shell`
on a pseudo-terminal. No text of a server may reach the terminal raw, and no secret that is typed.

    command.py PLAINWIRE      what install.sh prints is in the environment

Each server runs over stdio and ends with its command. The servers work in a folder of our own.
"""

import atexit
import os
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import termios
import time

PLAINWIRE = os.path.abspath(sys.argv[1])
HOME = tempfile.mkdtemp(prefix="plainwire-command-")
atexit.register(shutil.rmtree, HOME, ignore_errors=True)
# Turns red on a terminal that it reaches raw.
RED = "\x1b[31mred\x1b[0m"
SHOWN = r"\u{1b}[31mred\u{1b}[0m"
# The codes with which the line editor begins to edit a line, and ends: bracketed paste on and off.
EDITS, RUNS = "\x1b[?2004h", "\x1b[?2004l"
# The time for one command or for a text on the terminal; npm's packages take a second to load.
PATIENCE = 60


def env(name):
    return os.environ[name]


def servers():
    """The name, the command and the checks of each server: words of `call`, and a part of what it prints."""
    node, file, config = env("NODE"), os.path.join(HOME, "a.txt"), os.path.join(HOME, "kubeconfig")
    with open(file, "w") as it:
        it.write(f"{RED} one\ntwo\nthree\n")
    with open(config, "w") as it:
        it.write('{"apiVersion":"v1","kind":"Config","clusters":[{"name":"none","cluster":{"server":"http://127.0.0.1:1"}}],'
                 '"contexts":[{"name":"none","context":{"cluster":"none","user":"none"}}],"current-context":"none",'
                 '"users":[{"name":"none","user":{}}]}')
    yield "everything", [node, env("EVERYTHING"), "stdio"], [
        (["get-sum", "a=2", "b=40"], "42"),
        (["get-structured-content", "location=Chicago"], "temperature"),
        (["echo", f"message={RED}"], SHOWN),
    ]
    yield "filesystem", [node, env("FILESYSTEM"), HOME], [
        (["read_text_file", f"path={file}", "head=1"], f"{SHOWN} one"),
        (["read_multiple_files", f"paths={file},{file}"], "three"),
        (["search_files", f"path={HOME}", "pattern=*.txt", "excludePatterns=b.txt", "excludePatterns=c.txt"], "a.txt"),
    ]
    memory = ["env", f"MEMORY_FILE_PATH={HOME}/memory.json", node, env("MEMORY")]
    # The second call of the first line, in the shell, creates nothing: it prints an empty list.
    yield "memory", memory, [
        (["create_entities", 'entities:=[{"name":"Ada","entityType":"person","observations":["red"]}]'], "["),
        (["open_nodes", "names=Ada", "names=Bob"], "person"),
        (["search_nodes", f"query={RED}"], "entities"),
    ]
    yield "sequential-thinking", [node, env("THINKING")], [
        (["sequentialthinking", f"thought={RED}", "thoughtNumber=1", "totalThoughts=2", "nextThoughtNeeded=true"],
         '"totalThoughts": 2'),
    ]
    yield "FastMCP", [env("FASTMCP"), "run", env("FASTMCP_EXAMPLES") + "/testing_demo/server.py", "--no-banner"], [
        (["add", "a=2", "b=40"], "42"),
        (["async_multiply", "x=0.5", "y=3"], "1.5"),
        (["greet", f"name={RED}"], SHOWN),
    ]
    if os.environ.get("KUBERNETES"):
        yield "kubernetes (Go)", [env("KUBERNETES"), "--kubeconfig", config], [
            (["configuration_view", "minified=true"], "current-context: none"),
        ]
    else:
        print("kubernetes (Go): skipped, there is no package for this platform")


class Terminal:
    """A command on a pseudo-terminal."""

    def __init__(self, words):
        # What was shown, and the end of the last code that was waited for.
        self.kept, self.at = "", 0
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ.update(TERM="xterm", NO_COLOR="1", HOME=HOME, XDG_DATA_HOME=HOME)
            os.execv(PLAINWIRE, [PLAINWIRE, *words])

    def read(self, seconds):
        """Reads what comes within a time. Returns whether more may come."""
        if not select.select([self.fd], [], [], seconds)[0]:
            return True
        try:
            data = os.read(self.fd, 1 << 16).decode(errors="replace")
        except OSError:
            return False
        self.kept += data
        return bool(data)

    def until(self, text, without=str):
        """Waits until a text is shown, after the last code that was waited for. `without` leaves out what is no text."""
        end = time.monotonic() + PATIENCE
        while text not in without(self.kept[self.at:]):
            if time.monotonic() > end or not self.read(1):
                fail(f"expected {text!r} on the terminal, but found {self.kept[-2000:]!r}")

    def code(self, code):
        """Waits until the editor writes a code."""
        self.until(code)
        self.at = self.kept.index(code, self.at) + len(code)

    def enter(self, line, expected):
        """Enters a line once the editor takes one, and waits for the text that the command then shows."""
        self.code(EDITS)
        self.type(line)
        self.code(RUNS)
        self.until(expected, plain)

    def type(self, line):
        os.write(self.fd, (line + "\r").encode())

    def end(self):
        end = time.monotonic() + PATIENCE
        while self.read(1):
            if time.monotonic() > end:
                fail("expected the command to end")
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def plain(text):
    """Removes the codes of the line editor, which moves the cursor and clears lines, and the breaks that it adds."""
    return re.sub(r"\x1b\[[0-9;?]*[A-HJKlhmr]", "", text).replace("\r", "").replace("\n", "")


def fail(why):
    print(f"FAILED: {why}", file=sys.stderr)
    sys.exit(1)


def run(words):
    done = subprocess.run([PLAINWIRE, *words], capture_output=True, text=True, timeout=PATIENCE, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        fail(f"{words}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def check(name, command, calls):
    listed, tool = run(["list", "--", *command]), calls[0][0][0]
    if f"{tool}(" not in listed:
        fail(f"{name}: expected {tool} in the list, but found\n{listed}")
    described = run(["describe", tool, "--", *command])
    if not described.startswith(f"{tool}(") or "plainwire call" not in described:
        fail(f"{name}: expected a description of {tool} with an example, but found\n{described}")
    for words, expected in calls:
        terminal = Terminal(["call", *words, "--", *command])
        code = terminal.end()
        if code != 0 or plain(expected) not in plain(terminal.kept):
            fail(f"{name}: {words}: expected {expected!r}, but found exit code {code} and {terminal.kept!r}")
        if "\x1b[31m" in terminal.kept:
            fail(f"{name}: {words}: the text of the server reached the terminal raw: {terminal.kept!r}")
    shell = Terminal(["shell", "--", *command])
    shell.enter("list", tool)
    for words, expected in calls:
        # A word in quotes may have blanks; the escape character can't be typed.
        typed = " ".join(f"'{word}'" for word in words)
        shell.enter(typed.replace(RED, "red"), plain(expected.replace(SHOWN, "red") if RED in typed else expected))
    shell.code(EDITS)
    shell.type(":quit")
    code = shell.end()
    if code != 0:
        fail(f"{name}: expected the shell to exit with 0, but found {code}")
    print(f"{name}: list, describe, {len(calls)} calls, shell")


def secret():
    """Types a secret, which the terminal must not show."""
    terminal = Terminal(["atlassian", "secret", "typed"])
    terminal.until("press Enter")
    end = time.monotonic() + PATIENCE
    while termios.tcgetattr(terminal.fd)[3] & termios.ECHO:
        if time.monotonic() > end:
            fail("expected a terminal that does not show what is typed")
        time.sleep(0.01)
    terminal.type("hidden-secret")
    code = terminal.end()
    if code != 0 or "is kept" not in terminal.kept or "hidden-secret" in terminal.kept:
        fail(f"expected a secret that is kept and not shown, but found exit code {code} and {terminal.kept!r}")
    again = Terminal(["atlassian", "secret", "typed", "--remove"])
    if again.end() != 0 or "is removed" not in again.kept:
        fail(f"expected the secret to be removed, but found {again.kept!r}")
    print("secret: typed, not shown, kept, removed")


for server in servers():
    check(*server)
secret()
