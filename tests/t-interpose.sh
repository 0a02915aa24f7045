#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# t-interpose: pages of another size, a time of day that is set back all the time, CPU times that
# are made up, and memory that is not the C library's.
# The functions below are called by ok().
# shellcheck disable=SC2317

# shellcheck source=tests/tap.sh
. "${top_srcdir:-$(dirname -- "$0")/..}/tests/tap.sh"
# shellcheck source=tests/lib-run.sh
. "$top_srcdir/tests/lib-run.sh"

with_asan && skip_all 'AddressSanitizer wants no library before its own'
have_compiler || skip_all "$CC makes no programs"
ok 'the library about pages compiles' preload sysconf-64k
ok 'the library about time compiles' preload clock-back
ok 'the library about CPU time compiles' preload cpu-clock
ok 'the library about memory compiles' preload own-malloc

# with NAME COMMAND...: run it with tests/NAME.c before its libraries.
with() {
	with_name=$1
	shift
	env LD_PRELOAD="$tmp/$with_name.so" "$@"
}

# pf_with NAME ARGUMENT...: as pf().
pf_with() {
	pf_name=$1
	shift
	with "$pf_name" "$PFSCALE" "$@" </dev/null >"$tmp/out" 2>"$tmp/err"
	status=$?
}

#
# Pages of 64 KiB: of 10,000,000 bytes, 153
#
true_size=$(getconf PAGESIZE)
shown_size=$(with sysconf-64k getconf PAGESIZE)
if [ "$true_size" -gt 65536 ] || [ "$shown_size" != 65536 ]; then
	skip 'pages of 64 KiB' "of $true_size bytes; they cannot be made look like 64 KiB"
else
	pf_with sysconf-64k run --cpus 1 --size 10MB -r 2 -o pages.json
	is '64 KiB: it runs' "$status" 0
	has '64 KiB: the system is said to have them' pages.json '^    "page_size": 65536,$'
	is '64 KiB: so is every point' "$(repeats pages.json | cut -d ' ' -f 3 | sort -u)" 153
	has '64 KiB: the plan too' pages.json '^    "pages": 153,$'
	ok '64 KiB: each of them is touched' every pages.json '
		column("minflt", faults)
		if (faults[1] < pages)
			wrong("faults")'
	if [ "$true_size" -lt 65536 ] && no_huge_pages; then
		ok '64 KiB: and touched once' every pages.json '
			column("minflt", faults)
			if (faults[1] > pages + 4)
				wrong("faults")'
	else
		skip '64 KiB: and touched once' 'huge pages are on for everybody'
	fi
	exits 'the file is read where pages are others' 0 report --format csv pages.json
	pf_with sysconf-64k run --dry-run -c 1 -s 1 fork
	has 'a dry run counts with them' "$tmp/out" '1 pages of 65536 bytes'
fi

#
# The time of day
#
ok 'the time of day is set back' test \
	"$(with clock-back date +%s)" -lt $(($(date +%s) - 3000))

# The sum of all wall times in ms.
wall_ms() {
	repeats "$1" | sed 's/.* wall_ns=\([0-9,-]*\).*/\1/' | tr ',' '\n' |
		awk '{ sum += $1 } END { printf "%d\n", 1 + sum / 1e6 }'
}

pf run -q --cpus 1 --size 10MB -r 3 --seed 1 -o true.json 'fork:*' pthread
true_ms=$(wall_ms true.json)
pf_with clock-back run --cpus 1 --size 10MB -r 3 --seed 1 -o back.json 'fork:*' pthread
is 'a run with the time set back' "$status" 0
has 'has saved its result' "$tmp/err" '^pfscale run: result in back\.json$'
ok 'all its times are above 0, and below a minute' every back.json '
	n_names = split("wall_ns map_ns unmap_ns shared_map_ns shared_unmap_ns", names, " ")
	for (k = 1; k <= n_names; k++) {
		n = column(names[k], a)
		for (i = 1; i <= n; i++)
			if (a[i] <= 0 || a[i] >= 60e9)
				wrong(names[k])
	}'
ok 'they start after the start' every back.json '
	column("start_ns", start)
	if (start[1] < 0 || start[1] >= 60e9)
		wrong("start_ns")'
ms=$(wall_ms back.json)
# An hour is too much by a factor of a million; a busy machine by less than a hundred.
ok "they are of the same order ($ms ms and $true_ms ms)" \
	test "$ms" -lt $((100 * true_ms)) -a "$true_ms" -lt $((100 * ms))
hasnt 'no number that is none' "$tmp/out" '(nan|inf|-[0-9])'
exits 'the file is good' 0 report back.json
pf_with clock-back run --cpus 1 --size 1MB -r 1 fork
is 'with a default name' "$status" 0
is 'there is a file' "$(find . -name 'pfscale-*Z.json' | wc -l | tr -d ' ')" 1

#
# CPU time: that of a dry run's probes is the thread's clock's. After one that warms up, 10 of them
# take 1.01, 1.02 ... 1.10 ms. The error of their median is (1.09 - 1.02) / (2 x 2.29936) ms, that of
# 5 repeats sqrt(2) times that, and the change (2.30600 + 0.88889) sqrt(2) times that of 1.055 ms.
#
CPU_CLOCK_STEP=10000
export CPU_CLOCK_STEP
pf_with cpu-clock run --dry-run -c 1 -r 5 fork
has 'the change that a dry run tells, from CPU times by the clock' "$tmp/out" \
	'^change:  about 9\.2 % is the smallest that 5 repeats show '
CPU_CLOCK_STEP=0
pf_with cpu-clock run --dry-run -c 1 -r 5 fork
has 'from probes that are all alike, none can be told' "$tmp/out" \
	'^change:  n/a: the CPU times of probes here do not tell$'
has 'but the time' "$tmp/out" '^time:    about [0-9.]+ s, '

#
# malloc() of another library: glibc's own is then set up when a worker first asks something of it
#
pf_with own-malloc run --cpus 2 --oversubscribe --size 1 -r 100 --warmup 0 -o own.json pthread fork
is 'workers with a malloc() of their own' "$status" 0
hasnt 'they leave the C library whole' "$tmp/err" '(Fatal|failed)'
if no_huge_pages; then
	ok 'one fault a page' every own.json '
		column("minflt", faults)
		if (faults[1] < pages || faults[1] > pages + 4)
			wrong("faults")'
else
	skip 'one fault a page' 'huge pages are on for everybody'
fi

tap_done
