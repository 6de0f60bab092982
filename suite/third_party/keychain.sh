#!/usr/bin/env bash
# Tests the storage of tokens in a third-party keychain: GNOME Keyring, on a session bus and with a folder of its own.
#
#   keychain.sh            in the folder of the checkout
#
# Needs `dbus-run-session` and `gnome-keyring-daemon`, from the Debian packages dbus and gnome-keyring. Skipped without them.
set -euo pipefail
for program in dbus-run-session gnome-keyring-daemon; do
  command -v "$program" >/dev/null || { echo "skipped: there is no $program here" >&2; exit 0; }
done

# Built before the bus starts, so that no daemon of the build runs on it.
built() { # target, words for cargo...
  local target=$1
  shift
  cargo test "$@" --no-run --message-format=json 2>/dev/null | grep "\"name\":\"$target\"" |
    sed -n 's/.*"executable":"\([^"]*\)".*/\1/p' | tail -n 1
}
library=$(built plainwire_oauth -p plainwire-oauth --features keychain --lib)
suite=$(built cli -p plainwire-suite --test cli)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -m 700 "$folder/run"
export PLAINWIRE_TEST_KEYCHAIN=1 XDG_DATA_HOME=$folder XDG_RUNTIME_DIR=$folder/run

# The password unlocks the keyring. Without it a window would ask for one.
said=$(dbus-run-session -- sh -euc '
  printf keyring | gnome-keyring-daemon --unlock --components=secrets >/dev/null
  "$0" keychain --nocapture
  "$1" keychain --nocapture' "$library" "$suite" 2>&1) || { echo "$said" >&2; exit 1; }
case $said in
  *skipped*) echo "expected the tests to find a keychain, but found: $said" >&2; exit 1 ;;
esac
echo "$said" | grep '^test '
