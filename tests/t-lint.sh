#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# t-lint: the sources are formatted as .clang-format says, and shellcheck has nothing to say.

# shellcheck source=tests/tap.sh
. "${top_srcdir:-$(dirname -- "$0")/..}/tests/tap.sh"

cd "$top_srcdir" || exit 99

# Versions of clang-format differ in details: only this one is asked.
format_version=14

version=$(clang-format --version 2>/dev/null | sed -n 's/.*version \([0-9]*\).*/\1/p')
name='the C code is formatted (clang-format -i)'
if [ -z "$version" ]; then
	skip "$name" 'no clang-format here'
elif [ "$version" -ne $format_version ]; then
	skip "$name" "clang-format here is version $version, not $format_version"
else
	set -- src tests
	[ ! -d bench ] || set -- "$@" bench
	find "$@" -name '*.[ch]' -type f -exec \
		clang-format --style=file --dry-run -Werror {} + >"$tmp/format" 2>&1
	sed 's/^/# /' "$tmp/format" | head -n 40
	ok "$name" test ! -s "$tmp/format"
fi

name='the shell scripts are clean (shellcheck -x)'
if ! command -v shellcheck >/dev/null; then
	skip "$name" 'no shellcheck here'
else
	# Scripts by name, and what has no ending but starts as one.
	set --
	for file in scripts/* tests/*.sh bench/* vm/* .ci/run; do
		[ -f "$file" ] || continue
		case $file in
		*.sh) ;;
		*) head -n 1 "$file" | grep -Eq '^#!.*[/ ](ba|da)?sh' || continue ;;
		esac
		set -- "$@" "$file"
	done
	shellcheck -x -S info "$@" >"$tmp/shell" 2>&1
	sed 's/^/# /' "$tmp/shell" | head -n 80
	ok "$name" test ! -s "$tmp/shell"
fi

tap_done
