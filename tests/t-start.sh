#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# t-start.sh: nobody begins before all are ready, and what comes before is not timed; the warm-up
# is there by default, marked, and stays out of the numbers; the spread is shown.
# shellcheck disable=SC2016 source=tests/lib.sh
. "${top_srcdir:-$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)}/tests/lib.sh"

# The samples of the result, a line per repeat and worker: TYPE WORKERS WARMUP START WALL MINFLT.
samples() {
	awk '
	function numbers(text, into) {
		gsub(/.*\[|\].*/, "", text)
		return split(text, into, /, */)
	}
	function text(line) {
		gsub(/.*": "?|"?,?$/, "", line)
		return line
	}
	/^ *"type": /    { type = text($0) }
	/^ *"workers": / { workers = text($0) }
	/^ *"warmup": /  { warmup = text($0) }
	/^ *"start_ns": / { numbers($0, start) }
	/^ *"wall_ns": /  { numbers($0, wall) }
	/^ *"minflt": / {
		n = numbers($0, minflt)
		for (i = 1; i <= n; i++)
			print type, workers, warmup, start[i], wall[i], minflt[i]
	}' "$result"
}

# count CONDITION: how many samples fulfil it.
count() {
	awk "$1"' { n++ } END { print n + 0 }' "$tmp/samples"
}

# Many more workers than CPUs, with next to nothing to do: the first would be through before the
# last is made. Their start counts from the moment when all were ready.
many=400
measure "$run" --cpus $many --oversubscribe -s 4kB fork pthread fork:shmem pthread:zero:shared
is "many small workers: exit status" "$status" 0
samples >"$tmp/samples"
is "many small workers: each has its sample" "$(count "\$2 == $many")" $((4 * many))
is "many small workers: none starts before all are ready" "$(count '$4 < 0')" 0
is "many small workers: all have touched their page" "$(count '$6 < 1')" 0

# As many workers as CPUs spin until the start time, which lies ahead of them.
measure "$run" -r 20 -s 40kB --cpus 1,max fork pthread:zero
is "workers that spin: exit status" "$status" 0
samples >"$tmp/samples"
ok "workers that spin: each repeat has its samples" test "$(count 1)" -ge 40
is "workers that spin: none starts before the start time" "$(count '$4 < 0')" 0

# Whoever fails to come does not start the others.
if a_tmpfs "$tmp/small" size=64k,nr_inodes=6; then
	measure "$run" --force --cpus 16 --oversubscribe -s 4kB --tmpfs-dir "$tmp/small" fork:tmpfs
	fails "a worker that is not ready" fork:tmpfs 16 "open: ENOSPC .*worker [0-9]+ of 16"
	samples >"$tmp/samples"
	is "a worker that is not ready: nobody is timed" "$(count 1)" 0
else
	skip "a worker that is not ready" "no tmpfs can be mounted here: $no_space"
fi

# The defaults: one repeat to warm up, then five, and where time allows no more, no more.
measure "$exe" run -q -o "$result" --cpus 1 -s 400kB --time-limit 0 fork pthread:zero
samples >"$tmp/samples"
for type in fork pthread:zero; do
	is "warm-up: one by default, $type" "$(count "\$1 == \"$type\" && \$3 == \"true\"")" 1
	is "warm-up: five others, $type" "$(count "\$1 == \"$type\" && \$3 == \"false\"")" 5
	is "warm-up: does not count as a repeat, $type" "$(value $type 1 repeats)" 5
	is "warm-up: comes first, $type" "$(awk -v type=$type '$1 == type { print $3; exit }' \
		"$tmp/samples")" true
	shown=$(value $type 1 max_wall_s)
	ok "warm-up: the row is one of the others, $type" awk -v type=$type -v shown="$shown" '
		$1 == type && $3 == "false" && $5 - 0.5 < shown * 1e9 && shown * 1e9 < $5 + 0.5 {
			found = 1
		}
		END {
			exit !found
		}' "$tmp/samples"
done
measure "$exe" run -q -o "$result" --cpus 1 -s 400kB -r 2 --warmup 3 --time-limit 0 fork
samples >"$tmp/samples"
is "--warmup 3" "$(count '$3 == "true"') $(count '$3 == "false"')" "3 2"
measure "$exe" run -q -o "$result" --cpus 1 -s 400kB -r 2 --warmup 0 --time-limit 0 fork
samples >"$tmp/samples"
is "--warmup 0" "$(count '$3 == "true"') $(count '$3 == "false"')" "0 2"
"$exe" run --help >"$tmp/help"
has "--help tells the default" "$tmp/help" "1 by default"

# The spread over the repeats, beside the rate.
measure "$exe" run -q -o "$result" --cpus 1 -s 400kB --time-limit 0 --format wide fork
has "wide: lowest and highest repeat" "$tmp/out" '^ +faults/s +min +max +re-'
has "wide: as percentages of the row" "$tmp/out" \
	'^ +1 +([0-9]+|n/a)( +([+-]?[0-9]+\.[0-9]|n/a)){2} +5 '
measure "$run" --cpus 1 -s 400kB --format wide fork
has "wide: a single repeat has no spread" "$tmp/out" '^ +1 +[0-9]+ +n/a +n/a +1 '
measure "$exe" run -q -o "$result" --cpus 1 -s 400kB -r 3 --format csv fork
ok "csv: lowest and highest repeat" test "$(value fork 1 faults_per_wall_s_per_cpu_min | wc -c)" -gt 1

nothing_left "in the end"
tap_done
