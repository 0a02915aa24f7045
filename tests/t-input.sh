#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# t-input: bad arguments: one line that names option and value, exit status 2, and nothing is run.

# shellcheck source=tests/tap.sh
. "${top_srcdir:-$(dirname -- "$0")/..}/tests/tap.sh"
# shellcheck source=tests/lib-run.sh
. "$top_srcdir/tests/lib-run.sh"

nines=99999999999999999999
dots=$(printf '%01000d' 0 | tr 0 .)

# refused OPTION VALUE [ARGUMENT...]: in both spellings; long values are shown cut.
refused() {
	option=$1
	value=$2
	shift 2
	set -- run --cpus 1 --size 4kB --repeats 1 --warmup 0 "$@"
	shown=$(printf '%s' "$value" | cut -c 1-60)
	[ "$shown" = "$value" ] && shown="$shown'"
	complains "pfscale run: $option '$shown" "$@" "$option" "$value" fork
	complains "pfscale run: $option '$shown" "$@" fork "$option=$value"
}

#
# Numbers, lists and sizes
#
for value in 0 -1 1,,2 ',1' '1,' ',' 0,1 1,0 2-1 1-0 1- -2 1-2-3 '1 2' ' 1' '1 ' '' ' ' x 1x 1.5 1e3 \
	0x2 +1 ١ $nines 1-$nines $nines-1 pow3 maxx max- -max 'max,,' "$dots"; do
	refused --cpus "$value"
	refused --cpus "$value" --oversubscribe
done
many=$(($(allowed_cpus | wc -l) + 1))
for value in $many 1-$many max-$many 1,$many; do
	refused --cpus "$value"
	has "--cpus $value: the number of CPUs is named" "$tmp/err" \
		"at most $((many - 1)), .*--oversubscribe"
done
refused --cpus 1000001 --oversubscribe

for option in --repeats --warmup --seed; do
	for value in -1 '' ' ' ' 1' '1 ' x 1x 1,2 1.5 1e3 0x2 +1 $nines "$dots"; do
		refused "$option" "$value"
	done
done
refused --repeats 0
refused --repeats 100001
refused --warmup 100001
refused --seed 9223372036854775808

for value in 0 0MB -1 -1MB '' ' ' MB x 1x '1 MB' ' 1MB' '1MB ' 1.5GB 1e9 0x10 +1 1M 1MBB $nines \
	${nines}MB 9223372036854775808 9007199254740992KiB 9999999999TB "$dots"; do
	refused --size "$value"
done
complains "pfscale run: --size '9223372036854775807': too large" \
	run --size 9223372036854775807 --cpus 2 --oversubscribe fork
complains "pfscale run: --size '9000000000000000000': too large" \
	run --size 9000000000GB --cpus 2 --oversubscribe pthread

#
# Names and files
#
for value in nonsense '' ' ' SGIx 'sgi,csv' html5 "$dots"; do
	refused --format "$value"
done
for value in AUTO aut 'auto ' automatic; do
	refused --repeats "$value"
	has "--repeats $value: auto is named" "$tmp/err" 'auto, or a whole number'
done
for value in 0 0% -1 -1% '' ' ' % x 1x '1 %' ' 1' 1,5 1e1 0x1 +1 1%% 101 100.1% nan inf . .% 1.2.3 \
	"$nines" "$dots"; do
	refused --precision "$value"
done
complains 'pfscale run: --precision goes with --repeats auto alone' \
	run --cpus 1 --size 4kB --precision 2 -r 5 fork
complains 'pfscale run: --precision goes with --repeats auto alone' \
	run --cpus 1 --size 4kB -r 5 --precision 2% fork
for value in -1 -1s '' ' ' s min x 1x '1 s' ' 1' '1s ' 1,5 1e1 0x1 +1 1d 1m 1sec nan inf . .s 1.2.3s \
	10001h "$nines" "$dots"; do
	refused --time-limit "$value"
done
refused --placement scatter
refused --placement ''
refused --mempolicy interleave
refused --resume r.json
for option in "--placement scatter" "--mempolicy local" "--resume r.json"; do
	# shellcheck disable=SC2086
	pf run $option fork
	has "$option: refused for now" "$tmp/err" 'not available in this version'
done

: >file
mkdir folder
for value in '' /nonexistent /proc file /proc/self "$dots"; do
	refused --tmpfs-dir "$value"
done
on_tmpfs=$(stat -f -c %T . 2>/dev/null)
if [ -z "$on_tmpfs" ] || [ "$on_tmpfs" = tmpfs ]; then
	skip 'a directory on another file system' 'the scratch directory is on a tmpfs'
else
	refused --tmpfs-dir folder
fi

refused --output ''
refused --output folder
refused --output nonexistent/r.json
refused --output file/r.json
refused --output file
has 'what would replace the file is named' "$tmp/err" '--force'
ok 'the file is as it was' test ! -s file
name=$(printf '%0300d' 0)
complains "pfscale run: --output '$(printf '%.200s' "$name")" run --output "$name" fork
echo precious >precious.json
complains "pfscale run: --output 'precious.json': exists already" \
	run --cpus 1 --size 4kB -o precious.json fork
is 'a file that is there stays' "$(cat precious.json)" precious
exits '--force replaces it' 0 run -q --cpus 1 --size 4kB -r 1 --force -o precious.json fork
has 'it is replaced' precious.json '"format": "pfscale"'
rm precious.json

PFSCALE_RESULTS=/nonexistent/dir
export PFSCALE_RESULTS
complains 'pfscale run: ' run --cpus 1 --size 4kB -r 1 fork
has 'PFSCALE_RESULTS is named, and its value' "$tmp/err" '/nonexistent/dir.*PFSCALE_RESULTS'
PFSCALE_RESULTS='file'
complains 'pfscale run: ' run --cpus 1 --size 4kB -r 1 fork
unset PFSCALE_RESULTS

#
# Types, options, commands
#
for pair in fork:zer=fork:zero forc=fork pthred:tmpfs=pthread:tmpfs fork:shared:zero=fork:zero:shared \
	fork:zero:shred=fork:zero:shared FORK=fork; do
	complains "pfscale run: type '${pair%=*}': unknown; did you mean '${pair#*=}'?" \
		run --cpus 1 --size 4kB "${pair%=*}"
done
for value in '' ' ' : fork: :zero fork::zero fork:shared:shared fork:zero:zero nothing '*zzz*' '[' \
	"$dots" fork,pthread; do
	complains "pfscale run: type '$(printf '%.60s' "$value")" run --cpus 1 --size 4kB "$value"
	complains "pfscale run: type '$(printf '%.60s' "$value")" run -c 1 -s 4kB fork "$value" fork
done
complains 'pfscale run: no option --sede; did you mean --seed?' run --sede 1 fork
complains 'pfscale run: no option --nonsense' run --nonsense fork
complains 'pfscale run: no option -Z' run -Z fork
complains 'pfscale run: no option -Z' run -qZ fork
complains 'pfscale run: --s could be any of --size, --seed' run --s 1 fork
complains 'pfscale run: --quiet takes no value' run --quiet=yes fork
complains 'pfscale run: --dry-run takes no value' run --dry-run=no fork
complains 'pfscale run: --perf takes no value' run --perf=cycles fork
for option in --cpus --size --repeats --precision --time-limit --warmup --output --label --format --seed --tmpfs-dir; do
	complains "pfscale run: $option needs a value" run fork $option
done
for option in -c -s -r -o; do
	pf run fork $option
	has "$option needs a value" "$tmp/err" '^pfscale run: --[a-z]+ needs a value'
done
complains "pfscale: command 'rum': unknown; did you mean 'run'?" rum fork
complains "pfscale: command 'nonsense': unknown" nonsense
complains "pfscale: command '../run': unknown" ../run
complains "pfscale: option '--cpus': unknown" --cpus 1

# What would break the line is not printed as it is.
newline='1
2'
complains "pfscale run: --cpus '1 2'" run --cpus "$newline" fork
complains "pfscale run: type '1 2'" run "$newline"
complains "pfscale run: --size '?[31m'" run --size "$(printf '\033[31m')" fork

#
# Not in order, or twice: brought in order
#
for pair in '2,1,1=1 2' '1,1,1=1' '3,1-3,2=1 2 3' 'max,max,1-1=1'; do
	exits "--cpus ${pair%=*}" 0 run --dry-run --oversubscribe --cpus "${pair%=*}" fork
	has "is ${pair#*=}" "$tmp/out" "^workers: ${pair#*=}( |\$)"
done
exits 'an option that is given twice' 0 run --dry-run --cpus 9 --cpus 1 fork
has 'has the last of its values' "$tmp/out" '^workers: 1( |$)'

tap_done
