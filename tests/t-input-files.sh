#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# t-input-files: result files that are none, or not whole: `pfscale report` names file and position.
# The functions below are called by ok().
# shellcheck disable=SC2317

# shellcheck source=tests/tap.sh
. "${top_srcdir:-$(dirname -- "$0")/..}/tests/tap.sh"
# shellcheck source=tests/lib-run.sh
. "$top_srcdir/tests/lib-run.sh"

exits 'a result to start from' 0 \
	run --cpus 1 --size 4kB --repeats 2 -o good.json fork pthread:zero:shared
cp "$tmp/out" "$tmp/table"
exits 'it is a good one' 0 report good.json
ok 'report shows it' cmp "$tmp/out" "$tmp/table"

#
# What cannot be read
#
complains 'pfscale report: FILE is missing' report
complains 'pfscale report: open: ENOENT' report nonexistent.json
has 'the file is named' "$tmp/err" ': nonexistent\.json$'
complains 'pfscale report: open: ENOTDIR' report good.json/more
mkdir folder
complains 'pfscale report: read: EISDIR' report folder
has 'the folder is named' "$tmp/err" ': folder$'
: >empty
complains 'pfscale report: empty: ' report empty
complains 'pfscale report: /dev/null: ' report /dev/null
complains 'pfscale report: standard input: ' report -
if [ "$(id -u)" -eq 0 ]; then
	skip 'a file without permission to read it' 'root may read every file'
else
	cp good.json secret.json
	chmod 0 secret.json
	complains 'pfscale report: open: EACCES' report secret.json
fi
complains 'pfscale report: open: ENOENT' report good.json nonexistent.json
complains 'pfscale report: open: ENOENT' report nonexistent.json good.json

#
# What is no result
#
# not FILE WHAT: FILE is refused; WHAT, an extended regular expression, says why and where.
not() {
	complains "pfscale report: $1:" report "$1"
	has "$1: $2" "$tmp/err" "$2"
}

echo 'TYPE: CPUS WALL' >text
not text '^pfscale report: text:1:[0-9]+: not valid JSON'
cat "$PFSCALE" >program
not program '^pfscale report: program:1:[0-9]+: '
echo '{"benchmarks": [{"name": "fork", "cpu": 1}]}' >foreign
not foreign 'not a pfscale result'
echo '{"format": "fio", "format_version": 1}' >fio
not fio 'fio'
for text in '[]' '{}' '[{"format": "pfscale"}]' '{"format": 1}' '{"format": null}'; do
	echo "$text" >other
	not other 'not a pfscale result'
done
for text in null 1 '"pfscale"' '' '{"format": "pfscale",}' "{'format': 'pfscale'}" \
	'{"format": "pfscale", "format": "pfscale"}' '{"format": NaN}'; do
	echo "$text" >syntax
	not syntax '^pfscale report: syntax:[0-9]+:[0-9]+: '
done
# Nested deeper than any parser should follow.
awk 'BEGIN { for (i = 0; i < 100000; i++) printf "[" }' >deep
not deep '^pfscale report: deep:1:[0-9]+: '

# edit FILE SCRIPT: the good result, changed by sed.
edit() {
	sed -e "$2" good.json >"$1"
	cmp -s "$1" good.json && echo "# nothing was changed: $2"
}

edit newer 's/"format_version": 1,/"format_version": 2,/'
not newer 'format_version 2 is newer'
edit newest 's/"format_version": 1,/"format_version": 9223372036854775807,/'
not newest 'format_version 9223372036854775807 is newer'
for value in 0 -1 null '"1"' 1.0 true 99999999999999999999; do
	edit version "s/\"format_version\": 1,/\"format_version\": $value,/"
	not version 'version'
done

#
# What contradicts itself: where, as a path
#
edit wide 's/"wall_ns": \[/"wall_ns": [5, /'
not wide 'points\[0\]\.repeats\[0\]\.wall_ns'
edit narrow 's/"sys_ns": \[[0-9]*\]/"sys_ns": []/'
not narrow 'points\[0\]\.repeats\[0\]\.sys_ns'
edit negative 's/"wall_ns": \[/"wall_ns": [-/'
not negative 'points\[0\]\.repeats\[0\]\.wall_ns'
edit workers 's/"workers": 1,/"workers": 2,/'
not workers 'points\[0\]\.repeats\[0\]\.'
edit huge 's/"workers": 1,/"workers": 2000000000,/'
not huge 'points\[0\]\.workers'
edit status 's/"status": "ok"/"status": "fine"/'
not status 'points\[0\]\.status'
edit failed 's/"status": "ok"/"status": "failed"/'
not failed 'points\[0\]'
edit summary 's/"max_wall_s": [^,]*/"max_wall_s": "fast"/'
not summary 'points\[0\]\.summary\.max_wall_s'
edit below 's/"max_wall_s": /"max_wall_s": -1/'
not below 'points\[0\]\.summary\.max_wall_s'
edit complete 's/"complete": true/"complete": "yes"/'
not complete 'complete'
edit points 's/^  "points": \[/  "points": 5, "points_": [/'
not points 'points'

#
# What ends too soon, at any byte; or goes on
#
cut_anywhere() {
	size=$(wc -c <good.json)
	at=1
	while [ "$at" -lt $((size - 2)) ]; do
		head -c "$at" good.json >short
		pf report short
		if [ "$status" -ne 2 ] || [ -s "$tmp/out" ] || [ "$(wc -l <"$tmp/err")" -ne 1 ] ||
			! grep -Eq '^pfscale report: short:[0-9]+:[0-9]+: ' "$tmp/err"; then
			echo "# after $at bytes of $size: exit status $status"
			sed 's/^/# /' "$tmp/err"
			return 1
		fi
		at=$((at + 1 + size / 97))
	done
}
ok 'a file cut at any byte is refused, with the position' cut_anywhere
(
	cat good.json
	echo '{'
) >longer
not longer '^pfscale report: longer:[0-9]+:[0-9]+: '
cat good.json good.json >twice
not twice '^pfscale report: twice:[0-9]+:[0-9]+: '

# Nothing is shown of a good file beside a bad one; a line break in a name does not break the line.
complains 'pfscale report: short:' report good.json short
complains 'pfscale report: short:' report --format csv short good.json
newline='a
b'
cp short "$newline"
complains 'pfscale report: a b:' report "$newline"

# Members that this version does not know are no reason to refuse a file.
edit more 's/^  "complete"/  "mood": {"good": [1, null]},\n  "complete"/'
exits 'an unknown member' 0 report more
ok 'is ignored' cmp "$tmp/out" "$tmp/table"
sed 's/^ *//' good.json | tr -d '\n' >flat
exits 'another layout' 0 report flat
ok 'is the same result' cmp "$tmp/out" "$tmp/table"
cat good.json | "$PFSCALE" report - >"$tmp/out" 2>"$tmp/err"
ok 'standard input is a file too' cmp "$tmp/out" "$tmp/table"

tap_done
