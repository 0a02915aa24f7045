#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# t-signals.sh: whatever signal strikes whichever process at whatever moment, the run is over soon,
# says so, leaves a result that can be read, and nothing else.
# shellcheck disable=SC2317 source=tests/lib.sh
. "${top_srcdir:-$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)}/tests/lib.sh"

types=
for model in fork pthread; do
	for object in '' :zero :shmem :tmpfs; do
		types="$types $model$object $model$object:shared"
	done
done

# A run without an end, in the background; $main is its process, $job the shell's name for it. A
# shell has its background processes ignore INT and QUIT; timeout(1) gives them back.
cat >"$tmp/endless" <<'END'
#!/bin/sh
ulimit -c 0
echo $$ >"$main_file"
exec "$exe" run -q -r 100000 -o "$result" "$@" >/dev/null 2>"$err_file"
END
chmod 755 "$tmp/endless"
main_file=$tmp/main
err_file=$tmp/err
export main_file err_file

under_way() {
	[ -s "$result" ]
}

begin() {
	rm -f "$result" "$main_file" "$err_file"
	timeout -s INT 60 "$tmp/endless" "$@" &
	job=$!
	soon under_way
	main=$(cat "$main_file")
}

gone() {
	! kill -0 "$1" 2>/dev/null
}

# end: wait for the run; its exit status goes into $status, "late" when it is not over after 2 s.
end() {
	if within 2 gone "$job"; then
		wait "$job"
		status=$?
	else
		kill -9 "$main" "$job"
		wait "$job"
		status=late
	fi
}

# A result that can be read, and says that it is not complete.
readable() {
	"$exe" report --format csv "$result" >"$tmp/report" 2>&1 &&
		grep -q '"complete": false' "$result"
}

clean() {
	soon no_process && { [ "$space" = none ] || soon no_segment; }
}

# The processes whose parent is $1.
children() {
	grep -l "^PPid:[[:space:]]*$1\$" /proc/[0-9]*/status 2>/dev/null |
		sed 's|/proc/\([0-9]*\)/status|\1|'
}

# Signals for main: the ones that it catches, one that it does not, and one that nobody can.
bad=
strike_main() {
	begin --cpus 2 --oversubscribe -s 400kB "$1"
	sleep "0.0$3"
	kill -"$2" "$main"
	end
	[ "$status" = "$4" ] || bad="$bad $2:$status"
	readable || bad="$bad $2:unreadable"
	clean || bad="$bad $2:left"
}
begin --cpus 1 fork
ignored=$(sed -n 's/^SigIgn:[[:space:]]*/0x/p' "/proc/$main/status")
kill "$main"
end
# HUP, INT, QUIT and TERM: bits 0, 1, 2 and 14.
[ $((ignored & 0x4007)) -eq 0 ] || skip_all "some of these signals are ignored here: $ignored"
moment=0
for type in $types; do
	bad=
	for signal in INT:130 TERM:143 HUP:129 QUIT:131 KILL:137; do
		strike_main "$type" "${signal%:*}" "$moment" "${signal#*:}"
		moment=$(((moment + 3) % 10))
	done
	is "$type: signals to the main process" "$bad" ""
done

# Often, while many threads make segments: one must not be ended by what another is told.
bad=
for n in 1 2 3 4 5 6 7 8 9 10 11 12; do
	begin --cpus 64 --oversubscribe -s 4kB pthread:shmem
	sleep "0.0$((n % 6))"
	kill -9 "$main"
	end
	clean || {
		bad="$bad $n:left"
		[ "$space" = none ] || ipcrm -a 2>/dev/null
	}
done
is "pthread:shmem: killed in the middle of making segments" "$bad" ""

# Death of the process that the team runs in, and of a worker. Which one it is changes with each
# repeat, so try until it was one.
strike_team() {
	team=$(children "$main" | head -n 1)
	victim=$team
	[ -z "$team" ] || [ "$1" = team ] || victim=$(children "$team" | tail -n 1)
	# Once it has failed, a child is none of the team: a leak checker has one.
	[ -z "$victim" ] || grep -q failed "$err_file" || kill -9 "$victim" 2>/dev/null
	gone "$job"
}
for type in $types; do
	for who in team worker; do
		want="the workers' process [0-9]+"
		case $type:$who in
		pthread*:worker) continue ;; # that is the team's process
		fork*:worker) want="worker [01] \(process [0-9]+\)" ;;
		esac
		begin --cpus 2 --oversubscribe -s 20MB "$type"
		soon strike_team "$who"
		end
		is "$type: death of the $who: exit status" "$status" 1
		has "$type: death of the $who: says who died" "$err_file" \
			"^pfscale run: $type with 2 workers failed: $want was killed by signal 9"
		is "$type: death of the $who: the point is recorded" "$(point "$type" 2)" failed
		ok "$type: death of the $who: nothing is left" clean
	done
done

# The others go on.
measure_struck() {
	rm -f "$result"
	"$exe" run -q -r 20 --seed 1 --cpus 1 -s 20MB -o "$result" fork pthread:tmpfs \
		>"$tmp/out" 2>"$tmp/err" &
	main=$!
	soon struck
	status=0
	wait "$main" || status=$?
}
struck() {
	team=$(children "$main" | head -n 1)
	[ -n "$team" ] && kill -9 "$team" 2>/dev/null
}
# A kill that comes when the team has done its work, and is about to end, changes nothing.
tries=0
while measure_struck && [ "$status" -eq 0 ] && [ $tries -lt 20 ]; do
	tries=$((tries + 1))
done
is "one death: exit status" "$status" 1
is "one death: the other point has its numbers" \
	"$({ point fork 1 && point pthread:tmpfs 1; } | sort | paste -s -d, -)" "failed,ok with numbers"

# What was ignored from the start stays ignored.
saved_anew() {
	[ "$(ls -i "$result")" != "$inode" ]
}
for signal in HUP INT; do
	(
		trap '' "$signal"
		exec timeout -s TERM 60 sh -c "trap '' $signal; exec \"\$0\" \"\$@\"" "$tmp/endless" \
			--cpus 1 -s 400kB fork
	) &
	job=$!
	rm -f "$result"
	soon under_way
	main=$(cat "$main_file")
	kill -"$signal" "$main"
	for n in 1 2 3; do
		inode=$(ls -i "$result")
		soon saved_anew
	done
	ok "$signal, ignored: the run goes on" kill -0 "$main"
	kill "$main"
	end
	is "$signal, ignored: TERM ends it" "$status" 143
done

# Stopped, then ended: what is stopped ends, too.
for who in main team; do
	for signal in INT:130 KILL:137; do
		begin --cpus 2 --oversubscribe -s 20MB fork:shmem
		team=
		found_team() {
			team=$(children "$main" | head -n 1)
			[ -n "$team" ]
		}
		soon found_team
		victim=$main
		[ $who = main ] || victim=$team
		kill -STOP "$victim" 2>/dev/null
		kill -"${signal%:*}" "$main"
		[ $who = team ] || kill -CONT "$main" 2>/dev/null
		end
		is "$who stopped, main told ${signal%:*}: exit status" "$status" "${signal#*:}"
		ok "$who stopped, main told ${signal%:*}: nothing is left" clean
	done
done

# As part of a larger party.
measure timeout --preserve-status -k 2 -s INT 0.3 "$exe" run -q -r 100000 -o "$result" -s 400kB
is "timeout(1): exit status" "$status" 130
ok "timeout(1): the result can be read" readable
if mkfifo "$tmp/fifo" 2>/dev/null; then
	"$exe" run -q -r 1 --cpus 1 -s 40kB -o "$tmp/fifo" fork >"$tmp/out" 2>"$tmp/err" &
	main=$!
	waits_for_reader() {
		grep -q wait_for_partner "/proc/$main/wchan"
	}
	# Told too early, it ends all the same.
	within 1 waits_for_reader 2>/dev/null
	kill -TERM "$main"
	job=$main
	end
	is "a pipe that nobody reads: TERM ends it" "$status" 143
fi
measure setsid -w "$run" --cpus 1 -s 400kB fork:shmem
is "setsid(1): exit status" "$status" 0
cat >"$tmp/party" <<'END'
sleep 60 &
echo $! >"$main_file"
exec "$run" --cpus 1,2 --oversubscribe -s 400kB fork pthread
END
measure sh "$tmp/party"
is "with a foreign child: exit status" "$status" 0
ok "with a foreign child: it is left alone" kill "$(cat "$main_file")"
rm -f "$result"
"$run" --cpus 1 -s 400kB fork <&- >&- 2>&-
is "without standard streams: the report cannot be written" "$?" 2
is "without standard streams: the result is whole" "$(point fork 1)" "ok with numbers"

# Killed again and again with files on a tmpfs: the next run finds it empty.
if a_tmpfs "$tmp/mnt" size=32m; then
	for n in 1 2 3 4 5 6 7 8; do
		begin --cpus 2 --oversubscribe -s 10MB --tmpfs-dir "$tmp/mnt" fork:tmpfs pthread:tmpfs:shared
		sleep "0.0$n"
		kill -9 "$main"
		end
	done
	ok "killed with files on a tmpfs: no process is left" soon no_process
	is "killed with files on a tmpfs: no file is left" "$(find "$tmp/mnt" -mindepth 1)" ""
	measure "$run" --cpus 2 --oversubscribe -s 15MB --tmpfs-dir "$tmp/mnt" fork:tmpfs
	works "killed with files on a tmpfs: there is room for the next run" fork:tmpfs 2
else
	skip "killed with files on a tmpfs" "no tmpfs can be mounted here: $no_space"
fi

nothing_left "in the end"
tap_done
