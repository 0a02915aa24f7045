#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# t-report-import: the commands report and import, from files alone: outputs, names, refusals.

# shellcheck source=tests/tap.sh
. "${top_srcdir:-$(dirname -- "$0")/..}/tests/tap.sh"

data=$(CDPATH='' cd -- "$top_srcdir/tests/data" && pwd) || exit 99
cd "$tmp" || exit 99
all=$tmp/all.txt
cat "$data/sgi-2004/fork.txt" "$data/sgi-2004/fork-zero.txt" "$data/sgi-2004/fork-shmem.txt" >"$all"

# status WANTED COMMAND...: passes when the command exits so; leaves its output in out and err.
status() {
	status_wanted=$1
	shift
	"$@" >out 2>err
	status_got=$?
	is "pfscale $2 ${3##*/} … exits $status_wanted" $status_got "$status_wanted"
}

#
# Import
#
for name in fork fork-zero fork-shmem; do
	status 0 "$PFSCALE" import "$data/sgi-2004/$name.txt"
	ok "nothing on stdout" test ! -s out
	has 'says where and how many' err "10 points saved in $name.json"
	status 0 "$PFSCALE" report "$name.json"
	ok "$name: the same table, byte for byte" cmp out "$data/sgi-2004/$name.txt"
	ok "nothing on stderr" test ! -s err
done
status 0 "$PFSCALE" report fork.json fork-zero.json fork-shmem.json
ok 'three files: their tables one after the other' cmp out "$all"
status 0 "$PFSCALE" report - <fork.json
ok 'report reads standard input' cmp out "$data/sgi-2004/fork.txt"

{
	echo 'On Monday, somebody wrote:'
	sed 's/^/> /' "$all"
	printf '\nVersion 2 of it follows.\n'
} >mail.eml
status 0 "$PFSCALE" import --label 'a, "mail"' mail.eml
status 0 "$PFSCALE" report mail.json
ok 'tables of a quoted mail: the same, byte for byte' cmp out "$all"
status 0 "$PFSCALE" report --format csv mail.json
has 'the label given, quoted' out '^mail\.json,"a, ""mail""",'

status 2 "$PFSCALE" import "$data/sgi-2004/fork.txt"
has 'an existing result is not written over' err 'fork\.json'
status 0 "$PFSCALE" import --force "$data/sgi-2004/fork.txt"
status 0 "$PFSCALE" import - <"$all"
ok 'standard input goes to standard output' grep -q '"format": "pfscale"' out
mv out piped.json
status 0 "$PFSCALE" report piped.json
ok 'what was piped is a result' cmp out "$all"
status 0 "$PFSCALE" import -o - "$data/sgi-2004/fork.txt"
ok '-o - is standard output' grep -q '"format": "pfscale"' out
cp mail.eml table.json
status 0 "$PFSCALE" import table.json
ok 'the text is not written over' cmp table.json mail.eml
ok 'but its name extended' test -s table.json.json

echo 'nothing here' >none.txt
status 2 "$PFSCALE" import none.txt
has 'a text without tables is refused' err '^pfscale import: none\.txt: no table'
ok 'and no file made' test ! -e none.json
sed '5s/0\.091/0.0x1/' "$data/sgi-2004/fork.txt" >bad.txt
status 2 "$PFSCALE" import bad.txt
has 'a damaged row is refused, with its place' err '^pfscale import: bad\.txt:5: MAX WALL'
sed '5s/134419/134491/' "$data/sgi-2004/fork.txt" >odd.txt
status 0 "$PFSCALE" import odd.txt
has 'a row that contradicts itself: a warning' err \
	"^pfscale import: warning: line 5, 'fork' with 2 CPUs: PF/WSEC/CPU is not"
has 'in the file as well' odd.json "line 5, 'fork' with 2 CPUs: PF/WSEC/CPU is not"
status 2 "$PFSCALE" import no-such-file.txt
has 'a missing file' err 'no-such-file\.txt'
status 2 "$PFSCALE" import mail.eml bad.txt
status 2 "$PFSCALE" import
has 'FILE is needed' err 'FILE'

#
# Report
#
for format in sgi wide csv json markdown; do
	status 0 "$PFSCALE" report --format "$format" "$data/report/sample.json"
	sed "s|$data/report/||" out >"out.$format"
	case $format in
	markdown) # where the tree lies may hold characters that markdown escapes
		sed '/^- file: /d' "$data/report/sample.$format.txt" >want
		sed '/^- file: /d' out >"out.$format"
		;;
	*) cp "$data/report/sample.$format.txt" want ;;
	esac
	ok "$format as it should be" cmp "out.$format" want
	has 'that it is not complete is said beside it' err \
		'^pfscale report: .*sample\.json: not complete: interrupted, or still running$'
	case $format in
	sgi | csv) has 'so are warnings' err ': warning: fork on 2 CPUs: 2010 faults for 2000' ;;
	*) hasnt 'no warning is shown twice' err 'warning' ;;
	esac
	status 0 "$PFSCALE" report --format "$format" fork.json
	ok 'nothing to be said of a complete one' test ! -s err
	case $format in
	sgi) ok 'sgi: a table is a table' cmp out "$data/sgi-2004/fork.txt" ;;
	*) has "$format: imported numbers are not shown as measured" out \
		'imported table: sgi$|^fork\.json,fork\.txt,,,,,true,sgi,|"imported_from": "sgi"' ;;
	esac
done
status 2 "$PFSCALE" report --format cvs fork.json
has 'an unknown format: which there are, and the nearest' err \
	'sgi, wide, csv, json, markdown; did you mean csv'
ok 'nothing on stdout' test ! -s out
status 2 "$PFSCALE" report
has 'a file is needed' err 'FILE'
head -c 300 fork.json >cut.json
status 2 "$PFSCALE" report fork.json cut.json
has 'a file that was cut short is refused' err 'cut\.json'
ok 'before anything is printed' test ! -s out
status 2 "$PFSCALE" report - - <fork.json
has 'standard input only once' err 'once'
if [ -c /dev/full ]; then
	"$PFSCALE" report fork.json >/dev/full 2>err
	is 'a full disk is trouble' $? 2
	has 'and said so' err 'ENOSPC'
else
	skip 'a full disk is trouble' 'no /dev/full'
fi

# A small file that claims to be large takes no more memory than it holds.
awk 'BEGIN {
	printf "{\"format\": \"pfscale\", \"format_version\": 1, \"complete\": true, \"points\": ["
	printf "{\"type\": \"fork\", \"model\": \"fork\", \"object\": \"malloc\", \"touch\": \"write\","
	printf "\"shared\": false, \"workers\": 1000000, \"status\": \"ok\", \"repeats\": ["
	for (i = 0; i < 40000; i++)
		printf "%s{\"order\": %d, \"warmup\": false}", i ? "," : "", i
	print "], \"summary\": {}}]}"
}' >claims.json
status 0 "$PFSCALE" report claims.json
has 'a million workers without samples: a row of n/a' out '^fork  *1000000( *n/a){10}$'

#
# A locale with a decimal comma changes nothing
#
comma=$(locale -a 2>/dev/null | grep -Ei '^(de|fr|es|it|nl|pl|ru|sv|da|fi|pt)_.*utf-?8$' | head -n 1)
if [ -n "$comma" ]; then
	LC_ALL=$comma "$PFSCALE" report --format csv "$data/report/sample.json" |
		sed "s|$data/report/||" >out
	ok 'numbers keep their point' cmp out "$data/report/sample.csv.txt"
	LC_ALL=$comma "$PFSCALE" import -o comma.json "$all"
	status 0 "$PFSCALE" report comma.json
	ok 'and are read with it' cmp out "$all"
else
	skip 'numbers keep their point' 'no locale with a decimal comma here'
fi

# The reference results are what import makes of the tables of 2004.
for name in fork fork-zero fork-shmem; do
	status 0 "$PFSCALE" report "$top_srcdir/results/reference/sgi-2004-$name.json"
	ok "the reference result $name is its table" cmp out "$data/sgi-2004/$name.txt"
done

tap_done
