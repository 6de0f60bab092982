"""Runs the program of a page with the official Python client, PyPI `mcp` 2.3.0, and compares its output with the page.

    python session.py <path to the plainwire binary> <page>

The program is the first fence `python` of the page that imports `mcp`, and its output the next fence `text`. In the page, `[..]` stands
for any text inside a line. `UPDATE=1` writes the output into the page. Prints one line; the exit code is 1 if the output differs.
"""

import os
import re
import subprocess
import sys
import tempfile

DEADLINE = 120
FENCE = re.compile(r"^```(\w*).*?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def fits(expected, found):
    pattern = ".*".join(re.escape(part) for part in expected.split("[..]"))
    return re.fullmatch(pattern, found) is not None


def main(binary, page):
    with open(page, encoding="utf-8") as file:
        text = file.read()
    fences = list(FENCE.finditer(text))
    pairs = zip(fences, fences[1:])
    found = [pair for pair in pairs if (pair[0][1], pair[1][1]) == ("python", "text") and "from mcp import" in pair[0][2]]
    if not found:
        raise SystemExit(f"{page}: expected a fence `python` that imports `mcp`, and below it a fence `text`")
    program, output = found[0]
    environment = {**os.environ, "PATH": os.path.dirname(os.path.abspath(binary)) + os.pathsep + os.environ["PATH"]}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "session.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(program[2])
        done = subprocess.run([sys.executable, path], env=environment, capture_output=True, text=True, timeout=DEADLINE, cwd=folder)
    if done.returncode != 0:
        raise SystemExit(f"{page}: the program failed with {done.returncode}:\n{done.stdout}{done.stderr}")
    if os.environ.get("UPDATE") == "1":
        with open(page, "w", encoding="utf-8") as file:
            file.write(text[: output.start(2)] + done.stdout + text[output.end(2) :])
        return 0
    expected, found = output[2].splitlines(), done.stdout.splitlines()
    wrong = [(n, a, b) for n, (a, b) in enumerate(zip(expected, found), 1) if not fits(a, b)]
    for n, a, b in wrong:
        print(f"not ok {page}, line {n} of the output: expected {a!r}, but found {b!r}")
    if len(expected) != len(found):
        print(f"not ok {page}: expected {len(expected)} lines, but found {len(found)}:\n{done.stdout}")
    is_ok = not wrong and len(expected) == len(found)
    print(f"{page}: {len(found)} lines of output, {'as shown' if is_ok else 'not as shown; UPDATE=1 writes them down'}")
    return 0 if is_ok else 1


sys.exit(main(*sys.argv[1:]))
