#!/usr/bin/env bash
# Usage: test/all.sh
#
# Installs what is missing, builds and installs the extension, and runs every test: the C unit tests, the check of the
# catalogue, the scripts of pg_regress and the TAP tests, the last two against servers of their own. All of it happens in a
# temporary copy that is removed at the end. The last line is "N passed, N failed"; the status is 0 only if something ran and
# nothing failed. PG_CONFIG chooses among several installed servers.
set -euo pipefail
exec </dev/null

REPO=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
PORT=54151
# shellcheck source=script/common.sh
. "$REPO/script/common.sh"

WORK=
passed=0
failed=0

finish() {
	local status=$? pidfile

	trap - EXIT
	cd /
	if [ -n "$WORK" ]; then
		find "$WORK" -name postmaster.pid | while read -r pidfile; do
			as_server "$BINDIR/pg_ctl" -D "${pidfile%/*}" -m immediate -s stop || true
		done
		rm -rf "$WORK"
	fi
	[ "$status" -eq 0 ] || [ "$failed" -gt 0 ] || failed=1
	printf '%d passed, %d failed\n' "$passed" "$failed"
	[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ] || exit 1
	exit 0
}
trap finish EXIT
trap 'exit 130' INT TERM

# From a suite's output and its exit status, how many checks passed and failed: lines of TAP (several streams may follow each
# other), or "... ok" and "... FAILED" as pg_regress writes before version 16. One that stops early, prints less than it
# planned, or fails without saying where, has one failure at least; what it skips has neither passed nor failed.
count() {
	perl -ne '
		BEGIN { ($status, $least) = splice @ARGV, 0, 2; $passed = $failed = $seen = $planned = 0 }
		if (/^(not )?ok\b/) { $seen++; /#\s*skip/i or $1 && !/#\s*todo/i ? $failed++ : $passed++ }
		if (/^(?:test)?\s.* \.\.\. (\w+)/) { $seen++; $1 eq "ok" ? $passed++ : $failed++ }
		$planned += $1 if /^1\.\.(\d+)/;
		END {
			$planned = $least if $planned < $least;
			$failed += $planned - $seen if $planned > $seen;
			$failed ||= 1 if $status != 0;
			print "$passed $failed\n";
		}' "$@"
}

# Run a suite that should give so many results at least, and show what it printed if it fails.
suite() {
	local name=$1 least=$2 log=$WORK/log status=0 started=$SECONDS ok bad

	shift 2
	"$@" >"$log" 2>&1 || status=$?
	read -r ok bad < <(count "$status" "$least" "$log")
	[ "$bad" -eq 0 ] || cat "$log"
	printf '%-24s %5d passed, %d failed, %d s\n' "$name" "$ok" "$bad" $((SECONDS - started))
	passed=$((passed + ok))
	failed=$((failed + bad))
}

check_catalogue() {
	if as_server perl data/check.pl; then
		echo 'ok - the catalogue'
	else
		echo 'not ok - the catalogue'
	fi
}

run_regress() {
	local status=0

	as_server mkdir -p -m 700 "$WORK/regress"
	start_cluster "$WORK/regress" "$PORT"
	as_server env PGHOST="$WORK/regress" PGPORT="$PORT" PGUSER=postgres \
		timeout 600 make -s installcheck TAP_TESTS= PG_CONFIG="$PG_CONFIG" || status=$?
	[ ! -s regression.diffs ] || cat regression.diffs
	stop_cluster "$WORK/regress"
	return "$status"
}

# What PGXS's prove_installcheck sets up; sockets go to TMPDIR, whose path is short.
run_tap() {
	local pgxs log status=0

	pgxs=$(dirname "$("$PG_CONFIG" --pgxs)")/../..
	as_server mkdir -p tmp_check/log
	as_server env PATH="$BINDIR:$PATH" TMPDIR="$WORK" PG_REGRESS="$pgxs/src/test/regress/pg_regress" \
		TESTDIR="$PWD" TESTDATADIR="$PWD/tmp_check" TESTLOGDIR="$PWD/tmp_check/log" \
		timeout 600 perl -I "$pgxs/src/test/perl" -I "$PWD/test/t" "$1" || status=$?
	for log in tmp_check/log/"$(basename "$1" .pl)"*.log; do
		grep -EHs 'terminated by signal|PANIC|TRAP:' "$log" || true
	done
	return "$status"
}

install_missing libipc-run-perl
forget_servers
export LC_ALL=C.UTF-8
WORK=$(as_server mktemp -d /tmp/wattgpu.XXXXXX)
build_and_install "$WORK/src"
cd "$WORK/src"

say "testing"
scripts=(test/sql/*.sql)
suite "unit" 1 as_server make -s unit PG_CONFIG="$PG_CONFIG"
suite "catalogue" 1 check_catalogue
suite "regress" ${#scripts[@]} run_regress
for file in test/t/*.pl; do
	suite "${file#test/}" 1 run_tap "$file"
done
