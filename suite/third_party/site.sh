#!/usr/bin/env bash
# Builds the site from docs/ and checks every link and anchor in it, without the network. Checks also that the pictures in
# docs/pictures are those that their sources draw. Prints a summary, and where the site is. Fails if a link or an anchor
# is broken, or if a picture is not what its source draws.
#
#   suite/third_party/site.sh MDBOOK LYCHEE
#
# MDBOOK and LYCHEE are what install.sh prints. The site is in ${CARGO_TARGET_DIR:-target}/site/html; docs/book.toml says why
# it has the layout of the repository. Needs python3.
set -euo pipefail
[ $# -eq 2 ] || { sed -n '2,9p' "$0" | sed 's/^# \{0,1\}//' >&2; exit 2; }
mdbook=$1
lychee=$2
cd "$(dirname "$0")/../.."

python3 docs/pictures/draw.py --check

mkdir -p "${CARGO_TARGET_DIR:-target}"
site=$(cd "${CARGO_TARGET_DIR:-target}" && pwd)/site
rm -rf "$site"
mkdir -p "$site/source"
cp docs/book.toml docs/site.css "$site"

# The pages, and the files that they link to. Links to pages that are not listed here are found below, as broken ones.
pages=(*.md docs/*.md docs/atlassian/*.md examples/README.md)
linked=()
for page in "${pages[@]}"; do
  while read -r link; do
    path=$(realpath --canonicalize-missing --relative-to=. "$(dirname "$page")/$link")
    if [ -f "$path" ]; then linked+=("$path"); fi
  done < <(grep -oE '\]\([^)#: ]+' "$page" | cut -c 3-)
done
printf '%s\n' "${pages[@]}" "${linked[@]}" | grep -vx 'docs/SUMMARY.md' | sort -u |
  xargs -d '\n' cp --parents -t "$site/source"
# The summary is written for docs/, and the book is one folder up.
sed -e 's#](#](docs/#' -e 's#](docs/\.\./#](#' docs/SUMMARY.md >"$site/source/SUMMARY.md"

"$mdbook" build "$site"
"$lychee" --offline --include-fragments --no-progress --root-dir "$site/html" "$site/html/**/*.html"
echo "$(find "$site/html" -name '*.html' | wc -l) files of HTML: $site/html/index.html"
