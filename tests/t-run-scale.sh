#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# t-run-scale: which CPUs are counted and used, many workers, and whose CPU time is counted.
# The functions below are called by ok().
# shellcheck disable=SC2317

# shellcheck source=tests/tap.sh
. "${top_srcdir:-$(dirname -- "$0")/..}/tests/tap.sh"
# shellcheck source=tests/lib-run.sh
. "$top_srcdir/tests/lib-run.sh"

n_cpus=$(allowed_cpus | wc -l)
last=$(allowed_cpus | tail -n 1)

# The worker counts of a result file, on one line.
counts() {
	sed -n 's/^      "workers": \([0-9]*\),$/\1/p' "$1" | sort -nu | tr '\n' ' '
}

#
# The CPUs that may be used, not those that there are
#
exits 'default counts' 0 run -q -s 4kB -r 1 --warmup 0 -o default.json fork
is 'go up to the allowed CPUs' "$(counts default.json | tr ' ' '\n' | sed '/^$/d' | tail -n 1)" "$n_cpus"
ok 'all on CPUs that are allowed, no two on one' every default.json '
	split("'"$(allowed_cpus | tr '\n' ' ')"'", ids, " ")
	for (i in ids) allowed[ids[i]] = 1
	split("", taken)
	column("cpu", cpu)
	for (i = 1; i <= workers; i++)
		if (!(cpu[i] in allowed) || taken[cpu[i]]++)
			wrong("cpu")'
if ! command -v taskset >/dev/null; then
	skip 'a single CPU of several' 'no taskset here'
elif [ "$n_cpus" -lt 2 ]; then
	skip 'a single CPU of several' 'a single CPU is all there is'
else
	taskset -c "$last" "$PFSCALE" run -q -s 4kB -r 1 -o one.json fork pthread >"$tmp/out" 2>"$tmp/err"
	is "on CPU $last alone" $? 0
	is 'the default is one worker' "$(counts one.json)" '1 '
	ok 'it is on that CPU' every one.json '
		column("cpu", cpu)
		if (cpu[1] != '"$last"')
			wrong("cpu")'
	taskset -c "$last" "$PFSCALE" run -c 2 fork >"$tmp/out" 2>"$tmp/err"
	is 'two workers are too many' $? 2
	has 'because one CPU is allowed' "$tmp/err" "^pfscale run: --cpus '2': at most 1,"
	taskset -c "$last" "$PFSCALE" run -c 3 --oversubscribe -s 4kB -r 1 -o three.json fork \
		>"$tmp/out" 2>"$tmp/err"
	is 'three with --oversubscribe' $? 0
	ok 'are all on that CPU' every three.json '
		column("cpu", cpu)
		for (i = 1; i <= workers; i++)
			if (cpu[i] != '"$last"')
				wrong("cpu")'
fi

#
# More workers than a fixed array would have room for
#
many=4096
for model in fork pthread; do
	for type in $model $model:zero:shared; do
		pf run --cpus $many --oversubscribe --size 1 -r 1 --warmup 0 --time-limit 0 -o many.json --force "$type"
		reason=$(sed -n 's/^      "reason": //p' many.json | head -n 1)
		case $status,$reason in
		1,*EAGAIN* | 1,*pids.max* | 1,*RLIMIT_NPROC* | 1,*ENOMEM* | 1,*OOM*)
			skip "$many workers of $type" "the machine forbids it: $reason"
			continue
			;;
		esac
		is "$many workers of $type" "$status" 0 || sed 's/^/# /' "$tmp/err"
		ok 'each has its entry in every column' every many.json "$columns_fit"
		ok 'and its page' every many.json '
			column("minflt", faults)
			for (i = 1; i <= workers; i++)
				if (faults[i] < 1)
					wrong("faults")'
		has 'they are in the table' "$tmp/out" "^$type +$many +[0-9]"
		exits 'the file is good' 0 report many.json
	done
done

#
# CPU time: a worker's own, not that of all threads of its process
#
if [ "$n_cpus" -lt 2 ]; then
	skip 'the CPU time of threads' 'a single CPU'
else
	exits 'two threads, and two processes' 0 \
		run -q -c 2 -s 60MB -r 3 -o time.json pthread pthread:zero:shared fork
	# CPU time is read next to the clock, by a system call at either end. Were it that of the
	# process, it would be twice as much.
	ok 'no more CPU time than CPUs x wall time, in any repeat' every time.json '
		column("wall_ns", wall)
		column("user_ns", user)
		column("sys_ns", sys)
		most = total = 0
		for (i = 1; i <= workers; i++) {
			total += user[i] + sys[i]
			if (wall[i] > most)
				most = wall[i]
			if (user[i] + sys[i] > 1.01 * wall[i] + 1e6)
				wrong("a worker")
		}
		if (total > workers * (1.01 * most + 1e6))
			wrong("all workers")'
	ok 'and there is some' every time.json '
		column("user_ns", user)
		column("sys_ns", sys)
		if (user[1] + sys[1] + user[2] + sys[2] <= 0)
			wrong("none")'
fi

tap_done
