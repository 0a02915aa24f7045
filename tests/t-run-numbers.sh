#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# t-run-numbers: numbers of very short runs, and numbers where the language has a decimal comma.

# shellcheck source=tests/tap.sh
. "${top_srcdir:-$(dirname -- "$0")/..}/tests/tap.sh"
# shellcheck source=tests/lib-run.sh
. "$top_srcdir/tests/lib-run.sh"

# Every field that a table row should have is a number or n/a.
number='([0-9]+(\.[0-9]+)?|n/a)'

#
# One page: too short for some of the clocks
#
exits 'one page each' 0 run -q --cpus 1 --size 1 -o short.json
rows=$(grep -Ec '^(fork|pthread)' "$tmp/out")
ok 'there are rows' test "$rows" -ge 12
is 'all fields of them are numbers or n/a' \
	"$(grep -Ec "^(fork|pthread)[a-z:]*( +$number){11}\$" "$tmp/out")" "$rows"
hasnt 'system time is too short for a rate' "$tmp/out" ' 0 +0 +[0-9]+ *$'
if command -v python3 >/dev/null; then
	ok 'the file is JSON' json_parses short.json
else
	skip 'the file is JSON' 'no python3 here'
fi
hasnt 'no number in it is none' short.json '[^a-z"](-?nan|-?inf|NaN|Infinity)'
for format in wide csv json markdown; do
	exits "$format" 0 report --format $format short.json
	# As a word: types and units may have these letters.
	grep -Ei '(^|[^a-z])(nan|inf|infinity)([^a-z]|$)' "$tmp/out" >"$tmp/bad"
	is "$format: no number that is none" "$(cat "$tmp/bad")" ''
	[ $format = json ] && command -v python3 >/dev/null && cp "$tmp/out" short.report &&
		ok 'json: it parses' json_parses short.report
done

#
# A decimal comma
#
# What is written must not depend on it, nor what is read.
comma='de_DE.UTF-8'
mkdir locales
if ! command -v localedef >/dev/null ||
	! localedef -i de_DE -f UTF-8 "locales/$comma" >"$tmp/log" 2>&1; then
	skip 'numbers in German' 'localedef or its sources are missing (Debian: locales)'
	tap_done
fi
LOCPATH=$PWD/locales
export LOCPATH
ok 'there is a decimal comma' test "$(LC_ALL=$comma locale decimal_point)" = ,

# german COMMAND...: with that locale.
german() {
	env LC_ALL=$comma LANG=$comma LANGUAGE=de "$@" >"$tmp/out" 2>"$tmp/err"
}

for format in sgi wide csv json markdown; do
	german "$PFSCALE" run -c 1 -s 3MB -r 3 --format $format -o german-$format.json fork pthread:zero
	is "$format: a run in German" $? 0
	cp "$tmp/out" german.out
	exits "$format: its report in English" 0 report --format $format german-$format.json
	ok "$format: is the same" cmp "$tmp/out" german.out
	german "$PFSCALE" report --format $format german-$format.json
	ok "$format: in German too" cmp "$tmp/out" german.out
	if [ $format != csv ] && [ $format != json ]; then
		hasnt "$format: no comma in a number" german.out '[0-9],[0-9]'
		has "$format: but a point" german.out '[0-9]\.[0-9]'
	fi
	hasnt "$format: no comma in a number of the file" german-$format.json '": [0-9]+,[0-9]'
done
exits 'a run in English' 0 run -q -c 1 -s 3MB -r 1 -o english.json fork
cp "$tmp/out" english.out
german "$PFSCALE" report english.json
ok 'is the same in German' cmp "$tmp/out" english.out
german "$PFSCALE" run -c 1 -s 1,5MB fork
is 'sizes have no comma' $? 2
has 'as in English' "$tmp/err" "^pfscale run: --size '1,5MB': "
if command -v python3 >/dev/null; then
	ok 'the file is JSON' json_parses german-sgi.json
else
	skip 'the file is JSON' 'no python3 here'
fi

tap_done
