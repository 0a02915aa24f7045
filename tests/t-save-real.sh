#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# t-save-real.sh: a full disk, a killed writer and a closed pipe, by way of the tool in t-save.
. "${top_srcdir:-$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)}/tests/tap.sh"

save=$top_builddir/tests/t-save
[ -x "$save" ] || skip_all "tests/t-save is not built"

# A mount of our own, gone with the shell that made it.
full_disk() {
	cat >"$tmp/full" <<-'END'
		mount -t tmpfs -o size=16k,nr_inodes=20 pfscale-test "$1" 2>/dev/null || exit 77
		"$2" "$1/r.json" 10 || exit 1
		cp "$1/r.json" "$3/before"
		"$2" "$1/r.json" 1000 2>"$3/message"
		echo $? >"$3/status"
		cp "$1/r.json" "$3/after"
		ls -A "$1" >"$3/files"
		"$2" "$1/r.json" 11 || exit 1
		cp "$1/r.json" "$3/again"
	END
	mkdir "$tmp/disk"
	for flags in -m -rm; do
		unshare $flags sh "$tmp/full" "$tmp/disk" "$save" "$tmp" 2>/dev/null
		status=$?
		[ -s "$tmp/before" ] && break
	done
	return "$status"
}

if full_disk; then
	is "a full disk: exit status" "$(cat "$tmp/status")" 2
	has "a full disk: the call, the error and the file" "$tmp/message" \
		'^write: ENOSPC \(No space left on device\): .*/disk/r\.json'
	has "a full disk: the room that there is" "$tmp/message" 'free space there is [0-9]+ bytes'
	ok "a full disk: the file from before is whole" cmp "$tmp/before" "$tmp/after"
	is "a full disk: nothing else is left on it" "$(cat "$tmp/files")" r.json
	has "a full disk: what fits is saved afterwards" "$tmp/again" 'warning number 10 of'
elif [ -s "$tmp/before" ]; then
	ok "a full disk: the shell ran to its end" false
else
	skip "a full disk" "no tmpfs can be mounted here (unshare, mount)"
fi

# Killed at any moment, a writer leaves a whole file and, without a name, nothing else.
mkdir "$tmp/killed"
"$save" "$tmp/killed/r.json" 1
bad=0
for i in 1 2 3 4 5 6 7 8 9 10; do
	"$save" "$tmp/killed/r.json" 20000 &
	pid=$!
	n=0
	while [ $n -lt $((i * 150)) ]; do n=$((n + 1)); done
	kill -9 $pid 2>/dev/null
	wait $pid 2>/dev/null
	tail -n 1 "$tmp/killed/r.json" | grep -q '^}$' || bad=$((bad + 1))
done
is "killed at any moment: the file is always whole" "$bad" 0

# An error in the middle of writing.
(
	trap '' XFSZ
	ulimit -f 8
	"$save" "$tmp/limited.json" 10000
) 2>"$tmp/message"
has "a file size limit: reported" "$tmp/message" '^write: EFBIG .*limited\.json; RLIMIT_FSIZE is [0-9]+ bytes$'
ok "a file size limit: nothing is left" test ! -e "$tmp/limited.json"

# More than a pipe holds, so that the reader's end is always noticed.
(
	trap '' PIPE
	{
		"$save" - 10000 2>"$tmp/message"
		echo $? >"$tmp/status"
	} | :
)
is "a closed pipe: exit status" "$(cat "$tmp/status")" 2
has "a closed pipe: reported" "$tmp/message" '^write: EPIPE \(Broken pipe\): standard output$'

"$save" - 2 >"$tmp/piped" && cat "$tmp/piped" >"$tmp/copy"
has "standard output: a result" "$tmp/copy" '^  "format": "pfscale",$'
if command -v python3 >/dev/null 2>&1; then
	ok "the text is JSON to others" python3 -m json.tool "$tmp/piped" /dev/null
else
	skip "the text is JSON to others" "no python3 here"
fi

tap_done
