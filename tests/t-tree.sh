#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# t-tree: what keeps the tree honest: layers, tables, papers and the distribution agree.

# shellcheck source=tests/tap.sh
. "${top_srcdir:-$(dirname -- "$0")/..}/tests/tap.sh"

# Not in the distribution: they mean something in a clone only.
ignored='^(\.gitignore|\.gitattributes|\.ci/.*)$'

cd "$top_srcdir" || exit 99

# none NAME FILE: passes when FILE, a list of offences, is empty.
none() {
	sed 's/^/# /' "$2" | head -n 40
	ok "$1" test ! -s "$2"
}

# The files that people wrote: in a clone the tracked ones, else what looks like them.
in_clone=no
if [ "$(git rev-parse --show-toplevel 2>/dev/null)" = "$(pwd -P)" ]; then
	in_clone=yes
	git ls-files | while IFS= read -r file; do
		[ ! -f "$file" ] || echo "$file"
	done >"$tmp/files"
else
	find configure.ac Makefile.am src tests bench vm scripts man plots -type f \( \
		-name '*.[ch]' -o -name '*.sh' -o -name '*.[1-8]' -o -name '*.a[cm]' -o \
		-name '*.gp' -o -path 'scripts/*' -o -path tests/layers \) 2>/dev/null >"$tmp/files"
fi

# offences LIST PATTERN: lines of the listed files that fit, as FILE:LINE:TEXT.
offences() {
	while IFS= read -r file; do
		grep -nE -- "$2" "$file" | sed "s|^|$file:|"
	done <"$1"
}

#
# Every file
#
grep -E '^(src|tests|bench|vm|scripts|man|plots|\.ci)/|\.(ac|am)$' "$tmp/files" |
	grep -Ev '^tests/data/' | while IFS= read -r file; do
	grep -q 'SPDX-License-Identifier: GPL-2.0-or-later' "$file" || echo "$file"
done >"$tmp/no-spdx"
none 'every source file and script has its SPDX line' "$tmp/no-spdx"

grep -Ev '^(COPYING$|tests/data/|results/reference/)' "$tmp/files" >"$tmp/ours"
offences "$tmp/ours" '[[:blank:]]$' >"$tmp/blanks"
none 'no line ends with a blank' "$tmp/blanks"

#
# C
#
grep -E '^src/.*\.[ch]$' "$tmp/files" >"$tmp/sources"
grep -E '^(src|tests|bench|vm)/.*\.[ch]$' "$tmp/files" >"$tmp/c-files"
ok 'there are sources to check' test -s "$tmp/sources"

while IFS= read -r file; do
	awk -v file="$file" 'END { if (NR > 450) print file ": " NR " lines" }' "$file"
done <"$tmp/sources" >"$tmp/long"
none 'no source file is longer than 450 lines' "$tmp/long"

# The code as FILE:LINE:TEXT, with strings emptied and /* comments */ taken out.
while IFS= read -r file; do
	awk -v file="$file" '
	{
		line = $0
		code = ""
		while (line != "") {
			if (inside) {
				end = index(line, "*/")
				inside = !end
				line = end ? substr(line, end + 2) : ""
			} else if (!match(line, /"|\047|\/\*/)) {
				code = code line
				line = ""
			} else {
				code = code substr(line, 1, RSTART - 1)
				line = substr(line, RSTART)
				if (substr(line, 1, 2) == "/*") {
					inside = 1
					line = substr(line, 3)
				} else {
					match(line, /^"([^"\\]|\\.)*"|^\047([^\047\\]|\\.)*\047|^./)
					line = substr(line, RLENGTH + 1)
				}
			}
		}
		if (code != "")
			print file ":" FNR ":" code
	}' "$file"
done <"$tmp/c-files" >"$tmp/code"

grep -E '^[^:]*:[0-9]*:.*//' "$tmp/code" >"$tmp/slashes"
none 'comments are /* such */' "$tmp/slashes"

grep -E '^src/[^:]*:[0-9]*:(.*[^_[:alnum:]])?exit[[:space:]]*\(' "$tmp/code" |
	grep -v '^src/main\.c:' >"$tmp/exits"
none 'only main.c calls exit()' "$tmp/exits"

#
# Layers
#
while IFS= read -r file; do
	sed -n 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*"\([^"]*\)".*/\1/p' "$file" |
		sed "s|^|$file |"
	echo "$file"
done <"$tmp/sources" >"$tmp/includes"

awk '
function module(file) {
	sub(/^src\//, "", file)
	sub(/\.[ch]$/, "", file)
	return file
}
function layer_of(name,   i) {
	for (i = 1; i <= n; i++)
		if (name ~ pattern[i])
			return layer[i]
	return ""
}
FILENAME == ARGV[1] && !/^#/ && NF {
	for (i = 3; i <= NF; i++) {
		n++
		layer[n] = $1
		gsub(/\*/, "[^/]*", $i)
		pattern[n] = "^" $i "$"
	}
	may[$1, $1] = 1
	m = split($2, names, ",")
	for (i = 1; i <= m; i++)
		may[$1, names[i]] = 1
	next
}
FILENAME == ARGV[1] { next }
NF == 1 && layer_of(module($1)) == "" { print $1 ": in no layer (tests/layers)" }
NF == 2 && $2 != "config.h" {
	from = layer_of(module($1))
	to = layer_of(module($2))
	if (from != "" && to == "")
		print $1 ": includes " $2 ", which is in no layer"
	else if (from != "" && !((from, to) in may))
		print $1 " (" from ") includes " $2 " (" to ")"
}' tests/layers "$tmp/includes" >"$tmp/upward"
none 'includes point only downward through the layers' "$tmp/upward"

#
# Kinds, commands and options: code, Makefile.am, `pfscale list`, the manual
#
: >"$tmp/man"
[ ! -f man/pfscale.1 ] ||
	sed -e 's/\\-/-/g' -e 's/\\f[A-Z]//g' -e 's/\\f\[[A-Z]*\]//g' man/pfscale.1 >"$tmp/man"
ok 'there is a manual, man/pfscale.1' test -s "$tmp/man"
"$PFSCALE" list >"$tmp/list"
is 'pfscale list works' $? 0

# in_text FILE WORD: whether it stands there as a word of its own.
in_text() {
	grep -Eq -- "(^|[^-_[:alnum:]])$2([^-_[:alnum:]]|\$)" "$1"
}

# The kinds that a source file defines.
kinds_of() {
	sed -n 's/.*\.name = "\([^"]*\)".*/\1/p' "$1"
}

grep -E '^src/(object|team|touch|place)/.*\.c$|^src/place(_.*)?\.c$' "$tmp/sources" |
	while IFS= read -r file; do
		kinds=$(kinds_of "$file")
		[ -n "$kinds" ] || echo "$file: defines no kind"
		grep -qF "$file" Makefile.am || echo "$file: not in Makefile.am"
		case $file in
		src/*/*)
			[ "$(basename "$file" .c)" = "$kinds" ] ||
				echo "$file: its kind is called otherwise: $kinds"
			;;
		esac
		for kind in $kinds; do
			in_text "$tmp/list" "$kind" || echo "$file: $kind is not in pfscale list"
			in_text "$tmp/man" "$kind" || echo "$file: $kind is not in the manual"
		done
	done >"$tmp/kinds"
none 'every kind is in Makefile.am, in pfscale list and in the manual' "$tmp/kinds"

"$PFSCALE" --help | sed -n 's/^  \([a-z][-a-z]*\) .*/\1/p' >"$tmp/commands"
ok 'pfscale --help lists commands' test -s "$tmp/commands"
: >"$tmp/options"
while IFS= read -r command; do
	in_text "$tmp/man" "$command" || echo "$command: not in the manual"
	"$PFSCALE" "$command" --help >"$tmp/help" || echo "pfscale $command --help fails"
	awk '/^ *(-[A-Za-z0-9], *)?--[a-z]/ {
		letter = sub(/,$/, "", $1)
		print $1
		if (letter)
			print $2
	}' "$tmp/help" >"$tmp/command-options"
	[ -s "$tmp/command-options" ] || echo "pfscale $command --help lists no options"
	while IFS= read -r option; do
		in_text "$tmp/man" "$option" || echo "$command $option: not in the manual"
	done <"$tmp/command-options"
	cat "$tmp/command-options" >>"$tmp/options"
done <"$tmp/commands" >"$tmp/unsaid"
none 'every command and option is in the manual' "$tmp/unsaid"

grep -Eo -- '(^|[^-_[:alnum:]])--[a-z][-a-z0-9]*' "$tmp/man" | sed 's/.*\(--.*\)/\1/' | sort -u |
	grep -vFxf "$tmp/options" >"$tmp/invented"
none 'every option in the manual exists' "$tmp/invented"

#
# Tests: the log takes the name without .sh, and of two tests with one log only one is run
#
sed -n 's/^tests\/\(t-[^/]*\)\.\(c\|sh\)$/\1/p' "$tmp/files" | sort | uniq -d >"$tmp/same-log"
none 'no two tests share the name of their log' "$tmp/same-log"

#
# Distribution
#
name='everything that is tracked is in the distribution'
if [ $in_clone = no ]; then
	skip "$name" 'no git here, or not a clone'
else
	(
		unset MAKEFLAGS MFLAGS MAKELEVEL
		make -s -C "$top_builddir" print-distfiles
	) >"$tmp/dist"
	# A folder there takes along all that is below it.
	grep -Ev "$ignored" "$tmp/files" | awk '
	NR == FNR { dist[$0] = 1; next }
	{
		for (name = $0; name != "" && !(name in dist);)
			if (!sub(/\/[^\/]*$/, "", name))
				name = ""
		if (name == "")
			print
	}' "$tmp/dist" - >"$tmp/left-out"
	none "$name" "$tmp/left-out"
fi

tap_done
