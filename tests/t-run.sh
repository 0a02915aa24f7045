#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# t-run: `pfscale run` from the command line to the table, and the same table from the file.
# The functions below are called by ok().
# shellcheck disable=SC2317

# shellcheck source=tests/tap.sh
. "${top_srcdir:-$(dirname -- "$0")/..}/tests/tap.sh"
# shellcheck source=tests/lib-run.sh
. "$top_srcdir/tests/lib-run.sh"

all_types=$("$PFSCALE" list --types)

# Labels in a table of the sgi format, on one line.
labels() {
	sed -n 's/^\([a-z][a-z:]*\) .*/\1/p' "$1" | tr '\n' ' '
}

# only_lines FILE PATTERN: no line of FILE but those of the pattern (and warnings, which a machine
# may give reason to).
only_lines() {
	! grep -Ev "^pfscale (run|report): .*warning: |$2" "$1"
}

#
# The main job
#
cpus=1
[ "$(allowed_cpus | wc -l)" -gt 1 ] && cpus=1,2
exits 'run ends well' 0 run fork:zero:shared --cpus $cpus --size 50MB -o r.json
cp "$tmp/out" table
ok 'stdout has a table' test -s table
ok 'stderr names the file, and has nothing else' only_lines "$tmp/err" \
	'^pfscale run: (result in r\.json|[0-9]+ of [0-9]+ points came within 1 %.*)$'
has 'stderr names the file' "$tmp/err" '^pfscale run: result in r\.json$'
has 'a row of one CPU' table '^fork:zero:shared +1 '
hasnt 'no number that is none' table '(nan|inf)'
is 'the folder holds the result alone' "$(ls -A)" "$(printf 'r.json\ntable')"
exits 'report ends well' 0 report r.json
ok 'report prints the same table, byte for byte' cmp "$tmp/out" table
ok 'report prints nothing on stderr but warnings' only_lines "$tmp/err" '^$'
has 'the result is marked complete' r.json '^  "complete": true,$'
if command -v python3 >/dev/null; then
	ok 'the file is JSON to others' json_parses r.json
else
	skip 'the file is JSON to others' 'no python3 here'
fi
ok 'every column has an entry for each worker' every r.json "$columns_fit"
ok 'wall times are above 0, start times not below' every r.json '
	column("wall_ns", wall); column("start_ns", start)
	for (i = 1; i <= workers; i++)
		if (wall[i] <= 0 || start[i] < 0)
			wrong("times")'

#
# Types
#
tiny='--cpus 1 --size 40kB --repeats 1 --warmup 0 --time-limit 0'
# run_types ARGUMENT...: `pfscale run` of little memory.
run_types() {
	# shellcheck disable=SC2086
	pf run $tiny --force -o types.json "$@"
}

run_types
if have_tmpfs; then
	is 'no TYPE: exit status' "$status" 0
	is 'no TYPE: all types' "$(labels "$tmp/out")" "$(echo "$all_types" | tr '\n' ' ')"
	is 'no TYPE: 16 tables' "$(grep -c '^TYPE:' "$tmp/out")" 16
	is 'no TYPE: 16 points' "$(repeats types.json | wc -l | tr -d ' ')" 16
else
	skip 'no TYPE: 16 tables' '/dev/shm is no tmpfs that can be written to'
fi
for pair in 'fork=fork ' 'fork:malloc=fork ' 'fork:malloc:write:shared=fork:shared ' \
	'fork:write=fork ' 'pthread fork=pthread fork ' 'fork fork fork:malloc=fork ' \
	'fork:zero*=fork:zero fork:zero:shared ' '*:zero=fork:zero pthread:zero ' \
	'fork:malloc*=fork fork:shared ' '*:sh[m]em:shared=fork:shmem:shared pthread:shmem:shared ' \
	'fork:zer? fork:zero:*=fork:zero fork:zero:shared '; do
	arguments=${pair%%=*}
	set -f
	# shellcheck disable=SC2086
	run_types $arguments
	set +f
	is "TYPE $arguments" "$(labels "$tmp/out")" "${pair#*=}"
done
run_types -- fork
is 'after --, TYPE' "$(labels "$tmp/out")" 'fork '

check_faults='
	column("minflt", faults)
	for (i = 1; i <= workers; i++)
		if (faults[i] < pages || faults[i] > pages + 4)
			wrong("faults")'
if ! no_huge_pages; then
	skip 'each page takes one fault' 'huge pages are on for everybody'
else
	skipped=''
	have_tmpfs || skipped=' (without tmpfs)'
	exits 'all types' 0 run -q --force --cpus $cpus -s 10MB -r 2 -o faults.json
	ok "each page takes one fault, and no more than 4 others come along$skipped" \
		every faults.json "$check_faults"
	hasnt 'no warning of faults' "$tmp/err" 'faults for'
	ok 'every column has an entry for each worker' every faults.json "$columns_fit"
fi

#
# Repeats and their order
#
exits 'repeats and warm-up' 0 run -q -c 1 -s 4kB -r 3 --warmup 2 --time-limit 0 \
	fork pthread:zero -o n.json
is '3 repeats of 2 points' "$(repeats n.json | grep -c 'warmup=false')" 6
is '2 to warm up' "$(repeats n.json | grep -c 'warmup=true')" 4
is 'the order counts all of them' \
	"$(repeats n.json | sed 's/.* order=\([0-9]*\) .*/\1/' | sort -n | tr '\n' ' ')" \
	'0 1 2 3 4 5 6 7 8 9 '
exits 'no warm-up' 0 run -q -c 1 -s 4kB -r 1 --warmup 0 fork -o w0.json
hasnt 'none is there' w0.json '"warmup": true'
exits 'defaults' 0 run -q -c 1 -s 4kB --time-limit 0 fork -o d.json
is 'are 5 repeats, where time allows no more' "$(repeats d.json | grep -c 'warmup=false')" 5
has 'that they were to be adaptive is recorded' d.json '"adaptive": true'
is 'and one to warm up' "$(repeats d.json | grep -c 'warmup=true')" 1
is 'which comes first' "$(repeats d.json | grep 'order=0 ' | grep -c 'warmup=true')" 1

# order_of SEED: what ran after what.
order_of() {
	rm -f order.json
	pf run -q -c 1 -s 4kB -r 2 --warmup 0 --time-limit 0 --seed "$1" -o order.json 'fork*' 'pthread*'
	repeats order.json | sed 's/^\([^ ]*\) .* order=\([0-9]*\) .*/\2 \1/' | sort -n
}
first=$(order_of 7)
is 'a seed gives an order' "$(echo "$first" | head -n 1 | cut -d ' ' -f 1)" 0
is 'the same seed, the same order' "$(order_of 7)" "$first"
ok 'another seed, another order' test "$(order_of 8)" != "$first"
rounds_differ() {
	[ "$(echo "$first" | cut -d ' ' -f 2 | head -n 12)" != \
		"$(echo "$first" | cut -d ' ' -f 2 | tail -n 12)" ]
}
ok 'each round has an order of its own' rounds_differ

#
# Exit status, dry run
#
exits 'a point that fails: exit status 1' 1 run -c 1 -s 1000TB fork:zero -o f.json
has 'stderr says which, and what is missing' "$tmp/err" \
	'^pfscale run: fork:zero with 1 worker failed: .*1000000000000000 bytes.*MemAvailable'
has 'the file has the point' f.json '"status": "failed"'
hasnt 'without numbers' f.json '(wall_ns|max_wall_s|faults)'
hasnt 'nor has its row' "$tmp/out" '^fork:zero.* [0-9]+\.[0-9]'
has 'the run is complete for all that' f.json '"complete": true'
rm -f ./*.json
exits 'a dry run' 0 run --dry-run
is 'makes no file' "$(ls -A)" table
ok 'is silent on stderr' test ! -s "$tmp/err"
has 'tells the workers' "$tmp/out" '^workers: +1'
has 'tells the size' "$tmp/out" '100000000 bytes per worker'
has 'tells the memory it needs' "$tmp/out" '^memory: +[0-9]+ bytes'
has 'tells how long it may take' "$tmp/out" '^time: +about [0-9.]+ s'
exits 'a dry run of many short repeats' 0 run --dry-run -c 1 -s 1 -r 10000 fork
has 'counts what teams take besides' "$tmp/out" '^time: +about [1-9]'
exits 'a dry run of what cannot be' 0 run --dry-run -c 1 -s 1000TB fork:zero -o x.json
has 'tells what would fail' "$tmp/out" 'fork:zero with 1 would fail: .*MemAvailable'
is 'and makes no file either' "$(ls -A)" table
exits 'a dry run into a file that exists' 2 run --dry-run -o table fork
has 'is refused as the run would be' "$tmp/err" "^pfscale run: --output 'table': exists already"

tap_done
