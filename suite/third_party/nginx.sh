#!/usr/bin/env bash
# Checks HTTP through nginx: events arrive one by one with and without its buffers, and a client that leaves ends its calls
# if its revision says so. Prints a line per check, then `N passed, M failed`. Exit code 1 if anything failed.
#
#   suite/third_party/nginx.sh FOLDER
#
# FOLDER has `counting-server`, like target/debug after `cargo build -p plainwire-suite`. Prints SKIPPED without nginx.
set -euo pipefail
[ $# -eq 1 ] || { sed -n '2,7p' "$0" | sed 's/^# \{0,1\}//' >&2; exit 2; }
nginx=$(command -v nginx || PATH=/usr/sbin:$PATH command -v nginx) || {
  echo "SKIPPED: needs nginx (apt-get install nginx-light), and none is installed"
  exit 0
}
server=$1/counting-server
here=$(dirname "$0")

out=$(mktemp -d)
pids=()
finish() {
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
  wait
  rm -rf "$out"
}
trap finish EXIT

"$server" 2>"$out/server" &
pids+=($!)
for _ in $(seq 100); do
  grep -q '://' "$out/server" && break
  sleep 0.05
done
upstream=$(sed -n 's,.*http://\([^/ ]*\)/mcp.*,\1,p' "$out/server" | head -1)
[ -n "$upstream" ] || { echo "the server does not serve: $(cat "$out/server")" >&2; exit 1; }
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')

# /plain: a minimal configuration, with HTTP/1.0 to the server and buffers. /kept: as in docs/http-deployment.md.
# /deaf: like /plain, but nginx ignores the header that switches buffers off. Its events have to arrive late, or the other
# checks prove nothing. (With HTTP/1.1 they would not be late: nginx passes chunks on as they arrive.)
cat >"$out/nginx.conf" <<CONF
worker_processes 1;
daemon off;
pid $out/pid;
error_log $out/error.log warn;
events { worker_connections 64; }
http {
  access_log off;
  client_body_temp_path $out/body;
  proxy_temp_path $out/proxy;
  fastcgi_temp_path $out/fastcgi;
  uwsgi_temp_path $out/uwsgi;
  scgi_temp_path $out/scgi;
  upstream mcp { server $upstream; keepalive 8; keepalive_timeout 60s; }
  server {
    listen 127.0.0.1:$port;
    location = /plain {
      proxy_pass http://$upstream/mcp;
      proxy_http_version 1.0;
    }
    location = /kept {
      proxy_pass http://mcp/mcp;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host localhost;
      proxy_buffering off;
      proxy_read_timeout 1h;
    }
    location = /deaf {
      proxy_pass http://$upstream/mcp;
      proxy_http_version 1.0;
      proxy_ignore_headers X-Accel-Buffering;
    }
  }
}
CONF
"$nginx" -e "$out/error.log" -c "$out/nginx.conf" &
pids+=($!)
python3 "$here/nginx_client.py" "$port" || { cat "$out/error.log" >&2; exit 1; }
