# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# lib-run.sh: what the tests of pfscale's commands share. Source it after tap.sh.
# The test then stands in an empty directory of its own: nothing is written beside the sources.

: "${tmp:?}" "${top_srcdir:?}"
unset PFSCALE_RESULTS
mkdir "$tmp/work" || exit 99
cd "$tmp/work" || exit 99

# pf ARGUMENT...: pfscale, with stdout in $tmp/out, stderr in $tmp/err, exit status in $status.
pf() {
	"$PFSCALE" "$@" </dev/null >"$tmp/out" 2>"$tmp/err"
	status=$?
}

# exits NAME WANT ARGUMENT...: passes when pfscale ends with that status; else shows its stderr.
exits() {
	exits_name=$1
	exits_want=$2
	shift 2
	pf "$@"
	is "$exits_name" "$status" "$exits_want" && return
	sed 's/^/# /' "$tmp/err" | head -n 20
	return 1
}

# complains BEGINNING ARGUMENT...: pfscale refuses: exit status 2, one line on stderr that begins
# so, nothing on stdout, and the directory is as it was. One test point.
complains() {
	complains_text=$1
	shift
	ls -A >"$tmp/before"
	pf "$@"
	ls -A >"$tmp/after"
	ok "$complains_text" complained
}

complained() {
	if [ "$status" -ne 2 ]; then
		echo "# exit status $status"
	elif [ -s "$tmp/out" ]; then
		echo '# something on stdout:'
		head -n 5 "$tmp/out" | sed 's/^/# /'
	elif [ "$(wc -l <"$tmp/err")" -ne 1 ]; then
		echo '# not one line on stderr'
	elif ! cmp -s "$tmp/before" "$tmp/after"; then
		echo '# files were made or removed:'
		diff "$tmp/before" "$tmp/after" | sed 's/^/# /'
	else
		# Quoted: the text is compared as it is, no pattern.
		case $(cat "$tmp/err") in
		"$complains_text"*) return 0 ;;
		esac
	fi
	sed 's/^/# /' "$tmp/err" | head -n 5
	return 1
}

# repeats FILE: each repeat in a result file on a line: TYPE WORKERS PAGES, then NAME=VALUE,... of
# its members. Reads the layout that pfscale writes: a member of a repeat on a line of its own.
repeats() {
	awk '
	function value(line) {
		sub(/^[^:]*: */, "", line)
		gsub(/[][" ]/, "", line)
		sub(/,$/, "", line)
		return line
	}
	/^  "points":/ { inside = 1 }
	!inside { next }
	/^      "type":/ { type = value($0) }
	/^      "workers":/ { workers = value($0) }
	/^      "pages":/ { pages = value($0) }
	/^        \{/ { row = type " " workers " " pages }
	/^          "[a-z_]+":/ {
		name = $1
		gsub(/[":]/, "", name)
		row = row " " name "=" value($0)
	}
	/^        \}/ && row != "" { print row; row = "" }' "$1"
}

# every FILE CODE: passes when the awk code calls wrong() for no repeat of FILE, and there are some.
# column(NAME, A) puts a column's entries into A and returns how many; workers and pages are set.
every() {
	repeats "$1" >"$tmp/repeats"
	awk '
	function column(name, a,   i) {
		for (i = 4; i <= NF; i++)
			if (index($i, name "=") == 1)
				return split(substr($i, length(name) + 2), a, ",")
		return 0
	}
	function wrong(what) {
		print "# " what ": " substr($0, 1, 300)
		bad = 1
	}
	{
		workers = $2
		pages = $3
		'"$2"'
	}
	END { exit bad || !NR }' "$tmp/repeats"
}

# Every column of every repeat has an entry for each worker. For every().
# shellcheck disable=SC2034
columns_fit='
	n_names = split("cpu node start_ns wall_ns user_ns sys_ns minflt majflt", names, " ")
	for (k = 1; k <= n_names; k++)
		if (column(names[k], a) != workers)
			wrong(names[k])'

# Whether nothing makes huge pages by itself, so that each page takes one fault.
no_huge_pages() {
	! grep -qE '\[(always|within_size|force)\]' \
		/sys/kernel/mm/transparent_hugepage/enabled \
		/sys/kernel/mm/transparent_hugepage/shmem_enabled \
		/sys/kernel/mm/transparent_hugepage/hugepages-*/enabled \
		/sys/kernel/mm/transparent_hugepage/hugepages-*/shmem_enabled 2>/dev/null &&
		! grep -E ' /dev/shm tmpfs ' /proc/mounts | grep -q 'huge=[aw]'
}

# Whether /dev/shm, the default of --tmpfs-dir, can be used.
have_tmpfs() {
	[ -w /dev/shm ] && grep -Eq ' /dev/shm tmpfs ' /proc/mounts
}

# The CPUs that this process may use, one id a line.
allowed_cpus() {
	sed -n 's/^Cpus_allowed_list:[[:blank:]]*//p' /proc/self/status | tr ',' '\n' |
		awk -F- '{ for (i = $1; i <= (NF > 1 ? $2 : $1); i++) print i }'
}

# Programs with AddressSanitizer refuse a library that is loaded before its own.
with_asan() {
	grep -q __asan_init "$PFSCALE"
}

# Whether $CC compiles; what it holds besides the compiler's name is split.
have_compiler() {
	echo 'int main(void) { return 0; }' >"$tmp/probe.c"
	# shellcheck disable=SC2086
	$CC -o "$tmp/probe" "$tmp/probe.c" >"$tmp/cc.log" 2>&1
}

# preload NAME: make $tmp/NAME.so of tests/NAME.c.
preload() {
	# shellcheck disable=SC2086
	$CC -O1 -shared -fPIC -o "$tmp/$1.so" "$top_srcdir/tests/$1.c" -ldl >"$tmp/cc.log" 2>&1 ||
		{
			sed 's/^/# /' "$tmp/cc.log" | head -n 10
			return 1
		}
}

# json_parses FILE
json_parses() {
	python3 -m json.tool "$1" >/dev/null
}
