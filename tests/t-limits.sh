#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# t-limits.sh: each limit that a point can run into ends that point, is named with its value, and
# leaves nothing behind. Checked beforehand, and met while running (--force).
# shellcheck source=tests/lib.sh
. "${top_srcdir:-$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)}/tests/lib.sh"

# A small tmpfs: space, then inodes. Its size is known before; a file is sparse, so that without
# the check it is the touch that hits the end, with SIGBUS.
if a_tmpfs "$tmp/small" size=4m,nr_inodes=3; then
	measure "$run" -s 3MB --cpus 1,2 --oversubscribe \
		--tmpfs-dir "$tmp/small" fork:tmpfs pthread:tmpfs:shared
	works "a small tmpfs: what fits is run" fork:tmpfs 1
	fails "a small tmpfs" fork:tmpfs 2 \
		"preflight: ENOSPC .* needed, 4194304 available; size of the tmpfs is 4194304 bytes"
	fails "a small tmpfs, shared" pthread:tmpfs:shared 2 \
		"preflight: ENOSPC .*; size of the tmpfs is [0-9]"
	for model in fork pthread; do
		measure "$run" --force -s 6MB --cpus 1 \
			--tmpfs-dir "$tmp/small" "$model" "$model:tmpfs"
		fails "a full tmpfs, $model" "$model:tmpfs" 1 \
			"touch: ENOSPC .*SIGBUS at byte 4194304 of .*worker 0 of 1; size of the tmpfs is 4194304"
		works "a full tmpfs, $model: another point goes on" "$model" 1
		measure "$run" --force -s 3MB --cpus 2 --oversubscribe \
			--tmpfs-dir "$tmp/small" "$model:tmpfs:shared"
		fails "a full tmpfs, $model, shared" "$model:tmpfs:shared" 2 \
			"touch: ENOSPC .*SIGBUS .*size of the tmpfs is [0-9]"
	done
	measure "$run" -s 4096 --cpus 4 --oversubscribe --tmpfs-dir "$tmp/small" fork:tmpfs
	fails "a tmpfs without inodes" fork:tmpfs 4 \
		"preflight: ENOSPC .*4 files needed; nr_inodes of the tmpfs is 3, 2 of them free"
	is "a small tmpfs: nothing is left on it" "$(find "$tmp/small" -mindepth 1)" ""
	is "a small tmpfs: no block is in use" "$(df -P "$tmp/small" | awk 'NR == 2 { print $3 }')" 0
else
	skip "a small tmpfs" "no tmpfs can be mounted here: $no_space"
fi

# The default directory, where containers have 64 MB of it.
if [ -d /dev/shm ] && a_tmpfs /dev/shm size=2m; then
	measure "$run" -s 3MB --cpus 1 fork:tmpfs fork:shmem
	fails "a small /dev/shm" fork:tmpfs 1 \
		"preflight: ENOSPC .*size of the tmpfs is 2097152 bytes \(/dev/shm\)"
	works "a small /dev/shm does not limit SysV segments" fork:shmem 1
	ok "a small /dev/shm is not in use" umount /dev/shm
else
	skip "a small /dev/shm" "no tmpfs can be mounted there"
fi

# sysv NAME VALUE: set a limit of this IPC namespace; the one from before goes into $before.
sysv() {
	[ "$space" != none ] || return
	before=$(cat "/proc/sys/kernel/$1") || return
	echo "$2" 2>/dev/null >"/proc/sys/kernel/$1"
}

try_sysv() {
	if ! sysv "$1" "$2"; then
		skip "$1" "it cannot be set here"
		return
	fi
	measure "$run" -s 10MB --cpus 1 fork:shmem fork
	fails "$1" fork:shmem 1 "preflight: ENOSPC .*kernel.$1 is $2 "
	measure "$run" --force -s 10MB --cpus 1 fork:shmem pthread:shmem:shared fork
	fails "$1, --force" fork:shmem 1 \
		"shmget: $3 .*[0-9]+ bytes, worker 0 of 1; kernel.$1 is $2 [a-z]"
	fails "$1, --force, shared" pthread:shmem:shared 1 \
		"shmget: $3 .*[0-9]+ bytes; kernel.$1 is $2 [a-z]"
	works "$1: another point goes on" fork 1
	sysv "$1" "$before"
}
if [ -r /proc/sys/kernel/shmmax ]; then
	try_sysv shmmax 5242880 EINVAL
	try_sysv shmmni 0 ENOSPC
	try_sysv shmall 100 ENOSPC
else
	skip "limits of SysV segments" "no SysV shared memory here"
fi

# Memory of a cgroup: one worker fits, two do not. What a sanitizer needs fits as well.
if a_group memory memory.max 200M memory.limit_in_bytes 200M; then
	measure in_group "$run" -s 120MB --cpus 1,2 --oversubscribe fork pthread:shmem
	works "a memory cgroup: what fits is run" fork 1
	fails "a memory cgroup" fork 2 \
		"preflight: ENOMEM .* needed, [0-9]+ available; memory\.[a-z_]+ of .* is 209715200 bytes"
	works "a memory cgroup: the other type, too" pthread:shmem 1
	fails "a memory cgroup, the other type" pthread:shmem 2 \
		"preflight: ENOMEM .* is 209715200 bytes"
	for type in fork pthread fork:zero:shared pthread:shmem; do
		measure in_group "$run" --force -s 120MB --cpus 1,2 --oversubscribe "$type"
		works "out of memory, $type: what fits is run" "$type" 1
		fails "out of memory, $type" "$type" 2 \
			"(the )?work.* by signal 9 .*; memory\..* is 209715200 bytes; the OOM killer has struck"
	done
else
	skip "a memory cgroup" "$no_group"
fi

if a_group pids pids.max 8; then
	measure in_group "$run" -s 40kB --cpus 1,16 --oversubscribe fork pthread:tmpfs:shared
	works "a pids cgroup: what fits is run" fork 1
	fails "a pids cgroup, fork" fork 16 \
		"fork: EAGAIN .*worker [0-9]+ of 16; pids\.max of .* is 8 tasks"
	fails "a pids cgroup, pthread" pthread:tmpfs:shared 16 \
		"pthread_create: EAGAIN .*worker [0-9]+ of 16; pids\.max of .* is 8 tasks"
else
	skip "a pids cgroup" "$no_group"
fi

# Limits of the process.
if asan; then
	skip "limits on address space and data" "a sanitizer reserves terabytes"
else
	for type in fork pthread fork:zero:shared pthread:shmem fork:tmpfs; do
		measure under 'ulimit -v 50000' "$run" -s 60MB --cpus 1 "$type"
		fails "address space, $type" "$type" 1 \
			"(malloc|mmap|shmat): ENOMEM .*; RLIMIT_AS is 51200000 bytes, [0-9]+ of them in use"
	done
	measure under 'ulimit -d 20000' "$run" -s 60MB --cpus 1 pthread pthread:zero
	fails "data" pthread 1 \
		"malloc: ENOMEM .*worker 0 of 1; RLIMIT_DATA is 20480000 bytes, [0-9]+ of them in use"
	works "data does not limit shared memory" pthread:zero 1
fi
for force in '' --force; do
	measure under 'ulimit -f 2000' "$run" -s 2MB --cpus 1 $force fork:tmpfs fork:zero
	fails "file size $force" fork:tmpfs 1 \
		"(preflight|ftruncate): EFBIG .*; RLIMIT_FSIZE is 1024000 bytes"
	works "file size $force: other objects are no files" fork:zero 1
done
measure under 'ulimit -f 1' "$run" -s 40kB --cpus 1 fork
is "file size of the result: exit status" "$status" 2
has "file size of the result: says why" "$tmp/err" "EFBIG .*$result; RLIMIT_FSIZE is 512 bytes"
ok "file size of the result: no file is left" test ! -e "$result"
# The lowest limit that the loader lives with: this shell may have been given descriptors.
descriptors=4
while
	measure under "ulimit -n $descriptors" "$exe" run -r 1 -o "$result" -s 40kB --cpus 1 fork
	[ "$descriptors" -lt 40 ] && grep -q 'loading shared libraries' "$tmp/err"
do
	descriptors=$((descriptors + 1))
done
is "descriptors: exit status" "$status" 2
has "descriptors: says why" "$tmp/err" "EMFILE .*; RLIMIT_NOFILE is $descriptors descriptors"
ok "descriptors: no file is left" test ! -e "$result"
measure under 'ulimit -l 0' "$run" -s 40kB --cpus 1 fork
works "locked memory: none is needed" fork 1

# nobody COMMAND...: run it as a user who has no other processes, and at most 4.
nobody() {
	setpriv --reuid 54321 --regid 54321 --clear-groups --no-new-privs prlimit --nproc=4 "$@"
}
if nobody true 2>/dev/null && nobody test -x "$exe"; then
	mkdir -m 777 "$tmp/theirs"
	result=$tmp/theirs/r.json
	measure nobody "$run" -s 40kB --cpus 1,16 --oversubscribe fork pthread:zero
	works "another user: what fits is run" fork 1
	fails "RLIMIT_NPROC, fork" fork 16 \
		"fork: EAGAIN .*worker 2 of 16; RLIMIT_NPROC is 4 tasks of user 54321"
	fails "RLIMIT_NPROC, pthread" pthread:zero 16 \
		"pthread_create: EAGAIN .*worker 2 of 16; RLIMIT_NPROC is 4 tasks of user 54321"
	result=$tmp/r.json
else
	skip "RLIMIT_NPROC" "cannot become another user with setpriv(1) and prlimit(1) here"
fi

# What cannot be used here is a skip, which says why; in the end, for /dev/shm goes.
[ "$space" = none ] || umount -l /dev/shm 2>/dev/null
if "$exe" list | grep -q "/dev/shm is not on a tmpfs"; then
	"$exe" run -r 1 -s 40kB --cpus 1 -o "$tmp/skip.json" fork:tmpfs fork >"$tmp/out" 2>"$tmp/err"
	is "a skip is no failure" "$?" 0
	has "a skip says why" "$tmp/err" 'fork:tmpfs is skipped: /dev/shm is not on a tmpfs'
	has "a skipped point has no number" "$tmp/out" '^fork:tmpfs +1 +skipped$'
else
	skip "a skip says why" "/dev/shm cannot be taken away here"
fi

nothing_left "in the end"
for group in $groups; do
	ok "in the end: the cgroup is empty" test -z "$(cat "$group/cgroup.procs")"
done
tap_done
