#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# t-dry-run: what `pfscale run --dry-run` says of repeats, time and the change that they can show.
# Functions are called by ok.
# shellcheck disable=SC2317

# shellcheck source=tests/tap.sh
. "${top_srcdir:-$(dirname -- "$0")/..}/tests/tap.sh"
# shellcheck source=tests/lib-run.sh
. "$top_srcdir/tests/lib-run.sh"

power='\(80 % power, two-sided 5 %\)'
probes='by the spread of the CPU time of 10 probes of 4 MiB here'
number='[0-9]+\.[0-9]+'

# keys: what the lines of the dry run are about, those of single types and points left out.
keys() {
	sed -n 's/^\([a-z]*\):.*/\1/p' "$tmp/out" | tr '\n' ' '
}

#
# As many repeats as are needed
#
exits 'repeats until they are precise' 0 run --dry-run -c 1 fork
is 'lines' "$(keys)" 'types workers size repeats memory time change '
has 'how many, until when' "$tmp/out" \
	'^repeats: auto: 5 to 50 of each point, until the median is known to ±1 %, and 1 to warm up, of 1 points, in rounds shuffled from seed [0-9]+$'
has 'the time that is sure to pass, and its limit' "$tmp/out" \
	'^time:    about [0-9.]+ s for the warm-up and the first 5, by probes of 4194304 bytes .*; what goes beyond the warm-up and the first 5 keeps to a limit of 120 s for the whole run$'
has 'the change that shows' "$tmp/out" \
	"^change:  2\.0 % is the smallest that a point within ±1 % shows $power; one that is stopped by time or repeats may show only larger ones\$"
ok 'nothing on stderr' test ! -s "$tmp/err"
is 'no file' "$(ls -A)" ''
exits 'without a warm-up' 0 run --dry-run -c 1 --warmup 0 fork
has 'without one, the time does not speak of it' "$tmp/out" \
	'^time:    about [0-9.]+ s for the first 5, .*; what goes beyond the first 5 keeps to '

#
# A fixed number
#
exits 'five repeats' 0 run --dry-run -c 1 -r 5 fork
is 'five: lines' "$(keys)" 'types workers size repeats memory time change '
has 'five: how many' "$tmp/out" \
	'^repeats: 5, and 1 to warm up, of 1 points, in rounds shuffled from seed [0-9]+$'
has 'five: the time' "$tmp/out" \
	"^time:    about [0-9.]+ s, by probes of 4194304 bytes of each type here; more where workers get in each other's way\$"
has 'five: the change, and how it is known' "$tmp/out" \
	"^change:  about $number % is the smallest that 5 repeats show $power, $probes\$"
hasnt 'five: no limit, since none applies' "$tmp/out" 'limit of|auto|±'
exits 'four repeats' 0 run --dry-run -c 1 -r 4 --warmup 0 fork
has 'four: no warm-up' "$tmp/out" '^repeats: 4, and 0 to warm up, '
has 'four: they show some change' "$tmp/out" "^change:  about $number % .* 4 repeats show"
for repeats in 1 3; do
	exits "-r $repeats" 0 run --dry-run -c 1 -r $repeats fork
	has "-r $repeats: shows no change" "$tmp/out" \
		"^change:  n/a: so few repeats show none, however large $power\$"
	has "-r $repeats: takes time for all that" "$tmp/out" '^time:    about [0-9.]+ s, '
done
exits 'as many repeats as may be' 0 run --dry-run -c 1 -s 1 -r 100000 fork
has 'as many: the change is small' "$tmp/out" "^change:  about $number % .* 100000 repeats show"

#
# Types
#
exits 'two types' 0 run --dry-run -c 1 -r 5 fork pthread:zero
has 'two types: from the steadiest to the other' "$tmp/out" \
	"^change:  about $number to $number %, by type, is the smallest that 5 repeats show $power, $probes\$"
in_order() {
	sed -n 's/^change: *about \([0-9.]*\) to \([0-9.]*\) .*/\1 \2/p' "$tmp/out" |
		awk '{ ordered = $1 <= $2 } END { exit !ordered }'
}
ok 'two types: in this order' in_order

# A file of 1 MB is too small for a probe, which is not even begun.
limited() {
	sh -c 'ulimit -f 2000 && exec "$@"' sh "$PFSCALE" run --dry-run -c 1 -s 4kB "$@" \
		>"$tmp/out" 2>"$tmp/err"
}
if have_tmpfs; then
	ok 'a type that cannot be probed' limited -r 5 fork:tmpfs
	is 'not probed: lines' "$(keys)" 'types workers size repeats memory time change '
	has 'not probed: no time' "$tmp/out" '^time:    n/a: no type can be probed here and now$'
	has 'not probed: no change' "$tmp/out" '^change:  n/a: no type can be probed here and now$'
	ok 'not probed, and too few' limited -r 2 fork:tmpfs
	has 'too few, anyway' "$tmp/out" '^change:  n/a: so few repeats show none'
	ok 'not probed, as many as needed' limited fork:tmpfs
	has 'as many: no time' "$tmp/out" '^time:    n/a: no type can be probed here and now; what goes beyond .* limit of 120 s '
	has 'as many: the change is what the precision shows' "$tmp/out" '^change:  2\.0 % is the'
	ok 'two types, one of them not probed' limited -r 5 fork fork:tmpfs
	has 'one not probed: the time of the other' "$tmp/out" '^time:    about [0-9.]+ s, '
	has 'one not probed: the change of the other' "$tmp/out" \
		"^change:  about $number to $number %, by type"
else
	skip 'types that cannot be probed' 'no tmpfs in /dev/shm that can be written to'
fi
hasnt 'n/a is never a number' "$tmp/out" 'nan|inf|-[0-9]'

tap_done
