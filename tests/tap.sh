# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# tap.sh: the few words that shell tests need to speak TAP. Source it first; end with tap_done.
# Makes a scratch directory $tmp, removed at exit, and knows $PFSCALE, $top_srcdir, $top_builddir.

: "${top_srcdir:=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)}"
: "${top_builddir:=$top_srcdir/build}"
: "${PFSCALE:=$top_builddir/pfscale}"
: "${CC:=cc}"
export PFSCALE top_srcdir top_builddir CC

tap_count=0
tap_failed=0
tmp=$(mktemp -d "${TMPDIR:-/tmp}/pfscale-test.XXXXXX") || exit 99
trap 'rm -rf "$tmp"' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# ok NAME COMMAND...: a test point that passes when the command succeeds.
ok() {
	tap_name=$1
	shift
	tap_count=$((tap_count + 1))
	if "$@"; then
		echo "ok $tap_count - $tap_name"
	else
		tap_failed=$((tap_failed + 1))
		echo "not ok $tap_count - $tap_name"
		echo "# failed: $*"
		return 1
	fi
}

# is NAME GOT WANT: passes when the two strings are equal.
is() {
	tap_count=$((tap_count + 1))
	if [ "$2" = "$3" ]; then
		echo "ok $tap_count - $1"
	else
		tap_failed=$((tap_failed + 1))
		echo "not ok $tap_count - $1"
		printf '%s\n' "got:  $2" "want: $3" | sed 's/^/# /'
		return 1
	fi
}

# has NAME FILE PATTERN: passes when a line of FILE matches the extended regular expression.
has() {
	tap_count=$((tap_count + 1))
	if grep -Eq -- "$3" "$2"; then
		echo "ok $tap_count - $1"
	else
		tap_failed=$((tap_failed + 1))
		echo "not ok $tap_count - $1"
		echo "# no line matches: $3"
		sed 's/^/# /' "$2" | head -n 20
		return 1
	fi
}

# hasnt NAME FILE PATTERN: passes when no line of FILE matches.
hasnt() {
	tap_count=$((tap_count + 1))
	if grep -Eq -- "$3" "$2"; then
		tap_failed=$((tap_failed + 1))
		echo "not ok $tap_count - $1"
		grep -E -- "$3" "$2" | sed 's/^/# matches: /' | head -n 20
		return 1
	else
		echo "ok $tap_count - $1"
	fi
}

# skip NAME REASON
skip() {
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $1 # SKIP $2"
}

# skip_all REASON: the whole test cannot run here.
skip_all() {
	echo "1..0 # SKIP $1"
	exit 0
}

tap_done() {
	echo "1..$tap_count"
	[ "$tap_failed" -eq 0 ]
	exit $?
}
