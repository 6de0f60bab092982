#!/usr/bin/env bash
# Judges the card, the page that shows the value of any tool, in a real browser that plays the host of MCP Apps.
#
#   suite/third_party/card.sh NODE FOLDER [SCREENSHOTS]
#
# NODE is a Node from version 20 on, and FOLDER has the binaries `plainwire` and `preview-server`. First come the checks of the page
# with results of their own, then two servers: previews that are confirmed, cancelled and blocked, and a call that asks back. With
# SCREENSHOTS, pictures are drawn into that folder. Needs Chromium at /usr/bin/chromium or $CHROMIUM, and npm for two packages, which
# are installed into the cache folder of install.sh.
set -euo pipefail
node=$1
folder=$(cd "$2" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
page=$here/../../crates/plainwire/src/server/presentation/card.html
cache=${PLAINWIRE_CACHE:-${TMPDIR:-/tmp}/plainwire-third-party}/card
mkdir -p "$cache"
# Modules are looked for beside the program, so the program goes to them.
cp "$here"/card/*.mjs "$here"/card/package.json "$here"/card/package-lock.json "$here"/card/.npmrc "$cache"
if ! cmp -s "$cache/package-lock.json" "$cache/.installed"; then
  (cd "$cache" && npm ci --no-audit --no-fund >&2)
  cp "$cache/package-lock.json" "$cache/.installed"
fi
"$node" "$cache/card.mjs" --page "$page" ${3:+--screenshots "$3"}
"$node" "$cache/card.mjs" --steps "$here/card/preview.json" --server "$folder/preview-server"
"$node" "$cache/card.mjs" --steps "$here/card/patterns.json" --server "$folder/plainwire" serve patterns
