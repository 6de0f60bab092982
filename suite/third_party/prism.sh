#!/usr/bin/env bash
# Judges what the server for Jira and the stand-in site say to each other with Prism, by Atlassian's OpenAPI documents, for Cloud and for
# Data Center. The calls are those of atlassian.py.
#
#   suite/third_party/prism.sh PYTHON NODE FOLDER
#
# PYTHON and NODE are what install.sh prints, and FOLDER has the binaries `plainwire` and `openapi-documents`. The documents are looked for
# as by the tests in Rust: in ../shared, or in $PLAINWIRE_SHARED. Prints what each Prism found and how much it saw. Exit code 1 if a check
# of atlassian.py failed, or if there is a violation that prism/excuses.mjs does not explain. Prints SKIPPED without the documents or npm,
# from which Prism is installed into the cache folder of install.sh.
set -euo pipefail
[ $# -eq 3 ] || { sed -n '2,12p' "$0" | sed 's/^# \{0,1\}//' >&2; exit 2; }
python=$1
node=$2
binaries=$(cd "$3" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
today=2026-11-27 # the day of atlassian.py
cache=${PLAINWIRE_CACHE:-${TMPDIR:-/tmp}/plainwire-third-party}/prism

out=$(mktemp -d)
pids=()
finish() {
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
  wait
  rm -rf "$out"
}
trap finish EXIT

mkdir "$out/documents"
"$binaries/openapi-documents" "$out/documents"
[ -n "$(ls "$out/documents")" ] || { echo "SKIPPED: there are no documents to judge by"; exit 0; }
command -v npm >/dev/null || { echo "SKIPPED: there is no npm"; exit 0; }

mkdir -p "$cache"
if ! cmp -s "$here/prism/package-lock.json" "$cache/.installed"; then
  cp "$here"/prism/package.json "$here"/prism/package-lock.json "$here"/prism/.npmrc "$cache"
  (cd "$cache" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2)
  cp "$here/prism/package-lock.json" "$cache/.installed"
fi
prism=$cache/node_modules/@stoplight/prism-cli/dist/index.js

# Serves a site on a free port, and sets `site` to its address.
serve() { # deployment
  "$binaries/plainwire" serve site --http 127.0.0.1:0 --deployment "$1" --today "$today" 2>"$out/site-$1" &
  pids+=($!)
  for _ in $(seq 300); do
    site=$(sed -n 's,^the site is at \(http://.*\)$,\1,p' "$out/site-$1")
    [ -z "$site" ] || return 0
    sleep 0.1
  done
  echo "expected a site within 30 s, but it said: $(cat "$out/site-$1")" >&2
  return 1
}

code=0
for deployment in cloud datacenter; do
  serve "$deployment"
  "$node" "$here/prism/judge.mjs" "$prism" "$out/documents" "$deployment" "$site" \
    "$python" "$here/atlassian.py" "$binaries/plainwire" "$deployment" || code=1
done
exit "$code"
