#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# t-guest: pfscale in a virtual machine with two NUMA nodes, without cpufreq and without a PMU.

# shellcheck source=tests/guest.sh
. "${top_srcdir:-$(dirname -- "$0")/..}/tests/guest.sh"
# shellcheck source=tests/lib-run.sh
. "$top_srcdir/tests/lib-run.sh"

guest_ready || skip_all "$no_guest"
command -v python3 >/dev/null || skip_all 'no python3 here, to read the results'

# in_run NAME EXPRESSION: the value of a Python expression on that run's result `r` and `repeats`.
in_run() {
	python3 -c '
import json, sys
r = json.load(open(sys.argv[1]))
repeats = [repeat for point in r["points"] for repeat in point["repeats"]]
print(eval(sys.argv[2]))' "$guest/$1.json" "$2" 2>&1
}

# One boot for all. "on" is measured with NUMA balancing, "off" without it and with --perf.
guest_program "$PFSCALE" || exit 99
booted=yes
guest_boot -c 2,sockets=2 -n 0:512 -n 1:512 <<'END' || booted=no
knob=/proc/sys/kernel/numa_balancing
measure() {
	name=$1
	shift
	pfscale run fork -c 1,2 -s 4MB -r 2 --time-limit 0 -o "$name.json" "$@" \
		>"$name.out" 2>"$name.err"
	echo $? >"$name.status"
}
cat /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor >governors 2>&1
# A kernel that nobody chose may be built without it.
[ -w $knob ] || echo missing >knob
echo 1 >$knob 2>/dev/null
measure on
echo 0 >$knob 2>/dev/null
measure off --perf
pfscale topology >topology
END
is 'the guest runs to its end' $booted yes || tap_done
is 'the script in the guest runs to its end' "$(cat "$guest/status")" 0 ||
	sed 's/^/# /' "$guest/err"

# checked NAME: what holds for both runs.
checked() {
	is "$1: exit status" "$(cat "$guest/$1.status")" 0 || sed 's/^/# /' "$guest/$1.err"
	is "$1: the points" "$(in_run "$1" \
		'[(p["type"], p["workers"], p["status"]) for p in r["points"]]')" \
		"[('fork', 1, 'ok'), ('fork', 2, 'ok')]"
	is "$1: the result is complete" "$(in_run "$1" 'r["complete"]')" True
	has "$1: the row of one CPU has all numbers, on one node" "$guest/$1.out" \
		'^fork +1( +[0-9]+\.[0-9]{3}){6} +[1-9][0-9]* +([1-9][0-9]*|n/a) +[1-9][0-9]* +1$'
	has "$1: the row of two CPUs has all numbers, on two nodes" "$guest/$1.out" \
		'^fork +2( +[0-9]+\.[0-9]{3}){6} +[1-9][0-9]* +([1-9][0-9]*|n/a) +[1-9][0-9]* +2$'
	"$PFSCALE" report "$guest/$1.json" 2>/dev/null >"$tmp/report"
	ok "$1: report prints the same table here" cmp "$guest/$1.out" "$tmp/report"
	ok "$1: every column has an entry for each worker" every "$guest/$1.json" "$columns_fit"
	is "$1: two workers are on the CPUs and nodes 0 and 1" "$(in_run "$1" \
		'{(*p["cpu"], *p["node"]) for p in repeats if len(p["cpu"]) == 2}')" \
		'{(0, 1, 0, 1)}'
	is "$1: each repeat says what others did" "$(in_run "$1" \
		'all(p["steal_ns"] >= 0 and p["foreign_ns"] >= 0 for p in repeats)')" True
	is "$1: the file has both nodes, with a CPU and memory each" "$(in_run "$1" \
		'[(n["index"], n["cpus"], n["memory_bytes"] > 1 << 28)
		  for n in r["system"]["numa"]["nodes"]]')" \
		'[(0, 1, True), (1, 1, True)]'
	is "$1: and their distances" "$(in_run "$1" 'r["system"]["numa"]["distances"]')" \
		'[[10, 20], [20, 10]]'
	is "$1: the canary was measured on both CPUs" "$(in_run "$1" \
		'len(r["canary"]) > 0 and all(r["cpu"] == [0, 1] for r in r["canary"])')" True
}

checked on
checked off

# What the kernel does with pages of its own accord is recorded, and warned of.
balancing='NUMA balancing'
if [ -e "$guest/knob" ]; then
	skip 'NUMA balancing' 'the kernel of the guest is built without it'
else
	is 'on: NUMA balancing is in the file' "$(in_run on 'r["system"]["numa_balancing"]')" 1
	has 'on: stderr warns of it' "$guest/on.err" "warning: .*$balancing"
	is 'on: so does the file' "$(in_run on "'$balancing' in str(r['warnings'])")" True
	is 'off: NUMA balancing is in the file' "$(in_run off 'r["system"]["numa_balancing"]')" 0
	hasnt 'off: stderr does not warn of it' "$guest/off.err" "$balancing"
	is 'off: nor does the file' "$(in_run off "'$balancing' in str(r['warnings'])")" False
fi

# Without cpufreq there is no governor, which is not the same as one without a name.
has 'the guest has no frequency governor' "$guest/governors" 'No such file'
is 'the file says that it is not known' "$(in_run on 'r["system"]["governor"]')" unknown
is 'nor is there a frequency' "$(in_run on 'any("freq_khz" in p for p in repeats)')" False

# A PMU would count cycles; page faults the kernel counts by itself.
events='{name for p in repeats for name in p if name.startswith("perf_")}'
is 'on: no event is counted without --perf' "$(in_run on "$events")" 'set()'
is 'off: of all events only page faults are counted' "$(in_run off "$events")" \
	"{'perf_page_faults'}"
is 'off: as many as the worker had by its other account' "$(in_run off \
	'[p["perf_page_faults"] for p in repeats] == [p["minflt"] for p in repeats]')" True
is 'off: why the others are not is in the file' "$(in_run off \
	'{name for name, why in r["plan"]["perf"].items() if not isinstance(why, str)}')" \
	"{'page_faults'}"

has 'topology shows node 1 and its CPU' "$guest/topology" '^ +1 +0\.5 GiB +1 +1$'

tap_done
