# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# setup.sh: what quickstart and check share: installing, configuring, building. Source it. It sets
# $top, the tree's folder, talks on stderr, and leaves the working directory as it is.

unset CDPATH
top=$(cd -- "$(dirname -- "$0")/.." && pwd) || exit 2
setup_name=${0##*/}
setup_log=$top/build/setup.log

# The one list of what is needed, and of the packages that bring it ("-": none does). What is there
# already, by the test in the second column, is left alone:
#   cmd:NAME  a program         h:NAME     a header that the compiler finds
#   pc:NAME   for pkg-config    file:PATH  a file
#   cc:FLAG   the compiler links with this flag
# Group "build" is for building and running, group "test" for `make check`; "test-x86_64" is for those
# of its tests that boot a virtual machine, which only x86_64 and only the kernels of Debian can.
setup_table='
# group thing       apt            dnf                zypper             apk           pacman
build cmd:cc         gcc            gcc                gcc                gcc           gcc
build h:stdio.h      libc6-dev      glibc-devel        glibc-devel        musl-dev      glibc
build h:linux/mman.h linux-libc-dev kernel-headers     linux-glibc-devel  linux-headers linux-api-headers
build cmd:make       make           make               make               make          make
build cmd:autoconf   autoconf       autoconf           autoconf           autoconf      autoconf
build cmd:automake   automake       automake           automake           automake      automake
build cmd:pkg-config pkg-config     pkgconf-pkg-config pkgconf-pkg-config pkgconf       pkgconf
build h:numa.h       libnuma-dev    numactl-devel      libnuma-devel      numactl-dev   numactl
build pc:hwloc       libhwloc-dev   hwloc-devel        hwloc-devel        hwloc-dev     hwloc
build pc:jansson     libjansson-dev jansson-devel      libjansson-devel   jansson-dev   jansson
build pc:gsl         libgsl-dev     gsl-devel          gsl-devel          gsl-dev       gsl
build h:zlib.h       zlib1g-dev     zlib-devel         zlib-devel         zlib-dev      zlib
build cmd:awk        mawk           gawk               gawk               gawk          gawk
build cmd:cmp        diffutils      diffutils          diffutils          diffutils     diffutils
build cmd:find       findutils      findutils          findutils          findutils     findutils
test cmd:tar         tar            tar                tar                tar           tar
test cmd:gzip        gzip           gzip               gzip               gzip          gzip
test cmd:ps          procps         procps-ng          procps             procps        procps-ng
test cmd:mount       mount          util-linux         util-linux         util-linux    util-linux
test cmd:unshare     util-linux     util-linux         util-linux         util-linux    util-linux
test cmd:ipcs        util-linux     util-linux         util-linux         util-linux    util-linux
test cmd:python3     python3        python3            python3            python3       python
test cmd:shellcheck  shellcheck     ShellCheck         ShellCheck         shellcheck    shellcheck
test cmd:clang-format clang-format  clang-tools-extra  clang              clang-extra-tools clang
test cmd:localedef   libc-bin       glibc-common       glibc-i18ndata     -             glibc
test file:/usr/share/i18n/locales/de_DE locales glibc-locale-source glibc-i18ndata - glibc
test cc:-m32        gcc-multilib   glibc-devel.i686,libgcc.i686 gcc-32bit      -             lib32-gcc-libs
test cc:-fsanitize=address,undefined -  libasan,libubsan   -                  -             -
test-x86_64 cmd:qemu-system-x86_64 qemu-system-x86 -       -                  -             -
test-x86_64 cmd:busybox busybox-static  -                  -                  -             -
'

say() {
	echo "$setup_name: $*" >&2
}

# setup_has THING: whether a thing of the table is there.
setup_has() {
	case $1 in
	cmd:*) command -v "${1#*:}" ;;
	h:*) echo "#include <${1#*:}>" | ${CC:-cc} -E - ;;
	pc:*) pkg-config --exists "${1#*:}" ;;
	cc:*) echo 'int main(void) { return 0; }' | ${CC:-cc} "${1#*:}" -x c - -o /dev/null ;;
	file:*) [ -e "${1#*:}" ] || [ -e "${1#*:}.gz" ] ;;
	esac >/dev/null 2>&1
}

# Name the system's package manager in $manager; empty where it is none of the table's.
setup_find_manager() {
	for manager in apt-get dnf zypper apk pacman; do
		command -v $manager >/dev/null 2>&1 && return
	done
	manager=
}

# setup_find_missing GROUP: put what is missing into $things, and the packages that bring it, each
# once, into $packages.
setup_find_missing() {
	things=
	packages=
	while read -r group thing apt dnf zypper apk pacman; do
		[ "$group" = "$1" ] || continue
		setup_has "$thing" && continue
		case $manager in
		apt-get) package=$apt ;;
		dnf) package=$dnf ;;
		zypper) package=$zypper ;;
		apk) package=$apk ;;
		pacman) package=$pacman ;;
		*) package= ;;
		esac
		[ "$package" = - ] && continue
		things="$things ${thing#*:}"
		case " $packages " in
		*" $package "*) ;;
		*) packages="$packages $package" ;;
		esac
	done <<-END
		$setup_table
	END
	packages=$(echo "$packages" | tr ',' ' ')
}

# setup_as_root COMMAND…: run it as root, without ever asking for a password.
setup_as_root() {
	if [ "$(id -u)" -eq 0 ]; then
		"$@"
	else
		sudo -n "$@"
	fi </dev/null >>"$setup_log" 2>&1
}

# setup_install PACKAGE…: quietly, without questions; the details go to the log.
setup_install() {
	case $manager in
	apt-get)
		setup_as_root env DEBIAN_FRONTEND=noninteractive apt-get \
			-o DPkg::Lock::Timeout=120 install -y --no-install-recommends "$@"
		;;
	dnf) setup_as_root dnf install -y --setopt=install_weak_deps=False "$@" ;;
	zypper) setup_as_root zypper --non-interactive install --no-recommends "$@" ;;
	apk) setup_as_root apk add --no-cache "$@" ;;
	pacman)
		setup_as_root pacman -S --noconfirm --needed "$@" ||
			setup_as_root pacman -Sy --noconfirm --needed "$@"
		;;
	esac
}

# setup_packages yes|no GROUP…: install what is missing of the groups; with "no", only name it.
# What cannot be installed is no error here: the build says what it cannot do without, and tests
# skip.
setup_packages() {
	setup_may_install=$1
	shift
	setup_find_manager
	all_things=
	all_packages=
	for wanted; do
		setup_find_missing "$wanted"
		all_things="$all_things$things"
		all_packages="$all_packages$packages"
	done
	[ -n "$all_things" ] || return 0
	say "missing:$all_things"
	if [ "$setup_may_install" = no ]; then
		say "not installing anything (--no-install)"
	elif [ -z "$manager" ]; then
		say "no package manager that is known here: please install these yourself"
	elif [ "$(id -u)" -ne 0 ] && ! sudo -n true >/dev/null 2>&1; then
		say "not root, and sudo cannot be used without a password; please install:$all_packages"
	else
		setup_install_all "$@"
	fi
}

# setup_install_all GROUP…: all in one go; where that fails, package by package, so that one which
# this system does not have is not in the way of the others.
setup_install_all() {
	mkdir -p "$top/build"
	[ "$manager" != apt-get ] || setup_as_root apt-get update ||
		say "the list of packages could not be renewed; going on with the old one"
	say "installing with $manager:$all_packages"
	# shellcheck disable=SC2086 # a list of words
	setup_install $all_packages && return
	for package in $all_packages; do
		setup_install "$package" || say "could not be installed: $package"
	done
	say "the log is $setup_log"
}

# setup_guest_kernel: fetch a kernel for virtual machines of tests (tests/guest.sh), if there is none
# yet: the small one that Debian makes for clouds. Its package is unpacked, never installed. Where
# that cannot be done, those tests skip.
setup_guest_kernel() (
	dir=$top/build/guest
	if [ "$(uname -m)" != x86_64 ] || [ -e "$dir/vmlinuz" ]; then
		return 0
	fi
	# Derivatives have no such package.
	grep -qx 'ID=debian' /etc/os-release 2>/dev/null || return 0
	for thing in cmd:apt-get cmd:dpkg-deb cmd:tar cmd:qemu-system-x86_64; do
		setup_has $thing || return 0
	done
	say "fetching a kernel for tests in virtual machines"
	rm -rf "$dir.new"
	if ! mkdir -p "$dir" "$dir.new" || ! cd -- "$dir.new"; then
		return 0
	fi
	# No lists at all, as in a fresh container, or lists so old that the package is gone.
	setup_fetch_kernel "$dir/vmlinuz" || {
		setup_as_root apt-get -o Acquire::Retries=0 -o Acquire::http::Timeout=10 update &&
			setup_fetch_kernel "$dir/vmlinuz"
	} || say "could not be fetched, so some tests will be skipped; the log is $setup_log"
	rm -rf "$dir.new"
)

# setup_fetch_kernel FILE: get the package into the working directory, and its kernel into FILE.
setup_fetch_kernel() {
	package=$(LC_ALL=C apt-cache depends linux-image-cloud-amd64 2>>"$setup_log" |
		sed -n 's/^ *Depends: \(linux-image-[^ ]*\)$/\1/p')
	kernel=./boot/vmlinuz-${package#linux-image-}
	[ -n "$package" ] &&
		apt-get -o Acquire::Retries=0 download "$package" </dev/null >>"$setup_log" 2>&1 &&
		dpkg-deb --fsys-tarfile "$package"_*.deb 2>>"$setup_log" |
		tar -xf - "$kernel" 2>>"$setup_log" &&
		mv -- "$kernel" "$1"
}

setup_jobs() {
	nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1
}

# setup_configure DIR [ARGUMENT…]: make $top/DIR ready for make, unless it is. A tree that was moved
# or copied is configured anew, since its makefile holds the old place. Returns configure's status.
setup_configure() (
	dir=$1
	shift
	mkdir -p "$top/build" "$top/$dir" && cd -- "$top" || return
	if ! [ -f configure ] || ! [ -f Makefile.in ] || ! [ -f config.h.in ]; then
		say "making configure"
		autoreconf -i >build/autoreconf.log 2>&1 || {
			cat build/autoreconf.log >&2
			return 1
		}
	fi
	cd -- "$dir" || return
	if ! [ -f config.status ] || ! grep -qsFx "abs_top_builddir = $top/$dir" Makefile; then
		say "configuring $dir/"
		# By a relative name: that way a folder above may have a blank in its name.
		../configure -q "$@" || return
	fi
)

# setup_build DIR [ARGUMENT…]: configure $top/DIR and make all.
setup_build() {
	setup_configure "$@" || return
	say "building $1/"
	make -s -C "$top/$1" -j "$(setup_jobs)" all >/dev/null
}
