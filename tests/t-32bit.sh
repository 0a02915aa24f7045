#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# t-32bit: the pure modules where size_t has 32 bits and the counters must have 64.
# The functions below are called by ok().
# shellcheck disable=SC2317
# shellcheck source=tests/tap.sh
. "${top_srcdir:-.}/tests/tap.sh"

echo 'int main(void) { return sizeof(void *) != 4; }' >"$tmp/probe.c"
# $CC may hold options: it is to be split.
# shellcheck disable=SC2086
$CC -m32 -o "$tmp/probe" "$tmp/probe.c" 2>"$tmp/log" ||
	skip_all "$CC -m32 does not work (Debian: gcc-multilib)"
"$tmp/probe" || skip_all "32-bit programs do not run here"

# cc32 ARGUMENT...: compile for 32 bits; what the compiler says is shown if it fails.
cc32() {
	# shellcheck disable=SC2086
	$CC -m32 -g -O1 -Wall -Wextra -Werror -DHAVE_CONFIG_H -I"$top_builddir" \
		-iquote "$top_srcdir/src" "$@" >"$tmp/log" 2>&1 || {
		sed 's/^/# /' "$tmp/log"
		return 1
	}
}

# Objects in an archive, as in the build: a test takes only those that it does not replace.
modules() {
	for m in plan type util err; do
		cc32 -c -o "$tmp/$m.o" "$top_srcdir/src/$m.c" || return
	done
	"${AR:-ar}" rc "$tmp/pure.a" "$tmp"/*.o
}

# passes32 NAME: tests/NAME.c, built for 32 bits, passes.
passes32() {
	cc32 -o "$tmp/$1" "$top_srcdir/tests/$1.c" "$tmp/pure.a" || return
	"$tmp/$1" >"$tmp/log" 2>&1 && return
	sed -n '/^not ok/,+2s/^/# /p' "$tmp/log"
	return 1
}

ok "the pure modules compile for 32 bits" modules
for t in t-err t-util t-type t-plan; do
	ok "$t passes with 32 bits" passes32 "$t"
done
has "sizes over 4 GB in all were planned" "$tmp/log" '^ok .* fork: 5 GB in all$'
has "no process was given more than it can map" "$tmp/log" '^ok .* pthread: 5 GB in one process$'
tap_done
