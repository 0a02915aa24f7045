# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2034
# guest.sh: run a script in a virtual machine of another shape than this one: CPUs, NUMA nodes,
# memory, kernel. Source it instead of tap.sh. It needs no rights and leaves nothing.
#
#	guest_ready || skip_all "$no_guest"
#	guest_program "$PFSCALE"
#	guest_boot -c 4 -n 0-1:512 -n 2-3:256 -n :256 <<-'END' || ...
#		pfscale run -o r.json
#	END
#	cat "$guest/r.json"
#
# QEMU emulates the CPUs (TCG), so that a guest also runs inside another one. Times that are
# measured there mean nothing.

# shellcheck source=tests/tap.sh
. "${top_srcdir:-$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)}/tests/tap.sh"

guest_root=$tmp/guest-root
guest_count=0
guest_pid=
guest_emulator=qemu-system-x86_64
guest_mark='guest: the script begins'

trap 'guest_stop; rm -rf "$tmp"' EXIT

# TERM goes to timeout(1), which hands it on to QEMU, and kills where that is of no use.
guest_stop() {
	[ -n "$guest_pid" ] || return
	kill "$guest_pid" 2>/dev/null
	wait "$guest_pid" 2>/dev/null
	guest_pid=
}

# guest_ready: whether guests can be run here; else $no_guest says why not. $guest_kernel is the
# kernel image: $PFSCALE_GUEST_KERNEL (an absolute path), the one that scripts/check fetched, or one
# of this machine's. $guest_found is "yes" for the last, which nobody chose for guests.
guest_ready() {
	guest_found=no
	no_guest=
	case $(uname -m) in
	x86_64) ;;
	*)
		no_guest="guests are for x86_64 only, this is $(uname -m)"
		return 1
		;;
	esac
	for guest_tool in $guest_emulator busybox timeout ldd gzip tar; do
		command -v "$guest_tool" >/dev/null 2>&1 || no_guest="$no_guest $guest_tool"
	done
	if [ -n "$no_guest" ]; then
		no_guest="not installed:$no_guest"
		return 1
	fi
	if [ -n "${PFSCALE_GUEST_KERNEL-}" ]; then
		guest_kernel=$PFSCALE_GUEST_KERNEL
		[ -r "$guest_kernel" ] && return
		no_guest="cannot read PFSCALE_GUEST_KERNEL, $guest_kernel"
		return 1
	fi
	for guest_kernel in "$top_builddir/guest/vmlinuz" "$top_srcdir/build/guest/vmlinuz"; do
		[ -r "$guest_kernel" ] && return
	done
	guest_found=yes
	for guest_kernel in "/boot/vmlinuz-$(uname -r)" /boot/vmlinuz-*; do
		[ -f "$guest_kernel" ] && [ -r "$guest_kernel" ] && return
	done
	no_guest="no kernel image: none in $top_builddir/guest, where scripts/check puts one, or /boot"
	return 1
}

# guest_program FILE [NAME]: have guests find it in their PATH, by that name; with the shared
# libraries that it asks for. (A place of its own: no applet of busybox can take it.)
guest_program() {
	guest_copy "$1" "/guest/bin/${2:-$(basename "$1")}"
}

# guest_copy FILE PLACE
guest_copy() {
	mkdir -p "$guest_root$(dirname "$2")" && cp -L "$1" "$guest_root$2" || return
	# NAME => PATH (ADDRESS), or PATH (ADDRESS) for the loader; nothing for what is static.
	ldd "$1" 2>/dev/null | sed -n 's/^\(.* =>\)\{0,1\}[[:space:]]*\(\/.*\) (0x[0-9a-f]*)$/\2/p' |
		while IFS= read -r guest_library; do
			[ ! -e "$guest_root$guest_library" ] || continue
			mkdir -p "$guest_root$(dirname "$guest_library")" &&
				cp -L "$guest_library" "$guest_root$guest_library" || return
		done
}

# What a guest does: run the script in a directory of its own, and send all of that back.
guest_write_init() {
	cat >"$guest_root/init" <<-END && chmod 755 "$guest_root/init"
		#!/bin/busybox sh
		/bin/busybox mkdir -p /proc /sys /dev /tmp
		/bin/busybox --install -s /bin
		export PATH=/guest/bin:/bin HOME=/tmp
		mount -t proc proc /proc
		mount -t sysfs sysfs /sys
		mount -t devtmpfs devtmpfs /dev
		mount -t tmpfs tmpfs /tmp
		mkdir /dev/shm /tmp/work
		mount -t tmpfs tmpfs /dev/shm
		hostname guest
		cd /tmp/work
		echo '$guest_mark'
		sh /guest/script </dev/null >out 2>err
		echo \$? >status
		stty -F /dev/ttyS1 raw
		tar -cf - . | gzip >/dev/ttyS1
		poweroff -f
	END
}

# guest_boot [OPTION]... <SCRIPT: boot a guest, run the script there (by busybox's sh, as root, in
# an empty directory), and bring back what it left in that directory: $guest is the directory here
# that has it, with "status" (the script's exit status), "out" and "err" besides. Succeeds when all
# of it has come; else $guest_error says why not, and the end of the console is shown. A kernel that
# nobody chose for guests may lack what they need: if it does not get as far as the script, the
# whole test is skipped.
#
#   -c CPUS      how many (1), in whatever way QEMU's -smp takes: 4,sockets=2
#   -m MIB       memory of a guest without NUMA nodes (512)
#   -n CPUS:MIB  a NUMA node, the first of them being node 0: its CPUs ("0-1"; none: "") and its
#                memory (none: 0)
#   -a WORDS     more words for the kernel's command line
#   -t SECONDS   kill it after that time (240)
guest_boot() {
	guest_cpus=1
	guest_memory=512
	guest_nodes=
	guest_words=
	guest_seconds=240
	guest_node=0
	OPTIND=1
	while getopts c:m:n:a:t: guest_option; do
		case $guest_option in
		c) guest_cpus=$OPTARG ;;
		m) guest_memory=$OPTARG ;;
		n) guest_add_node "${OPTARG%:*}" "${OPTARG#*:}" ;;
		a) guest_words=$OPTARG ;;
		t) guest_seconds=$OPTARG ;;
		*) exit 99 ;;
		esac
	done
	guest_count=$((guest_count + 1))
	guest=$tmp/guest$guest_count
	guest_run=$guest.run
	mkdir "$guest" "$guest_run" || exit 99
	if guest_pack && guest_qemu && guest_receive; then
		guest_error=
	else
		guest_explain
	fi
	rm -rf "$guest_run"
	[ -z "$guest_error" ]
}

# guest_add_node CPUS MIB: as words for QEMU.
guest_add_node() {
	[ "$guest_node" -gt 0 ] || guest_memory=0
	guest_memory=$((guest_memory + $2))
	guest_part="node,nodeid=$guest_node"
	[ -z "$1" ] || guest_part="$guest_part,cpus=$1"
	if [ "$2" -gt 0 ]; then
		guest_part="$guest_part,memdev=m$guest_node"
		guest_nodes="$guest_nodes -object memory-backend-ram,id=m$guest_node,size=$2M"
	fi
	guest_nodes="$guest_nodes -numa $guest_part"
	guest_node=$((guest_node + 1))
}

# Make the initramfs, with the script from stdin.
guest_pack() {
	guest_error='no initramfs could be made'
	guest_copy "$(command -v busybox)" /bin/busybox && guest_write_init &&
		mkdir -p "$guest_root/guest" && cat >"$guest_root/guest/script" &&
		(cd "$guest_root" && find . | busybox cpio -o -H newc) \
			>"$guest_run/initramfs" 2>"$guest_run/log"
}

# Run QEMU to its end. It stands in a directory of its own: no file there has a comma in its name,
# which QEMU's options could not bear. It ends with this shell, even if that is killed outright.
guest_qemu() {
	guest_bind=
	! setpriv --pdeathsig TERM true 2>/dev/null || guest_bind='setpriv --pdeathsig TERM'
	(
		cd "$guest_run" || exit 99
		# shellcheck disable=SC2086 # lists of words
		exec $guest_bind timeout -k 5 "$guest_seconds" $guest_emulator \
			-nodefaults -no-user-config -no-reboot -display none \
			-machine q35 -accel tcg -cpu max -smp "$guest_cpus" \
			-m "${guest_memory}M" $guest_nodes \
			-kernel "$guest_kernel" -initrd initramfs \
			-append "console=ttyS0 quiet panic=-1 mitigations=off $guest_words" \
			-serial file:console -serial file:answer
	) </dev/null >"$guest_run/log" 2>&1 &
	guest_pid=$!
	wait "$guest_pid"
	guest_status=$?
	guest_pid=
	case $guest_status in
	0) guest_error='nothing whole came back' ;;
	124 | 137) guest_error="it was not over after $guest_seconds s" ;;
	*) guest_error="$guest_emulator failed: exit status $guest_status" ;;
	esac
	return "$guest_status"
}

# Unpack what the guest sent.
guest_receive() {
	(gzip -dc "$guest_run/answer" | tar -xf - -C "$guest") 2>"$guest_run/log" &&
		[ -f "$guest/status" ]
}

# Say why there is no answer.
guest_explain() {
	touch "$guest_run/console"
	if grep -q "$guest_mark" "$guest_run/console"; then
		guest_error="$guest_error, after the script had begun"
	else
		guest_error="$guest_error, before the script began"
		[ "$guest_found" = no ] || skip_all "guest with $guest_kernel: $guest_error"
	fi
	echo "# guest with $guest_kernel: $guest_error"
	tail -n 5 "$guest_run/log" | sed 's/^/# /'
	tr -d '\r' <"$guest_run/console" | tail -n 60 | sed 's/^/# console: /'
}
