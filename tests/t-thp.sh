#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# t-thp.sh: huge pages make fewer faults than pages. What is reported are the faults that were
# counted, with a warning that tells why; and without huge pages there is one fault per page.
# Only what holds for one process or one mount is changed here. With PFSCALE_TEST_MACHINE=1, in a
# test that runs alone, so are settings of the whole machine, for a moment.
# shellcheck source=tests/lib.sh
. "${top_srcdir:-$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)}/tests/lib.sh"

thp=/sys/kernel/mm/transparent_hugepage
size=20MB

# setting FILE: the choice in brackets; "" where there is none.
setting() {
	sed -n 's/.*\[\(.*\)\].*/\1/p' "$thp/$1" 2>/dev/null
}

# collapsed NAME TYPE CAUSE: the run just measured is true about its faults, and if they are fewer
# than pages, it says why. Where no huge page was given, there is nothing to see: the kernel may have
# none, and some C libraries do not always find out that they may ask for them.
collapsed() {
	pages=$(value "$2" 1 pages_per_worker)
	faults=$(value "$2" 1 faults)
	is "$1: exit status" "$status" 0
	if [ "$faults" -ge "$pages" ]; then
		skip "$1: $2" "no huge page was given"
		return
	fi
	ok "$1: $2: the faults were counted" test "$faults" -gt 0
	has "$1: $2: a warning tells why" "$tmp/err" \
		"warning: $2 with 1 worker: $faults faults for $pages pages; likely cause: .*$3"
	has "$1: $2: the result keeps the warning" "$result" \
		"\"$2 with 1 worker: $faults faults for $pages pages; likely cause"
	ok "$1: $2: they are the sum of the samples" grep -q "\"minflt\": \\[$faults\\]" "$result"
}

plain() {
	is "$1: exit status" "$status" 0
	hasnt "$1: no warning" "$tmp/err" "faults for .* pages"
}

measure "$run" -s $size --cpus 1 fork:zero
for file in enabled shmem_enabled defrag; do
	if [ -n "$(setting $file)" ]; then
		has "the result records $file" "$result" "\"$file\": \"$(setting $file)\""
	else
		skip "the result records $file" "this kernel has none"
	fi
done

# A tmpfs with huge pages of its own.
for huge in always within_size; do
	if a_tmpfs "$tmp/$huge" size=64m,huge=$huge; then
		for type in fork:tmpfs pthread:tmpfs:shared; do
			measure "$run" -s $size --cpus 1 --tmpfs-dir "$tmp/$huge" $type
			collapsed "tmpfs, huge=$huge" $type "huge=$huge"
		done
		has "tmpfs, huge=$huge: the result records it" "$result" \
			"\"options\": \".*huge=$huge"
	else
		skip "tmpfs, huge=$huge" "it cannot be mounted here"
	fi
done
for huge in never advise; do
	if [ "$(setting shmem_enabled)" = force ]; then
		skip "tmpfs, huge=$huge" "shmem_enabled is force"
	elif a_tmpfs "$tmp/$huge" size=64m,huge=$huge; then
		measure "$run" -s $size --cpus 1 --tmpfs-dir "$tmp/$huge" fork:tmpfs
		plain "tmpfs, huge=$huge"
		ok "tmpfs, huge=$huge: a fault per page" \
			test "$(value fork:tmpfs 1 faults)" -ge "$(value fork:tmpfs 1 pages_per_worker)"
	else
		skip "tmpfs, huge=$huge" "it cannot be mounted here"
	fi
done

# malloc(), told to ask for huge pages, or getting them unasked.
enabled=$(setting enabled)
tunable="glibc.malloc.hugetlb"
if asan; then
	skip "malloc with huge pages" "a sanitizer has a malloc of its own"
elif ! getconf GNU_LIBC_VERSION >/dev/null 2>&1; then
	skip "malloc with huge pages" "this is not the GNU C library"
else
	for type in fork pthread:shared; do
		measure env GLIBC_TUNABLES="$tunable=1" "$run" -s $size --cpus 1 $type
		case $enabled in
		always) collapsed "THP always" $type "thp enabled is always" ;;
		madvise) collapsed "$tunable=1" $type "$tunable" ;;
		*) plain "$tunable=1, no THP" ;;
		esac
	done
	measure env GLIBC_TUNABLES= "$run" -s $size --cpus 1 fork pthread:shared
	case $enabled in
	always) collapsed "THP always, no tunable" fork "thp enabled is always" ;;
	*) plain "no tunable, THP $enabled" ;;
	esac
fi

# The whole machine's settings: put back however this ends.
before=
restore() {
	for setting in $before; do
		echo "${setting#*=}" >"$thp/${setting%%=*}"
	done
	before=
}
trap 'restore; lib_cleanup' EXIT
with_setting() {
	[ -w "$thp/$1" ] && grep -qw "$2" "$thp/$1" || return
	before="$1=$(setting "$1")"
	echo "$2" 2>/dev/null >"$thp/$1" || return
	shift 2
	measure "$@"
	restore
}
machine() {
	if [ "${PFSCALE_TEST_MACHINE-}" != 1 ]; then
		skip "$1=$2" "a setting of the whole machine; PFSCALE_TEST_MACHINE=1 allows it"
	elif with_setting "$1" "$2" env GLIBC_TUNABLES= "$run" -s $size --cpus 1 "$3"; then
		collapsed "$1=$2" "$3" "$4"
		has "$1=$2: the result records it" "$result" "\"${1##*/}\": \"$2\""
	else
		skip "$1=$2" "it cannot be set here"
	fi
}
machine enabled always pthread 'thp enabled is always'
machine hugepages-64kB/enabled always fork '64kB'
machine shmem_enabled always fork:zero 'shmem_enabled is always'
machine shmem_enabled always pthread:shmem:shared 'shmem_enabled is always'
machine shmem_enabled force fork:tmpfs 'shmem_enabled is force'
machine hugepages-64kB/shmem_enabled always fork:zero '64kB'

nothing_left "in the end"
tap_done
