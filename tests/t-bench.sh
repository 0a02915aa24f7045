#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# t-bench: the benchmarks run and print their rows. What the rows say is not looked at.

# shellcheck source=tests/tap.sh
. "${top_srcdir:-$(dirname -- "$0")/..}/tests/tap.sh"
# shellcheck source=tests/lib-run.sh
. "$top_srcdir/tests/lib-run.sh"

bench=$(CDPATH='' cd -- "$top_builddir" && pwd)/bench
for program in aa disturb many skew touch whole; do
	[ -x "$bench/$program" ] || skip_all "bench/$program is not built (make bench)"
done
"$PFSCALE" run fork:shmem fork:tmpfs --cpus 1 --size 1 -r 1 --warmup 0 -q -o "$tmp/can.json" \
	>"$tmp/out" 2>&1
if ! grep -q '"status": "ok"' "$tmp/can.json" || grep -q '"status": "[^o]' "$tmp/can.json"; then
	skip_all 'shmem or tmpfs cannot be used here, which bare loops need'
fi
cd "$tmp" || exit 99

# run PROGRAM [ARGUMENT…]: its rows go to out, the rest to err, the exit status to $status.
path=$PATH
run() {
	program=$1
	shift
	PATH=$path "$bench/$program" -p "$PFSCALE" -d "$tmp" "$@" >out 2>err
	status=$?
}

# rows NAME PATTERN COUNT: so many rows match.
rows() {
	is "$1" "$(grep -Ec -- "$2" out)" "$3" || sed 's/^/# /' out err
}

for program in aa disturb many touch whole; do
	"$bench/$program" --help >out 2>err
	is "$program --help" $? 0
	has '… says how it is used' out "^usage: .*$program .*-n COUNT"
	run "$program" -n 0
	is "$program refuses to run 0 times" $status 2
	has '… says so' err "-n '0'"
	run "$program" -n 1 surplus
	is "$program refuses an operand" $status 2
done
run touch -t 1s
is 'touch has no -t' $status 2
"$bench/touch" -p "$tmp/none" -d "$tmp" -n 1 -s 1 >out 2>err
is 'without pfscale touch fails' $? 1
has '… and says so' err 'none ended with status 127'

teams=1
[ "$(allowed_cpus | wc -l)" -lt 2 ] || teams=2

run touch -n 1 -s 16KiB
is 'touch runs' $status 0
rows 'a row for each of the 16 types and number of workers' '^  (fork|pthread)[:, ].*0\.99' \
	$((16 * teams))
rows 'and one for all' '^  mean of these' 1

run whole -n 1 -s 16KiB
is 'whole runs' $status 0
rows 'with the shares of both kinds of run' 'share of touch.* 0\.[0-9]{3}' 2
"$bench/skew" whole-0.json whole-default.json >out 2>err
is 'skew reads its results' $? 0
rows 'with a row of late starts' '^start after the announced time, median of [0-9]+' 1
"$bench/skew" whole-0.json none.json >out 2>err
is 'skew fails without a file' $? 1

run disturb -n 1 -s 16KiB
is 'disturb runs' $status 0
rows 'with a row of each point' 'rate beside a competitor / alone ' $teams
rows 'and how many were marked' '  repeats marked, .* [0-9.]+ %' $((2 * teams))

run many -n 1 1 3
is 'many runs' $status 0
rows 'with rows of each model, number and side' '^  a worker of [13], (bare|pf)' 8
run many -n 1 0
is 'many refuses 0 workers' $status 2

# A stress-ng that always does the same.
mkdir bin none
cat >bin/stress-ng <<'END'
#!/bin/sh
[ "$1" = --version ] && exit 0
while [ $# -gt 1 ] && [ "$1" != --yaml ]; do shift; done
printf 'metrics:\n    - stressor: fault\n      bogo-ops-per-second-real-time: %s\n' "$RATE" >"$2"
END
chmod +x bin/stress-ng
export RATE=8123.5
path=$tmp/bin:$PATH
run aa -n 2 -t 20ms -s 1MiB
is 'aa runs' $status 0
rows 'with the smallest change of each' '^  smallest change in [0-9.]+ s  ' $((1 + teams))
rows 'where stress-ng never changes, 0' '^  smallest change in [0-9.]+ s  .* 0\.00 %' 1
rows 'with the false alarms in all' '^false alarms.* of [0-9]+ pairs' 1
RATE=none
run aa -n 1 -t 1ms -s 1MiB
is 'aa fails where stress-ng gives no rate' $status 1
has '… and says so' err 'aa\.yaml has no rate'
path=$tmp/none
run aa -n 1 -t 1ms -s 1MiB
is 'aa runs without stress-ng' $status 0
rows 'and says that it is not there' '^stress-ng is not installed here' 1
tap_done
