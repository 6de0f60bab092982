#!/usr/bin/env bash
# Checks our client against third-party servers, over stdio, Streamable HTTP and HTTP+SSE, in the eras that each supports.
#
#   servers.sh FOLDER      FOLDER has `plainwire-client-check`; what install.sh prints is in the environment
#
# Each server gets a free port and is stopped after its checks.
set -euo pipefail
check=$1/plainwire-client-check
log=$(mktemp)
server=
stop() {
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  [ -z "$server" ] || wait "$server" 2>/dev/null || true
  server=
}
trap 'stop; rm -f "$log"' EXIT

free_port() {
  "$PYTHON" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# Starts a server on a port, and waits until it listens.
start() { # port command...
  local port=$1
  shift
  "$@" >"$log" 2>&1 </dev/null &
  server=$!
  for _ in $(seq 300); do
    kill -0 "$server" 2>/dev/null || { cat "$log" >&2; return 1; }
    ! (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || return 0
    sleep 0.1
  done
  echo "expected a server on port $port within 30 s" >&2
  cat "$log" >&2
  return 1
}

judge() { # what arguments...
  local what=$1 found
  shift
  if ! found=$("$check" "$@" 2>"$log.check"); then
    printf '%s\n' "$found" | tail -n 5 >&2
    tail -n 20 "$log.check" >&2
    echo "$what: failed" >&2
    return 1
  fi
  rm -f "$log.check"
  echo "$what: $(printf '%s\n' "$found" | wc -l) checks, $(printf '%s\n' "$found" | sed -n '1s/.* speaks //p')"
}

judge "everything (TypeScript) over stdio" everything auto "$NODE" "$EVERYTHING" stdio
for mode in streamableHttp sse; do
  port=$(free_port)
  start "$port" env PORT="$port" "$NODE" "$EVERYTHING" "$mode"
  case $mode in sse) path=sse ;; *) path=mcp ;; esac
  judge "everything (TypeScript) over $mode" everything auto "http://127.0.0.1:$port/$path"
  stop
done

# Our client passes on no variables of its own environment, so the command sets this one.
path=PYTHONPATH=$PYTHON_EVERYTHING
for era in auto legacy; do
  judge "everything (Python) over stdio, $era" python "$era" \
    env "$path" "$PYTHON" -c 'from mcp_everything_server.server import mcp; mcp.run("stdio")'
  port=$(free_port)
  start "$port" env "$path" "$PYTHON" -m mcp_everything_server --port "$port"
  judge "everything (Python) over HTTP, $era" python "$era" "http://127.0.0.1:$port/mcp"
  stop
done

# FastMCP has elicitation only in the legacy era.
for example in "fastmcp:testing_demo/server.py:auto legacy" "fastmcp-elicitation:elicitation.py:legacy"; do
  IFS=: read -r name file eras <<<"$example"
  file=$FASTMCP_EXAMPLES/$file
  for era in $eras; do
    judge "$name over stdio, $era" "$name" "$era" "$FASTMCP" run "$file" --no-banner
  done
  for transport in http sse; do
    port=$(free_port)
    start "$port" "$FASTMCP" run "$file" --transport "$transport" --port "$port" --no-banner
    case $transport in sse) path=sse tried=legacy ;; *) path=mcp tried=$eras ;; esac
    for era in $tried; do
      judge "$name over $transport, $era" "$name" "$era" "http://127.0.0.1:$port/$path"
    done
    stop
  done
done
