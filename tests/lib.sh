# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2034
# lib.sh: what the tests of runs under limits and signals share. Source it instead of tap.sh.
#
# Where it may, it begins the test anew in mount and IPC namespaces of its own: mounts then vanish
# with it, limits of SysV memory hold for it alone, and every segment that it sees is its own.
# $space tells: root, user (root of a user namespace only) or none; $no_space why there is none.

if [ -z "${PFSCALE_TEST_SPACE-}" ]; then
	PFSCALE_TEST_SPACE=none
	if unshare -m -i true 2>/dev/null; then
		PFSCALE_TEST_SPACE=root
		export PFSCALE_TEST_SPACE
		exec unshare -m -i sh "$0" "$@"
	elif unshare -r -m -i true 2>/dev/null; then
		PFSCALE_TEST_SPACE=user
		export PFSCALE_TEST_SPACE
		exec unshare -r -m -i sh "$0" "$@"
	fi
fi
space=$PFSCALE_TEST_SPACE
no_space="unshare(1) gives no mount and IPC namespaces here"
unset PFSCALE_TEST_SPACE

# shellcheck source=tests/tap.sh
. "${top_srcdir:-$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)}/tests/tap.sh"

# A copy of the program: /proc/PID/exe tells our processes from those of other tests.
[ -x "$PFSCALE" ] || skip_all "pfscale is not built"
chmod 755 "$tmp" # for the test that is another user for a while
exe=$tmp/pfscale
cp "$PFSCALE" "$exe" || exit 99
"$exe" --version >/dev/null || skip_all "programs cannot be run in $tmp"
result=$tmp/r.json

# The shortest run: "$run" ARGUMENT... saves $result.
run=$tmp/run
cat >"$run" <<'END'
#!/bin/sh
exec "$exe" run -q -r 1 --warmup 0 --time-limit 0 -o "$result" "$@"
END
chmod 755 "$run"
export exe result run
groups=
mounts=

lib_cleanup() {
	for lib_pid in $(our_pids); do
		kill -9 "$lib_pid" 2>/dev/null
	done
	soon no_process
	for lib_group in $groups; do
		soon rmdir "$lib_group" 2>/dev/null
	done
	for lib_mount in $mounts; do
		umount -l "$lib_mount"
	done
	rm -rf "$tmp"
}
trap lib_cleanup EXIT

asan() {
	grep -q __asan_init "$PFSCALE"
}

# within SECONDS COMMAND...: whether it succeeds within that time (more on a busy machine).
within() {
	lib_tries=$(($1 * 100))
	shift
	until "$@"; do
		lib_tries=$((lib_tries - 1))
		[ "$lib_tries" -gt 0 ] || return 1
		sleep 0.01
	done
}

soon() {
	within 5 "$@"
}

# The processes that run our copy, one a line. (A test that became another user has none besides.)
our_pids() {
	# shellcheck disable=SC2012
	ls -l /proc/[0-9]*/exe 2>/dev/null |
		sed -n "s|.* /proc/\([0-9]*\)/exe -> $exe\$|\1|p"
}

no_process() {
	[ -z "$(our_pids)" ]
}

# One line per SysV segment; the first line of the file is its heading.
no_segment() {
	[ "$(wc -l </proc/sysvipc/shm)" -eq 1 ]
}

# nothing_left NAME: neither process nor segment, nor a file in /dev/shm. What was killed may take
# a moment to end.
nothing_left() {
	ok "$1: no process is left" soon no_process ||
		our_pids | sed 's/^/# /'
	if [ "$space" = none ]; then
		skip "$1: no segment is left" "$no_space"
	elif [ -r /proc/sysvipc/shm ]; then
		ok "$1: no segment is left" soon no_segment ||
			sed 's/^/# /' /proc/sysvipc/shm
	else
		skip "$1: no segment is left" "no SysV shared memory here"
	fi
	is "$1: no file is left" "$(find /dev/shm -name '.pfscale*' 2>/dev/null)" ""
}

# measure COMMAND...: run it into $status, $tmp/out, $tmp/err; it saves $result, if anything.
measure() {
	rm -f "$result"
	"$@" >"$tmp/out" 2>"$tmp/err"
	status=$?
}

# under LIMITS COMMAND...: run it with what the shell commands LIMITS do to a process.
under() {
	sh -c "$1"' || exit 99; shift; exec "$@"' sh "$@"
}

# value TYPE WORKERS COLUMN: from the CSV report on the result. See point() for COLUMN "numbers".
value() {
	"$exe" report --format csv "$result" 2>/dev/null | sed 's/"[^"]*"//g' |
		awk -F, -v type="$1" -v workers="$2" -v name="$3" '
		NR == 1 {
			for (i = 1; i <= NF; i++)
				column[$i] = i
		}
		$column["type"] == type && $column["workers"] == workers {
			if (name != "numbers") {
				print $column[name]
				exit
			}
			for (i = column["reason"] + 1; i <= NF; i++)
				numbers += i != column["pages_per_worker"] && $i != ""
			print $column["status"] (numbers ? " with numbers" : "")
		}'
}

# point TYPE WORKERS: the status that the result file gives the point, and whether with numbers.
point() {
	value "$1" "$2" numbers
}

# fails NAME TYPE WORKERS ERROR: the run just measured failed in this point, as it should: with an
# exit status, an explanation, and no numbers.
fails() {
	is "$1: exit status" "$status" 1
	has "$1: says why" "$tmp/err" "$2 with $3 workers? failed: $4"
	is "$1: the point is recorded" "$(point "$2" "$3")" failed
}

# works NAME TYPE WORKERS: this point of the run just measured has its numbers.
works() {
	is "$1" "$(point "$2" "$3")" "ok with numbers" || sed 's/^/# /' "$tmp/err"
}

# a_tmpfs DIR OPTIONS: mount one, until the test ends.
a_tmpfs() {
	mkdir -p "$1"
	[ "$space" != none ] && mount -t tmpfs -o "$2" pfscale-test "$1" 2>/dev/null || return
	case $1 in
	"$tmp"/*) mounts="$1 $mounts" ;;
	esac
}

# Where groups of our own can be made for a controller: below our own (v1, or in the root of v2, or
# beside it, for a group of v2 has either processes or groups).
group_parent() {
	lib_own=$(sed -n "s/^[0-9]*:\([^:]*,\)*$1\(,[^:]*\)*:\(.*\)/\3/p" /proc/self/cgroup)
	lib_root=$(awk -v k="$1" '$3 == "cgroup" && ("," $4 ",") ~ "," k "," { print $2; exit }' \
		/proc/mounts)
	if [ -n "$lib_own" ] && [ -n "$lib_root" ]; then
		[ -d "$lib_root$lib_own" ] && lib_root=$lib_root$lib_own
		echo "${lib_root%/}"
		return
	fi
	lib_own=$(sed -n 's/^0:://p' /proc/self/cgroup)
	lib_root=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	[ -n "$lib_root" ] || return
	lib_root=$lib_root${lib_own%/*}
	echo "+$1" 2>/dev/null >"$lib_root/cgroup.subtree_control"
	grep -qw "$1" "$lib_root/cgroup.subtree_control" 2>/dev/null && echo "$lib_root"
}

# a_group CONTROLLER (FILE VALUE)...: make one with the first of the files that there is set to its
# value, until the test ends; its path is in $group. Else the reason is in $no_group.
a_group() {
	no_group="no $1 cgroup can be made here"
	lib_parent=$(group_parent "$1")
	group=$lib_parent/pfscale-test-$$-$tap_count
	[ -n "$lib_parent" ] && mkdir "$group" 2>/dev/null || return
	groups="$groups $group"
	shift
	while [ $# -gt 0 ]; do
		if [ -e "$group/$1" ]; then
			# Without swap; where there is none, nor this file, that is so anyway.
			echo 0 2>/dev/null >"$group/memory.swap.max"
			echo "$2" 2>/dev/null >"$group/$1"
			return
		fi
		shift 2
	done
	return 1
}

# in_group COMMAND...: run it in $group.
in_group() {
	under "echo 0 >'$group/cgroup.procs'" "$@"
}
