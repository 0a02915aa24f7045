#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# t-adaptive: how many repeats a run makes and why it stops, what it warns of beforehand, and what
# it does around the repeats: the canary, and counting with --perf.
# The functions below are called by ok().
# shellcheck disable=SC2317

# shellcheck source=tests/tap.sh
. "${top_srcdir:-$(dirname -- "$0")/..}/tests/tap.sh"
# shellcheck source=tests/lib-run.sh
. "$top_srcdir/tests/lib-run.sh"

# timed FILE [TYPE]: its repeats that are no warm-up; counting FILE [TYPE]: of these, the ones that
# were not disturbed.
timed() {
	repeats "$1" | grep "^${2:-}" | grep 'warmup=false'
}
counting() {
	timed "$@" | grep -v ' disturbed='
}
lines() {
	wc -l | tr -d ' '
}
# stops FILE: why the points stopped, each once.
stops() {
	sed -n 's/^      "stopped": "\(.*\)",$/\1/p' "$1" | sort -u | tr '\n' ' '
}
# whens FILE: the times of the canary.
whens() {
	sed -n 's/^      "when": "\(.*\)",$/\1/p' "$1" | tr '\n' ' '
}

#
# When there is enough
#
exits 'a precision that anything reaches' 0 run -c 1 -s 4MB --precision 100 --time-limit 10min \
	fork pthread:zero -o wide.json
# Where others have the CPU all the time, every repeat is disturbed, and there is no precision.
n=$(grep -c '"stopped": "precision"' wide.json)
for type in fork pthread:zero; do
	counting=$(counting wide.json "$type " | lines)
	if [ "$counting" -ge 6 ]; then
		is "$type: it stops after 6 repeats that count, which the first interval is made of" \
			"$counting" 6
	else
		is "$type: disturbed repeats are replaced 50 times, and no more" \
			"$(timed wide.json "$type " | lines)" 100
	fi
done
case $n in
0) is 'else the most repeats stop it' "$(stops wide.json)" 'repeats ' ;;
2) is 'it is what stops it' "$(stops wide.json)" 'precision ' ;;
*) is 'it, or the most repeats, stop it' "$(stops wide.json)" 'precision repeats ' ;;
esac
has 'stderr counts the points' "$tmp/err" "^pfscale run: $n of 2 points came within 100 %"
has 'the plan has the precision' wide.json '^    "precision": 1\.0,$'
has 'and the limit' wide.json '^    "time_limit_ns": 600000000000,$'
exits 'a precision that nothing reaches, and no time' 0 run -c 1 -s 4MB --precision 0.0001 \
	--time-limit 0 fork -o none.json
is 'is stopped by the limit' "$(stops none.json)" 'time limit '
is 'after the first 5 repeats' "$(timed none.json | lines)" 5
has 'stderr says so' "$tmp/err" '^pfscale run: 0 of 1 points came within 0\.0001 %, 1 had not when'
exits 'a precision that nothing reaches, and much time' 0 run -c 1 -s 40kB --precision 0.000001 \
	--time-limit 10min fork -o most.json
is 'is stopped by the most repeats' "$(stops most.json)" 'repeats '
ok 'which are 50 that count, or 100' test "$(counting most.json | lines)" -eq 50 -o \
	"$(timed most.json | lines)" -eq 100
exits 'repeats that are too short for the clock' 0 run -c 1 -s 1 --time-limit 10min fork -o short.json
if grep -q '"faults_per_wall_s": null' short.json; then
	is 'are not repeated in vain' "$(stops short.json)" 'no rate '
	is 'but the first 5' "$(timed short.json | lines)" 5
else
	skip 'too short for the clock' 'a page takes long enough here'
fi
exits 'a number of repeats' 0 run -c 1 -s 4MB -r 3 --time-limit 10min fork -o number.json
is 'is what stops it then' "$(stops number.json)" 'repeats '
n=$(counting number.json | lines)
ok 'and so many count, or 50 were replaced' test "$n" -eq 3 -o "$(timed number.json | lines)" -eq 53
hasnt 'stderr has no line on the precision' "$tmp/err" 'points came within'

# Ended by a signal: the points that have their first repeats say so.
"$PFSCALE" run -q -c 1 -s 4MB -r 100000 -v fork -o ended.json >"$tmp/out" 2>"$tmp/err" &
main=$!
until [ "$(grep -c '^fork 1: ' "$tmp/err")" -ge 2 ] || ! kill -0 $main 2>/dev/null; do
	sleep 0.02
done
kill -TERM $main
wait $main
is 'a run that is ended' $? 143
is 'says that this stopped the point' "$(stops ended.json)" 'interrupted '

#
# The canary
#
is 'the canary is looked after before and after' "$(whens wide.json)" 'before after '
has 'each time its readings are there' wide.json '^      "spins_per_s": \[[0-9.]+\],?$'
is 'before means before any repeat' \
	"$(sed -n 's/^      "order": \([0-9]*\),$/\1/p' wide.json | head -n 1)" 0

#
# What is known beforehand is said before
#
n=$(($(allowed_cpus | wc -l) + 1))
exits 'more workers than CPUs' 0 run -c $n --oversubscribe -s 40kB -r 2 -v fork -o many.json
first=$(grep -n '^fork ' "$tmp/err" | head -n 1 | cut -d : -f 1)
is 'are warned of once' "$(grep -c 'warning: .*take turns' "$tmp/err")" 1
ok 'before anything is measured' test \
	"$(grep -n 'warning: .*take turns' "$tmp/err" | cut -d : -f 1)" -lt "$first"
has 'the file has it, too' many.json 'take turns'
exits 'the same, quietly' 0 run -q -c $n --oversubscribe -s 40kB -r 1 fork -o quiet.json
has 'a warning is given all the same' "$tmp/err" 'warning: .*take turns'

#
# --perf
#
exits '--perf' 0 run -c 1 -s 4MB -r 2 --perf fork pthread:zero -o perf.json
for event in page_faults cycles_user cycles_kernel instructions_user instructions_kernel \
	dtlb_misses_user dtlb_misses_kernel; do
	why=$(sed -n "s/^      \"$event\": \(.*[^,]\),*\$/\1/p" perf.json)
	if [ "$why" = true ]; then
		ok "$event is counted" every perf.json '
			if (column("perf_'$event'", n) != workers)
				wrong("missing")'
		hasnt "… and not said to be missing" "$tmp/err" "not counted: .*$event"
	else
		ok "$event is not counted, for a reason" test ${#why} -gt 20
		hasnt '… and not in the file' perf.json "\"perf_$event\": \\["
		has '… which is told' "$tmp/err" "not counted: .*$event"
	fi
done
exits '--perf, quietly' 0 run -q -c 1 -s 40kB -r 1 --perf fork -o perf-quiet.json
hasnt 'tells nothing' "$tmp/err" 'not counted'
has 'but the file does' perf-quiet.json '"page_faults": '
has 'without it the plan says so' wide.json '^    "perf": false,$'
hasnt 'and nothing is counted' wide.json '"perf_[a-z_]+": \['

tap_done
