#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# t-run-output: what `pfscale run` writes where: report, notes, progress, and the file by its name.
# The functions below are called by ok().
# shellcheck disable=SC2317

# shellcheck source=tests/tap.sh
. "${top_srcdir:-$(dirname -- "$0")/..}/tests/tap.sh"
# shellcheck source=tests/lib-run.sh
. "$top_srcdir/tests/lib-run.sh"

tiny='--cpus 1 --size 40kB --repeats 2 --warmup 1 --time-limit 0'
release=$(uname -r | tr -c 'A-Za-z0-9._+~\n-' _)
default_name="pfscale-$release-[0-9]{8}T[0-9]{6}Z(-[0-9]+)?\\.json"

# How many files with a default name are in the folder; how many in all.
default_names() {
	find "${1:-.}" -type f | sed 's|.*/||' | grep -Ec "^$default_name\$"
}
all_names() {
	find . -type f | wc -l | tr -d ' '
}

# tiny NAME WANT ARGUMENT...: as exits(), a run of two points with little memory.
tiny() {
	tiny_name=$1
	tiny_want=$2
	shift 2
	# shellcheck disable=SC2086
	exits "$tiny_name" "$tiny_want" run $tiny "$@" fork:zero pthread
}

#
# Formats
#
for format in sgi wide csv json markdown; do
	tiny "run --format $format" 0 --format $format -o $format.json
	cp "$tmp/out" $format.out
	ok "$format: something is printed" test -s $format.out
	exits "report --format $format" 0 report --format $format $format.json
	ok "$format: it is the same" cmp "$tmp/out" $format.out
	has "$format: the types are there" $format.out 'pthread'
	hasnt "$format: no number that is none" $format.out '(^|[^a-z])(nan|inf)([^a-z]|$)'
done
exits 'the default' 0 report sgi.json
ok 'is sgi' cmp "$tmp/out" sgi.out
exits 'report of several files' 0 report sgi.json wide.json
if command -v python3 >/dev/null; then
	ok 'json: it parses' json_parses json.out
else
	skip 'json: it parses' 'no python3 here'
fi
rm ./*

#
# stderr
#
tiny 'quiet' 0 -q -o q.json
is 'is silent' "$(grep -v ': warning: ' "$tmp/err")" ''
ok 'but prints the report' test -s "$tmp/out"
tiny 'verbose' 0 -v -o v.json
is 'has a line for each repeat' "$(grep -Ec '^(fork:zero|pthread) 1[ :]' "$tmp/err")" 6
is 'and says which ones are to warm up' "$(grep -Ec '^(fork:zero|pthread) 1 \(warm-up\)' "$tmp/err")" 2
tiny 'neither' 0 -o n.json
is 'is a line with the name of the file' "$(grep -v ': warning: ' "$tmp/err")" \
	'pfscale run: result in n.json'
hasnt 'no progress where there is no terminal' "$tmp/err" 'repeat [0-9]'
hasnt 'nor what clears a line' "$tmp/err" "$(printf '[\033\r]')"
tiny 'the result on standard output' 0 -o -
cp "$tmp/out" stdout.json
exits 'is a result' 0 report stdout.json
is 'and no file is made' "$(all_names)" 4

# on_terminal COMMAND: what a terminal shows of it.
on_terminal() {
	TERM=xterm script -qec "$1" /dev/null </dev/null >terminal 2>&1
}
export PFSCALE
# shellcheck disable=SC2016
if command -v script >/dev/null && on_terminal 'test -t 2'; then
	run='"$PFSCALE" run -c 1 -s 1MB -r 2 --time-limit 0 fork pthread:zero'
	ok 'on a terminal' on_terminal "$run -o t1.json"
	has 'there is progress' terminal '(fork|pthread:zero), 1 worker, repeat 1 of 3; [0-9]+ s'
	ok 'with stderr alone on a terminal' on_terminal "$run -o t2.json >out"
	has 'there is progress too' terminal 'repeat 1 of 3'
	ok 'and the report is clean' cmp out - <<-END
		$("$PFSCALE" report t2.json)
	END
	ok 'with stdout alone on a terminal' on_terminal "$run -o t3.json 2>err"
	hasnt 'there is none' terminal 'repeat [0-9]'
	hasnt 'nor is there in the file' err 'repeat [0-9]'
	ok 'with -q on a terminal' on_terminal "$run -q -o t4.json"
	hasnt 'there is none at all' terminal 'repeat [0-9]'
else
	skip 'progress on a terminal' 'script(1) of util-linux is missing or gives no terminal'
fi
rm -f ./*

#
# The name of the file
#
tiny 'without -o' 0
is 'there is one file, with kernel and time in its name' "$(default_names)" 1
is 'stderr names it' "$(sed -n 's/^pfscale run: result in //p' "$tmp/err")" "$(ls -A)"
exits 'it is a result' 0 report "$(ls -A)"
rm ./*
# shellcheck disable=SC2089
for dir in results results/ 'dir with blanks' '50%s "quoted"'; do
	mkdir -p "$dir"
	PFSCALE_RESULTS=$dir
	# shellcheck disable=SC2090
	export PFSCALE_RESULTS
	tiny "PFSCALE_RESULTS=$dir" 0
	is 'the file is there' "$(default_names "$dir")" 1
	is 'and nowhere else' "$(all_names)" 1
	rm -r "$dir"
done
PFSCALE_RESULTS=''
tiny 'an empty PFSCALE_RESULTS' 0
unset PFSCALE_RESULTS
is 'is the current directory' "$(default_names)" 1
rm ./*

# Several at once, in the same seconds: none takes another's name.
at_once() {
	pids=''
	for i in 1 2 3 4 5 6 7 8; do
		"$PFSCALE" run -q -c 1 -s 4kB -r 1 --warmup 0 --label "run $i" fork >/dev/null \
			2>>"$tmp/err" &
		pids="$pids $!"
	done
	for pid in $pids; do
		wait "$pid" || return 1
	done
}
ok 'eight runs at once' at_once
is 'leave eight files' "$(default_names)" 8
is 'and nothing else' "$(all_names)" 8
is 'each its own' "$(sed -n 's/^  "label": "run \(.\)",/\1/p' ./*.json | sort | tr -d '\n')" 12345678
is 'all of them complete' "$(cat ./*.json | grep -c '^  "complete": true')" 8
"$PFSCALE" report ./*.json >"$tmp/out" 2>"$tmp/err"
is 'and good' $? 0
rm ./*

# Names and texts that something on the way might take apart.
newline='line
break'
for name in 'with blanks' '100%s%n' "it's" '"quoted"' 'back\slash' '-dash' "$newline" 'ä€' '*' '~' \
	'#' "\$HOME" ' ' .hidden; do
	tiny "-o '$name'" 0 "--output=$name" --label "$name"
	ok 'the file has that name' test -s "./$name"
	is 'it is the only one' "$(find . -type f | grep -c '^\./')" 1
	cp "$tmp/out" "$tmp/table"
	exits 'report takes the name' 0 report "./$name"
	ok 'and prints the same' cmp "$tmp/out" "$tmp/table"
	exits 'so it does as csv' 0 report --format csv "./$name"
	if command -v python3 >/dev/null; then
		label=$(python3 -c 'import json, sys
sys.stdout.write(json.load(open(sys.argv[1]))["label"])' "./$name")
		is 'label' "$label" "$name"
	fi
	rm -f "./$name"
done
tiny 'a label that is no UTF-8' 0 -o r.json --label "$(printf 'a\377b')"
exits 'makes a file that can be read' 0 report r.json

#
# Where nothing can be written to, and where files of the measurement itself go
#
if [ -w /dev/full ]; then
	"$PFSCALE" run -c 1 -s 4kB -r 1 -o full.json fork >/dev/full 2>"$tmp/err"
	is 'a report that cannot be printed: exit status' $? 2
	has 'stderr says why' "$tmp/err" '^pfscale run: write: ENOSPC '
	exits 'the result is saved before' 0 report full.json
	"$PFSCALE" report full.json >/dev/full 2>"$tmp/err"
	is 'report: exit status' $? 2
else
	skip 'a report that cannot be printed' 'no /dev/full'
fi
"$PFSCALE" run -q -c 1 -s 4kB -r 1 -o closed.json fork >&- 2>"$tmp/err"
is 'standard output is closed: exit status' $? 2
exits 'the result is saved, and holds no report' 0 report closed.json
"$PFSCALE" run -q -c 1 -s 4kB -r 1 -o /dev/stdout fork >&- 2>"$tmp/err"
is 'the result to a closed /dev/stdout: exit status' $? 2
has 'it is refused before anything is run' "$tmp/err" \
	"^pfscale run: --output '/dev/stdout': write: EBADF"

if have_tmpfs; then
	dir=$(mktemp -d "/dev/shm/pfscale test's 100%s \"x\".XXXXXX") || exit 99
	tiny 'a --tmpfs-dir with blanks, quotes and a percent sign' 0 \
		--tmpfs-dir "$dir" -o tmpfs.json fork:tmpfs pthread:tmpfs:shared
	is 'is empty afterwards' "$(ls -A "$dir")" ''
	ok 'and removed' rmdir "$dir"
	is 'four points are measured' "$(grep -c '"status": "ok"' tmpfs.json)" 4
	rm -rf "$dir"
else
	skip 'a --tmpfs-dir with blanks' '/dev/shm is no tmpfs that can be written to'
fi

tap_done
