#!/usr/bin/env bash
# Checks `plainwire serve reference` over stdio with the MCP Inspector's command line, in each of its protocol eras.
#
#   inspector.sh <path to the plainwire binary>
#
# Each check is one run of the Inspector, which starts the server anew: it wants an exit code and a JavaScript
# condition on the JSON answer (`result`, or `error` for a failure). Prints one line per check and at the end
# `N passed, M failed`. Exit code 1 if anything failed.
#
# Exit codes of the Inspector: 0 fine, 1 error from the server, 5 the tool failed or does not exist, 6 with --strict a
# schema that other clients may refuse.
set -euo pipefail
[ $# -eq 1 ] || { sed -n '2,11p' "$0" | sed 's/^# \{0,1\}//' >&2; exit 2; }
binary=$1
paths=$("$(dirname "$0")/install.sh")
eval "$paths" # NODE and INSPECTOR

passed=0
failed=0
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# An answer is on stdout, an error on stderr; a failed tool call gives both.
cat >"$out/holds.cjs" <<'JS'
const [file, errorFile, condition] = process.argv.slice(2);
const read = (name) => { try { return JSON.parse(require("fs").readFileSync(name, "utf8")); } catch { return {}; } };
const { result } = read(file);
const { error } = read(errorFile);
process.exit(new Function("result", "error", `return ${condition}`)(result, error) === true ? 0 : 1);
JS

check() { # name, exit code, condition, inspector arguments...
  local name=$1 expected=$2 condition=$3 code=0
  shift 3
  timeout 30 "$NODE" "$INSPECTOR" --cli "$binary" serve reference --format json -q "$@" \
    >"$out/stdout" 2>"$out/stderr" </dev/null || code=$?
  if [ "$code" -eq "$expected" ] && "$NODE" "$out/holds.cjs" "$out/stdout" "$out/stderr" "$condition" 2>"$out/why"; then
    passed=$((passed + 1))
    echo "ok      $name"
  else
    failed=$((failed + 1))
    echo "FAILED  $name: expected exit code $expected and $(tr -s ' \n' ' ' <<<"$condition")but found exit code $code and" \
      "$(cat "$out/stdout" "$out/stderr" | tr '\n' ' ' | cut -c1-500)"
  fi
}

# The Inspector passes on the server's message without its code; words of its own mean that no answer came.
refused="result === undefined && !/closed|timed out|negotiation/i.test(error.message)"

for era in legacy auto modern; do
  revision=2026-07-28
  [ "$era" = legacy ] && revision=2025-11-25

  era_check() { # name, exit code, condition, inspector arguments...
    local name=$1 code=$2 condition=$3
    shift 3
    check "$era: $name" "$code" "$condition" --protocol-era "$era" "$@"
  }

  era_check "initialize" 0 \
    "result.serverInfo.name === 'plainwire-reference' && result.protocolVersion === '$revision'" \
    --method initialize
  era_check "tools/list" 0 \
    "result.tools.map((t) => t.name).join() === 'calculate,get_timestamp,sleep,count'
      && result.tools.every((t) => t.description && t.inputSchema.type === 'object')" \
    --method tools/list
  era_check "tools/call" 0 \
    "result.content.length === 1 && result.content[0].text === '14' && !result.isError" \
    --method tools/call --tool-name calculate --tool-arg 'expression=2 + 3 * 4'
  era_check "tools/call with a wrong argument" 5 \
    "result.isError === true && result.content[0].text.includes('invalid characters')" \
    --method tools/call --tool-name calculate --tool-arg 'expression=2 + x'
  # The Inspector looks the tool up in tools/list itself, so this one never becomes a tools/call.
  era_check "tools/call of an unknown tool" 5 \
    "error.code === 'tool_not_found'" \
    --method tools/call --tool-name no_such_tool
  era_check "resources/list" 0 \
    "result.resources.some((r) => r.uri === 'server://info')" \
    --method resources/list
  era_check "resources/templates/list" 0 \
    "result.resourceTemplates.some((t) => t.uriTemplate === 'calculation://{expression}')" \
    --method resources/templates/list
  era_check "resources/read" 0 \
    "['name', 'version', 'uptime', 'memory', 'pid', 'platform'].every((k) => k in JSON.parse(result.contents[0].text))" \
    --method resources/read --uri server://info
  era_check "resources/read through the template" 0 \
    "result.contents.length === 1 && result.contents[0].text === '3'" \
    --method resources/read --uri calculation://1+2
  era_check "resources/read of an unknown resource" 1 \
    "$refused" \
    --method resources/read --uri nope://x
  era_check "prompts/list" 0 \
    "result.prompts.find((p) => p.name === 'explain_calculation').arguments
      .some((a) => a.name === 'expression' && a.required === true)" \
    --method prompts/list
  era_check "prompts/get" 0 \
    "result.messages.length === 1 && result.messages[0].role === 'user'
      && result.messages[0].content.text.includes('6*7')" \
    --method prompts/get --prompt-name explain_calculation --prompt-args 'expression=6*7'
  era_check "prompts/get of an unknown prompt" 1 \
    "$refused" \
    --method prompts/get --prompt-name no_such_prompt
done

check "tools/list --strict: schemas that every client accepts" 0 "result.tools.length === 4" --method tools/list --strict

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
