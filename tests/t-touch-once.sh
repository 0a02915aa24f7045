#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# t-touch-once: compilers leave the touch loop as it is, at any level of optimisation.
# The functions below are called by ok().
# shellcheck disable=SC2317

# shellcheck source=tests/tap.sh
. "${top_srcdir:-$(dirname -- "$0")/..}/tests/tap.sh"
# shellcheck source=tests/lib-run.sh
. "$top_srcdir/tests/lib-run.sh"

have_compiler || skip_all "$CC makes no programs"
no_huge_pages || skip_all 'huge pages are on for everybody: a fault is more than a page'

compilers=$CC
for other in gcc clang; do
	command -v $other >/dev/null && [ "$CC" != $other ] && compilers="$compilers
$other"
done

# try COMPILER FILE OPTION...: build the program from FILE (and the loop), and run it.
try() {
	compiler=$1
	file=$2
	shift 2
	built="$compiler $*"
	rm -f touch-once
	# shellcheck disable=SC2086
	if ! $compiler "$@" -o probe "$tmp/probe.c" >log 2>&1; then
		skip "$built" 'it makes no programs so'
		return
	fi
	[ "$file" = all.c ] || set -- "$@" "$top_srcdir/src/touch/write.c"
	# shellcheck disable=SC2086
	$compiler -D_GNU_SOURCE -DHAVE_CONFIG_H -I"$top_builddir" -iquote "$top_srcdir/src" \
		-o touch-once "$file" "$@" >log 2>&1
	sed 's/^/# /' log | head -n 10
	ok "$built: it compiles" test -x touch-once || return
	is "$built: each page is touched once" "$(./touch-once)" ''
}

# calls_nothing COMPILER OPTION...: the loop has not been made a call of memset() or the like.
calls_nothing() {
	compiler=$1
	shift
	# shellcheck disable=SC2086
	$compiler -D_GNU_SOURCE -DHAVE_CONFIG_H -I"$top_builddir" -iquote "$top_srcdir/src" "$@" \
		-c -o loop.o "$top_srcdir/src/touch/write.c" >log 2>&1 || return
	[ -z "$(nm -u loop.o | tee log)" ] && return
	sed 's/^/# /' log
	return 1
}

# All that there is to know, in one file.
cat "$top_srcdir/src/touch/write.c" "$top_srcdir/tests/touch-once.c" >all.c

echo "$compilers" >list
while IFS= read -r compiler; do
	for options in -O0 -O2 -Os '-O3 -flto'; do
		# shellcheck disable=SC2086
		try "$compiler" "$top_srcdir/tests/touch-once.c" $options
	done
	for options in -O3 '-Ofast -march=native'; do
		# shellcheck disable=SC2086
		try "$compiler" all.c $options
		if command -v nm >/dev/null; then
			# shellcheck disable=SC2086
			ok "$compiler $options: the loop stays a loop" calls_nothing "$compiler" $options
		else
			skip "$compiler $options: the loop stays a loop" 'no nm here'
		fi
	done
done <list

tap_done
