#!/usr/bin/env bash
# Checks the output of `plainwire convert` with third-party parsers: Atlassian's own transformer, which it installs from npm, and pandoc
# if it is installed.
#
#   richtext.sh <path to the plainwire binary> <folder of the corpora>
#
# The folder has ADF below adf/ and Jira wiki markup below wiki/. Prints a line of counts per check. Exit code 1 if fewer documents agree
# than the numbers below require. Needs Node 20 and npm. Prints SKIPPED for a check whose tool is missing.
#
#   wiki again    wiki markup that we read and wrote again: Atlassian's parser reads the same document from it and from the original
#   ADF as wiki   ADF that we wrote as wiki markup: Atlassian's parser and ours read the same document from it
#   text          ADF that we wrote as plain Markdown: pandoc (gfm) reads the words of the document
set -euo pipefail
[ $# = 2 ] || { sed -n '2,8p' "$0" | sed 's/^# \{0,1\}//' >&2; exit 2; }
binary=$(realpath "$1")
corpora=$(realpath "$2")
here=$(cd "$(dirname "$0")" && pwd)
cache=${PLAINWIRE_CACHE:-${TMPDIR:-/tmp}/plainwire-third-party}/atlaskit-12.2.2
pandoc=${PANDOC:-$(command -v pandoc || true)}

command -v npm >/dev/null || { echo "SKIPPED: there is no npm"; exit 0; }
if [ ! -e "$cache/.installed" ]; then
  mkdir -p "$cache"
  npm install --prefix "$cache" --no-audit --no-fund --ignore-scripts --loglevel=error \
    @atlaskit/editor-wikimarkup-transformer@12.2.2 @atlaskit/editor-json-transformer@9.8.2 \
    @atlaskit/adf-schema@57.7.22 >&2
  touch "$cache/.installed"
fi

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# Converts each folder of a corpus in one run, without the INDEX.json that says where its documents come from. Losses (exit code 1) are
# not checked here.
convert() { # corpus extension to-folder options...
  local corpus=$1 extension=$2 to=$3 folder code
  shift 3
  find "$corpus" -name "*.$extension" ! -name INDEX.json -printf '%h\n' | sort -u | while read -r folder; do
    code=0
    "$binary" convert "$@" --dialect jira --out "$out/$to/${folder#"$corpus"}" "$folder"/*."$extension" \
      2>/dev/null || code=$?
    [ "$code" -le 1 ] || { echo "error: plainwire convert $* exits with $code in $folder" >&2; exit 1; }
  done
}

convert "$corpora/wiki" wiki wiki-adf --from wiki --to adf
convert "$out/wiki-adf" json wiki-again --from adf --to wiki
convert "$corpora/adf" json adf-wiki --from adf --to wiki
convert "$out/adf-wiki" wiki adf-again --from wiki --to adf
convert "$corpora/adf" json adf-plain --from adf --to markdown --plain

cp "$here/richtext.cjs" "$cache/richtext.cjs" # modules are looked for beside the script
node "$cache/richtext.cjs" "$corpora" "$out" "$pandoc"
