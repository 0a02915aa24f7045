#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# t-disturb: a competitor on a worker's CPU, for real: repeats are marked, replaced and left out.
# The functions below are called by ok().
# shellcheck disable=SC2317

# shellcheck source=tests/tap.sh
. "${top_srcdir:-$(dirname -- "$0")/..}/tests/tap.sh"
# shellcheck source=tests/lib-run.sh
. "$top_srcdir/tests/lib-run.sh"

cpu=$(allowed_cpus | head -n 1)

# compete: take the CPU of the first worker, in the background, until relent.
compete() {
	taskset -c "$cpu" sh -c 'while :; do :; done' &
	competitor=$!
}
relent() {
	kill "$competitor" 2>/dev/null
	wait "$competitor" 2>/dev/null
}
trap 'kill $competitor $watcher 2>/dev/null; rm -rf "$tmp"' EXIT
competitor=
watcher=

# timed FILE: the repeats that are no warm-up, one a line.
timed() {
	repeats "$1" | grep 'warmup=false'
}
disturbed() {
	timed "$1" | grep -c ' disturbed='
}
# shown_is_undisturbed FILE: the row of the point is that of a repeat that was not disturbed.
shown_is_undisturbed() {
	shown=$(sed -n 's/^        "max_wall_s": \([0-9.e-]*\),*$/\1/p' "$1")
	timed "$1" | grep -v ' disturbed=' | sed 's/.* wall_ns=\([0-9]*\).*/\1/' | awk -v shown="$shown" '
		$1 - 0.5 < shown * 1e9 && shown * 1e9 < $1 + 0.5 { found = 1 }
		END { exit !found }'
}

if ! command -v taskset >/dev/null; then
	skip 'a competitor on a worker'\''s CPU' 'no taskset here'
	tap_done
	exit
fi

#
# All the time: every repeat is hit, and that is said
#
compete
exits 'a run beside a competitor' 0 run fork --cpus 1 --size 200MB -r 3 --time-limit 0 --seed 1 -o all.json
relent
is '3 timed repeats, and no more time' "$(timed all.json | wc -l | tr -d ' ')" 3
is 'all of them are marked' "$(disturbed all.json)" 3
ok 'as preempted' sh -c 'grep -q "\"disturbed\": \[.*\"preempted\"" all.json'
ok 'the worker was made to wait' every all.json 'column("nivcsw", n); if (n[1] < 1) wrong("nivcsw")'
ok 'and all is in the file' every all.json '
	if (!column("wall_ns", a) || !column("user_ns", b) || !column("sys_ns", c) ||
	    !column("nvcsw", d) || !column("end_cpu", e) || !column("lived_ns", f))
		wrong("columns")
	else if (b[1] + c[1] > 0.99 * a[1])
		wrong("CPU time")'
has 'a warning says so' "$tmp/err" \
	'^pfscale run: warning: 1 point had no undisturbed repeat, .*\(.*preempted.*fork with 1$'
has 'the file has it too' all.json 'had no undisturbed repeat'
has 'there are numbers all the same' "$tmp/out" '^fork +1 +[0-9.]+ '

#
# For some time: what it hits is replaced. The competitor goes away once two repeats are marked; the
# run has time enough for others.
#
: >"$tmp/err"
compete
{
	until [ "$(grep -c 'disturbed: ' "$tmp/err")" -ge 2 ]; do
		sleep 0.02
	done
	kill "$competitor"
} >/dev/null 2>&1 &
watcher=$!
exits 'a run beside one that goes away' 0 run fork --cpus 1 --size 100MB -r 5 --time-limit 10min -v \
	-o some.json
kill $watcher 2>/dev/null
wait $watcher 2>/dev/null
relent
n=$(timed some.json | wc -l)
hit=$(disturbed some.json)
ok 'some repeats are marked' test "$hit" -ge 1
if [ $((n - hit)) -eq 5 ]; then
	ok 'and replaced: 5 count, and the row is one of those' shown_is_undisturbed some.json
	has 'which stopped it' some.json '"stopped": "repeats"'
	hasnt 'no warning that they are too few' "$tmp/err" 'warning: .*undisturbed repeat'
else
	# Others had the CPU as well, all the time.
	is 'and replaced: 50 of them' "$n" 55
	has 'a warning that too few count' "$tmp/err" 'warning: .*undisturbed repeat'
fi
has '-v tells which' "$tmp/err" '^fork 1: [0-9.]+ s, [0-9]+ faults; disturbed: .*preempted'

tap_done
