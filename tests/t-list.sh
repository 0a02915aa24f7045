#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# t-list.sh: `pfscale list` and `pfscale topology`: what they show, and what they refuse.
. "${top_srcdir:-$(dirname "$0")/..}/tests/tap.sh"

# status WANT COMMAND...: run it with its output in $tmp/out and $tmp/err.
status() {
	want=$1
	shift
	"$@" >"$tmp/out" 2>"$tmp/err"
	got=$?
	shift
	is "exit status of: $*" "$got" "$want"
}

status 0 "$PFSCALE" list
is 'list prints nothing on stderr' "$(cat "$tmp/err")" ''
for word in fork pthread malloc zero shmem tmpfs write cores; do
	has "list has $word, with a summary" "$tmp/out" "^  $word +[^ ]+ "
done

status 0 "$PFSCALE" list --types
is 'all types that a default run measures' "$(wc -l <"$tmp/out" | tr -d ' ')" 16
is 'each type once' "$(sort -u "$tmp/out" | wc -l | tr -d ' ')" 16
has 'a label without its defaults' "$tmp/out" '^fork$'
has 'a label with all parts' "$tmp/out" '^pthread:zero:shared$'
hasnt 'nothing but labels' "$tmp/out" '[^a-z:]'

status 0 "$PFSCALE" list --tmpfs-dir /proc
has 'list says what cannot run here, and why' "$tmp/out" 'cannot run here: .*/proc.*tmpfs'
status 0 "$PFSCALE" list --tmpfs-dir /nonexistent/dir
has 'a missing directory is a reason too' "$tmp/out" 'cannot run here: .*/nonexistent/dir'
status 2 "$PFSCALE" list --tmpfs-dir ''
has 'an empty directory is refused' "$tmp/err" "^pfscale list: --tmpfs-dir ''"
status 2 "$PFSCALE" list fork
has 'operands are refused' "$tmp/err" "'fork'"
status 2 "$PFSCALE" list --typos
has 'a misspelt option gets a suggestion' "$tmp/err" 'did you mean --types'
status 0 "$PFSCALE" list --help
has 'help names the options' "$tmp/out" '--tmpfs-dir DIR'

status 0 "$PFSCALE" topology
is 'topology prints nothing on stderr' "$(cat "$tmp/err")" ''
cpus=$(getconf _NPROCESSORS_ONLN)
allowed=$(nproc 2>/dev/null || echo "$cpus")
has 'the CPUs that may be used' "$tmp/out" "^CPUs +$allowed may be used: [0-9]"
is 'the order has each of them' \
	"$(sed -n 's/^order (cores)://p' "$tmp/out" | wc -w | tr -d ' ')" "$allowed"

status 0 "$PFSCALE" topology --cpus 5
is 'the places of 5 workers' "$(sed -n '/worker/,$p' "$tmp/out" | grep -c '^ *[0-4] ')" 5
for bad in 0 -1 two 99999999999999999999 1,2; do
	status 2 "$PFSCALE" topology --cpus "$bad"
	has "--cpus $bad is refused" "$tmp/err" "^pfscale topology: --cpus '$bad'"
done
status 2 "$PFSCALE" topology file.xml
has 'operands are refused' "$tmp/err" "'file.xml'"

# One CPU allowed: the default maximum of workers is 1, whatever is configured.
first=$(sed -n 's/^Cpus_allowed_list:[^0-9]*\([0-9]*\).*/\1/p' /proc/self/status)
if command -v taskset >/dev/null 2>&1 && [ -n "$first" ]; then
	status 0 taskset -c "$first" "$PFSCALE" topology
	has 'an affinity mask of one CPU' "$tmp/out" "^CPUs +1 may be used: $first\$"
	has 'the order has that CPU alone' "$tmp/out" "^order \\(cores\\): $first\$"
else
	skip 'an affinity mask of one CPU' 'taskset or /proc/self/status is missing'
fi

# Another machine, as hwloc was told.
HWLOC_SYNTHETIC='pack:2 numa:2 l3:1 core:2 pu:2'
export HWLOC_SYNTHETIC
status 0 "$PFSCALE" topology
has 'it is said to be another machine' "$tmp/out" '^machine  another'
has 'its nodes' "$tmp/out" '^nodes +4, memory may come from: 0-3$'
has 'the CPUs of a node' "$tmp/out" '^ +3 +1\.0 GiB +4  12-15$'
has 'package, L3, node, cores, threads' "$tmp/out" '^ +1 +3 +3 +2 +4  12-15$'
has 'cores before their second threads' "$tmp/out" \
	'^order \(cores\): 0 2 4 6 8 10 12 14 1 3 5 7 9 11 13 15$'
has 'distances are not known' "$tmp/out" 'distances are not known'
unset HWLOC_SYNTHETIC
HWLOC_XMLFILE=$top_srcdir/tests/data/topologies/sparse.xml
export HWLOC_XMLFILE
status 0 "$PFSCALE" topology
has 'a node without memory' "$tmp/out" '^ +4 +0\.0 GiB +4  4-5,12-13 \(no memory\)$'
has 'a node without CPUs' "$tmp/out" '^ +6 +8\.0 GiB +0  none$'
has 'a node that memory may not come from' "$tmp/out" '^ +7 .*\(memory not allowed\)$'
has 'distances' "$tmp/out" '^ +6 +31 +17 +10 +42$'
unset HWLOC_XMLFILE

if [ -w /dev/full ]; then
	for command in list topology; do
		"$PFSCALE" $command >/dev/full 2>"$tmp/err"
		is "$command: a full disk is trouble" "$?" 2
		has "$command: the error says so" "$tmp/err" 'ENOSPC'
	done
else
	skip 'a full disk' 'no /dev/full'
fi

tap_done
