#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# t-build: what configure says where something is missing, and builds that are unlike the usual one.

# shellcheck source=tests/tap.sh
. "${top_srcdir:-$(dirname -- "$0")/..}/tests/tap.sh"

# What the surrounding make and pkg-config are told is not meant for the builds here.
unset MAKEFLAGS MFLAGS MAKELEVEL PKG_CONFIG_PATH PKG_CONFIG_LIBDIR CONFIG_SITE ACLOCAL_PATH

# A copy of all that is distributed: to be changed, and apart from what was built in the tree. Its
# name has a blank in it.
tree="$tmp/the tree"
mkdir "$tree" || exit 99
make -s -C "$top_builddir" print-distfiles | sort -u >"$tmp/files"
(cd "$top_srcdir" && tar cf - -T "$tmp/files") >"$tmp/tree.tar"
ok 'every file of the distribution is there' test $? -eq 0
(cd "$tree" && tar xf "$tmp/tree.tar" && chmod -R u+w .) || exit 99

# configure_in DIR [ARGUMENT…]: run configure in a new folder of the copy; its output goes to
# $tmp/out. By a relative name, which may then stand below folders with blanks in their names.
configure_in() {
	mkdir "$tree/$1" && cd "$tree/$1" || exit 99
	shift
	../configure "$@" >"$tmp/out" 2>&1
	configured=$?
	cd "$tmp" || exit 99
}

#
# Missing libraries
#
mkdir "$tmp/none" "$tmp/hide"
echo '#error hidden' >"$tmp/hide/numa.h"
configure_in all-missing CC="$CC" CPPFLAGS="-I$tmp/hide" PKG_CONFIG_LIBDIR="$tmp/none"
ok 'configure stops where libraries are missing' test $configured -ne 0
has 'and names them together' "$tmp/out" 'missing: numa, hwloc >= 2.0, jansson >= 2.10, gsl '
has 'and the packages of Debian' "$tmp/out" \
	'Debian.*: *libnuma-dev libhwloc-dev libjansson-dev libgsl-dev$'
has '… of Fedora' "$tmp/out" 'Fedora: *numactl-devel hwloc-devel jansson-devel gsl-devel$'
has '… of openSUSE' "$tmp/out" \
	'openSUSE: *libnuma-devel hwloc-devel libjansson-devel gsl-devel$'
is 'in one message' "$(grep -c 'error:' "$tmp/out")" 1

configure_in one-missing CC="$CC" CPPFLAGS="-I$tmp/hide"
ok 'configure stops where numa.h alone is missing' test $configured -ne 0
has 'and names only that' "$tmp/out" 'missing: numa \('
has 'and one package' "$tmp/out" 'Debian.*: *libnuma-dev$'

#
# zlib: not wanted, as told, and told wrongly
#
configure_in no-zlib CC="$CC" --without-zlib ZLIB_CFLAGS=-DTOLD ZLIB_LIBS=-lm
is 'configure goes through without zlib' $configured 0
has 'and says so' "$tmp/out" 'zlib +no \(not wanted\)'
has 'and links with nothing for it' "$tree/no-zlib/Makefile" '^ZLIB_LIBS = *$'
has '… and has no flags for it' "$tree/no-zlib/Makefile" '^ZLIB_CFLAGS = *$'
printf '#include <zlib.h>\nint main(void) { return !zlibVersion(); }\n' >"$tmp/zlib.c"
# shellcheck disable=SC2086 # CC may have arguments
if $CC "$tmp/zlib.c" -o "$tmp/zlib" -lz >/dev/null 2>&1; then
	configure_in zlib-told CC="$CC" --with-zlib ZLIB_CFLAGS=-DTOLD 'ZLIB_LIBS=-lz -lm'
	is 'configure goes through with a zlib that it is told of' $configured 0
	has 'and links with that' "$tree/zlib-told/Makefile" '^ZLIB_LIBS = -lz -lm$'
	has 'and has its flags' "$tree/zlib-told/Makefile" '^ZLIB_CFLAGS = -DTOLD$'
	has 'and uses it' "$tree/zlib-told/config.h" '^#define HAVE_ZLIB 1'
else
	skip 'configure takes a zlib that it is told of' 'zlib is not here'
fi
configure_in zlib-wrong CC="$CC" ZLIB_CFLAGS=-DTOLD ZLIB_LIBS=-lpfscale-has-no-such-library
is 'configure goes through without the zlib that it is told of' $configured 0
has 'and links with nothing for it' "$tree/zlib-wrong/Makefile" '^ZLIB_LIBS = *$'
hasnt 'and does not use it' "$tree/zlib-wrong/config.h" '^#define HAVE_ZLIB'

#
# Bootstrap
#
if aclocal_dir=$(aclocal --print-ac-dir 2>/dev/null) && [ -f "$aclocal_dir/pkg.m4" ] &&
	command -v autoreconf >/dev/null; then
	mkdir "$tmp/aclocal"
	ln -s "$aclocal_dir"/*.m4 "$tmp/aclocal"
	rm "$tmp/aclocal/pkg.m4"
	cp -R "$tree" "$tmp/bootstrap"
	cd "$tmp/bootstrap" && rm -rf configure aclocal.m4 ./*-missing || exit 99
	ACLOCAL="aclocal --system-acdir=$tmp/aclocal" autoreconf >"$tmp/out" 2>&1
	ok 'autoreconf stops without pkg.m4' test $? -ne 0
	has 'and says so' "$tmp/out" 'pkg.m4 is missing: install pkg-config'
	ok 'and leaves no configure behind' test ! -e configure
	cd "$tmp" || exit 99
else
	skip 'autoreconf stops without pkg.m4' 'autoconf, automake or pkg.m4 is not here'
fi

#
# A cross build. The compiler is this machine's under another name; configure believes in it, and
# so must not run what it built.
#
mkdir "$tmp/bin"
printf '#!/bin/sh\nexec %s "$@"\n' "$CC" >"$tmp/bin/aarch64-linux-gnu-gcc"
chmod +x "$tmp/bin/aarch64-linux-gnu-gcc"
PATH="$tmp/bin:$PATH" configure_in cross --build=x86_64-linux-gnu --host=aarch64-linux-gnu CC=
is 'configure goes through for another machine' $configured 0
has 'with the cross compiler' "$tree/cross/config.log" "^CC='aarch64-linux-gnu-gcc"
has 'as a cross build' "$tmp/out" 'we are cross compiling\.\.\. yes'
hasnt 'and replaces no function (rpl_malloc)' "$tree/cross/config.h" 'rpl_'

#
# Link-time optimisation and --as-needed; what they leave works, and can be installed
#
echo 'int main(void) { return 0; }' >"$tmp/empty.c"
# shellcheck disable=SC2086 # CC may have arguments
if ! $CC -O3 -flto -Wl,--as-needed "$tmp/empty.c" -o "$tmp/empty" >/dev/null 2>&1; then
	skip 'it builds with -O3 -flto -Wl,--as-needed' "$CC cannot do that here"
	tap_done
fi
configure_in lto --disable-dependency-tracking --enable-werror CC="$CC" CFLAGS='-O3 -flto' \
	LDFLAGS=-Wl,--as-needed --prefix=/usr
is 'configure takes -O3 -flto -Wl,--as-needed' $configured 0
make -s -C "$tree/lto" -j2 all >"$tmp/out" 2>&1
ok 'it builds with them, without warnings' test $? -eq 0 || sed 's/^/# /' "$tmp/out"

# The stores of the touch loop are still there: one fault a page, of 1 MiB in pages.
pages=$((1048576 / $(getconf PAGESIZE)))
"$tree/lto/pfscale" run fork:zero --cpus 1 --size 1MiB --repeats 1 --warmup 0 --time-limit 0 -q \
	-o "$tmp/lto.json" --format csv >"$tmp/out"
is 'and runs' $? 0
faults=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "faults") column = i }
	NR == 2 { print $column }' "$tmp/out")
ok "and touches each page ($faults faults, $pages pages)" \
	test "${faults:-0}" -ge "$pages" -a "${faults:-0}" -le $((pages + 4))

make -s -C "$tree/lto" install DESTDIR="$tmp/dest" >"$tmp/out" 2>&1
is 'make install works with DESTDIR' $? 0
for file in bin/pfscale share/man/man1/pfscale.1 share/doc/pfscale/README.md \
	share/doc/pfscale/NEWS share/doc/pfscale/HACKING.md share/doc/pfscale/results/README.md; do
	ok "and puts $file there" test -s "$tmp/dest/usr/$file"
done
tap_done
