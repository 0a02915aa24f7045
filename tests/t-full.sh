#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# t-full.sh: where the result or the report cannot be written, the run says so and leaves no
# half-written file.
# shellcheck source=tests/lib.sh
. "${top_srcdir:-$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)}/tests/lib.sh"

full_or_skip() {
	[ -c /dev/full ] && ! echo 2>/dev/null >/dev/full
}

if full_or_skip; then
	"$exe" run -q -r 1 --cpus 1 -s 40kB -o /dev/full fork >"$tmp/out" 2>"$tmp/err"
	is "-o /dev/full: exit status" "$?" 2
	has "-o /dev/full: says why" "$tmp/err" '^pfscale run: write: ENOSPC .*: /dev/full$'
	ok "-o /dev/full: the device is there yet" test -c /dev/full
	rm -f "$result"
	"$run" --cpus 1 -s 40kB fork >/dev/full 2>"$tmp/err"
	is "the report into /dev/full: exit status" "$?" 2
	has "the report into /dev/full: says why" "$tmp/err" '^pfscale run: write: ENOSPC '
	is "the report into /dev/full: the result is whole" "$(point fork 1)" "ok with numbers"
	has "the report into /dev/full: the result is complete" "$result" '"complete": true'
	for format in sgi wide csv json markdown; do
		"$exe" report --format $format "$result" >/dev/full 2>"$tmp/err"
		is "report --format $format into /dev/full: exit status" "$?" 2
		has "report --format $format into /dev/full: says why" "$tmp/err" 'write: ENOSPC '
	done
	for arguments in --help --version 'run --help' 'run --dry-run' topology list; do
		# shellcheck disable=SC2086
		"$exe" $arguments >/dev/full 2>"$tmp/err"
		is "$arguments into /dev/full: exit status" "$?" 2
	done
	rm -f "$result"
	"$run" --cpus 1 -s 40kB fork >"$tmp/out" 2>/dev/full
	is "messages into /dev/full: exit status" "$?" 0
	is "messages into /dev/full: the result is whole" "$(point fork 1)" "ok with numbers"
else
	skip "/dev/full" "there is none here"
fi

# A disk on which some results fit, but not a long one.
disk=$tmp/disk
if a_tmpfs "$disk" size=16k; then
	kept=$result
	result=$disk/r.json
	measure "$exe" run -r 300 --cpus 1 -s 4kB -o "$result" fork fork:zero pthread
	is "a small disk: exit status" "$status" 2
	has "a small disk: says why" "$tmp/err" \
		'write: ENOSPC .*r\.json; free space there is [0-9]+ bytes'
	is "a small disk: nothing beside the result is left" \
		"$(find "$disk" -mindepth 1 ! -name r.json)" ""
	if [ -e "$result" ]; then
		has "a small disk: what was saved last is whole" "$result" '"complete": false'
		"$exe" report --format csv "$result" >"$tmp/out" 2>"$tmp/err"
		is "a small disk: it can be read" "$?" 0
	else
		skip "a small disk: what was saved last is whole" "nothing has fitted"
	fi
	# Not even the first.
	rm -f "$result"
	head -c 16384 /dev/zero >"$disk/ballast"
	measure "$run" --cpus 1 -s 4kB fork
	is "a full disk: exit status" "$status" 2
	has "a full disk: says why" "$tmp/err" 'ENOSPC .*r\.json'
	is "a full disk: nothing is left" "$(find "$disk" -mindepth 1 ! -name ballast)" ""
	# The name that it takes by itself.
	(
		cd "$tmp" || exit 99
		PFSCALE_RESULTS=$disk "$exe" run -q -r 1 --cpus 1 -s 4kB fork
	) >"$tmp/out" 2>"$tmp/err"
	is "a full \$PFSCALE_RESULTS: exit status" "$?" 2
	has "a full \$PFSCALE_RESULTS: says where" "$tmp/err" "ENOSPC .*$disk/pfscale-.*\.json"
	is "a full \$PFSCALE_RESULTS: nothing is left" \
		"$(find "$disk" -mindepth 1 ! -name ballast)" ""
	# What was there before stays as it was.
	rm -f "$disk/ballast"
	printf '%8000s' "" >"$disk/r.json"
	cp "$disk/r.json" "$tmp/before"
	printf '%8000s' "" >"$disk/ballast"
	"$exe" run -q -r 300 --cpus 1 -s 4kB --force -o "$result" fork >"$tmp/out" 2>"$tmp/err"
	is "a full disk with an earlier file: exit status" "$?" 2
	ok "a full disk with an earlier file: it is as it was" cmp "$tmp/before" "$disk/r.json"
	is "a full disk with an earlier file: nothing else is left" \
		"$(find "$disk" -mindepth 1 ! -name ballast ! -name r.json)" ""
	# Inodes run out instead.
	result=$kept
	if a_tmpfs "$tmp/names" size=1m,nr_inodes=2; then
		: >"$tmp/names/ballast"
		rm -f "$tmp/names/r.json"
		"$exe" run -q -r 1 --cpus 1 -s 4kB -o "$tmp/names/r.json" fork >"$tmp/out" 2>"$tmp/err"
		is "no inode: exit status" "$?" 2
		has "no inode: says why" "$tmp/err" "--output '.*/names/r\.json': open: ENOSPC"
		is "no inode: nothing is left" "$(find "$tmp/names" -name 'r.json*')" ""
	fi
else
	skip "a small disk" "no tmpfs can be mounted here: $no_space"
fi

nothing_left "in the end"
tap_done
