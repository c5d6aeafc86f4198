#!/usr/bin/env bash
# Usage: test/bench/run.sh [--rows N] [PAGE]
#
# Installs what is missing, builds and installs the extension, starts a private cluster, compares predictions with other ways
# to get them, and writes PAGE: doc/performance.md, unless another is given. All of it happens in a temporary directory that
# is removed at the end. The machine should have nothing else to do. --rows is the size of the inventory, 1,000,000 by
# default; fewer show in less time that everything works. PG_CONFIG chooses among several installed servers.
set -euo pipefail
exec </dev/null

REPO=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
PORT=54152
# shellcheck source=script/common.sh
. "$REPO/script/common.sh"

rows=1000000
if [ "${1:-}" = --rows ]; then
	rows=${2:-}
	[[ $rows =~ ^[1-9][0-9]{3,6}$ ]] || die "--rows needs a number from 1000 to 9999999"
	shift 2
fi
page=$(realpath -m "${1:-$REPO/doc/performance.md}")
[ -w "$(dirname "$page")" ] || die "cannot write to $(dirname "$page")"

WORK=
huge_pages=
finish() {
	trap - EXIT
	cd /
	[ -n "$WORK" ] || return 0
	[ ! -e "$WORK/data/postmaster.pid" ] || as_server "$BINDIR/pg_ctl" -D "$WORK/data" -m immediate -s stop || true
	as_server rm -rf "$WORK"
	rm -rf "$FIGURES"
	[ -z "$huge_pages" ] || as_root sysctl -q vm.nr_hugepages="$huge_pages" || true
}
trap finish EXIT
trap 'exit 130' INT TERM

# Debian's packages are for Debian's python, which need not be the first one found.
measure() { /usr/bin/python3 "$WORK/src/test/bench/measure.py" "$FIGURES" "$1"; }

restart_with() {
	printf '%s\n' "$@" | as_server tee -a "$WORK/data/postgresql.conf" >/dev/null
	stop_cluster "$WORK"
	start_cluster "$WORK" "$PORT"
}

install_missing libxgboost-dev python3-psycopg2 python3-xgboost python3-pandas
need_packages "postgresql-plpython3-$MAJOR"
forget_servers
export LC_ALL=C.UTF-8
FIGURES=$(mktemp -d)
WORK=$(as_server mktemp -d /tmp/wattgpu.XXXXXX)
build_and_install "$WORK/src"

# The server's user has built the objects; what is measured outside the server links the same ones.
cd "$WORK/src"
read -ra objects < <(sed -n 's/^PURE_OBJS = //p' Makefile)
cc -std=gnu99 -O2 -Wall -Wextra -Werror -iquote src test/bench/forest.c "${objects[@]}" -lxgboost -lm -o "$FIGURES/forest"

say "filling the cluster"
export PGHOST=$WORK PGPORT=$PORT PGUSER=postgres PGDATABASE=postgres
export PYTHONPATH=$WORK/src/test/bench PYTHONDONTWRITEBYTECODE=1	# for the PL/Python function, too
start_cluster "$WORK" "$PORT"
# Without huge pages, each new process pays for every page of the shared buffers that it touches: in some machines more than the predictions cost.
was=$(cat /proc/sys/vm/nr_hugepages)
if as_root sysctl -q vm.nr_hugepages=$((was + 1200)); then
	huge_pages=$was
fi
restart_with 'shared_buffers = 2GB' 'max_wal_size = 8GB' 'checkpoint_timeout = 1h' 'autovacuum = off' 'jit = off' \
	'max_parallel_workers_per_gather = 0'
"$BINDIR/psql" -X -q -v ON_ERROR_STOP=1 -v rows="$rows" -o /dev/null -f test/bench/setup.sql
measure all
restart_with "shared_preload_libraries = 'wattgpu'"
measure preloaded
/usr/bin/python3 test/bench/page.py "$FIGURES/figures.json" "$page"
say "wrote $page"
