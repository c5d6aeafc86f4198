#!/usr/bin/env bash
# Usage: ./quickstart.sh [--database CONNINFO | --stop | --remove | --help]
#
# Installs what is missing from Debian's packages, builds and installs the extension, starts a private cluster, and ranks
# GPUs for Llama 3.1 8B. No other server is touched, unless --database names one, on this machine, with the right to create
# the extension in it.
#
# The private cluster is in .wattgpu/ below this file, or in /var/tmp/wattgpu-... where that does not serve: root's server
# runs as "postgres", and a socket's path is short. Its database "wattgpu" is for trying things out: a new build of the same
# version replaces it. Keep what you want to keep in a database of another name. --stop stops the cluster and leaves its
# files; --remove stops it and deletes them, all its databases included. What was installed into the server stays.
#
# PG_CONFIG chooses among several installed servers.
set -euo pipefail

REPO=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
PORT=54150
# shellcheck source=script/common.sh
. "$REPO/script/common.sh"

usage() { sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "$REPO/quickstart.sh"; }

# The same directory every time for the same user and source tree; never somebody else's.
choose_directory() {
	DIR=$REPO/.wattgpu
	if [ "$(id -u)" -eq 0 ] || [ ! -w "$REPO" ] || [ ${#DIR} -gt 80 ] || [[ $DIR == *[!A-Za-z0-9/._-]* ]]; then
		DIR=/var/tmp/wattgpu-$(id -u)-$(printf '%s' "$REPO" | cksum | cut -d' ' -f1)
	fi
}

make_directory() {
	as_server mkdir -p -m 700 "$DIR"
	as_server test -O "$DIR" || die "$DIR belongs to somebody else"
	as_server chmod 700 "$DIR"
	[ ! -e "$DIR/data/PG_VERSION" ] || [ "$(as_server cat "$DIR/data/PG_VERSION")" = "$MAJOR" ] ||
		die "the private cluster in $DIR is not of PostgreSQL $MAJOR: set PG_CONFIG to its server's pg_config, or remove $DIR"
}

running() { as_server "$BINDIR/pg_ctl" -D "$DIR/data" status >/dev/null 2>&1; }

sql() { "$BINDIR/psql" -X -q -v ON_ERROR_STOP=1 -P pager=off -d "$@"; }

# What is installed, in one number.
fingerprint() { cat "$("$PG_CONFIG" --pkglibdir)/wattgpu.so" "$("$PG_CONFIG" --sharedir)"/extension/wattgpu--*.sql | cksum | cut -d' ' -f1; }

# The demonstration's database, with the build that was just installed. One that somebody else made is left as it is.
prepare_database() {
	local admin="$1 dbname=postgres" demo="$1 dbname=wattgpu" new old

	new="wattgpu build $(fingerprint)"
	old=$(sql "$admin" -At -c "SELECT coalesce(shobj_description(oid, 'pg_database'), '') || '.' FROM pg_database WHERE datname = 'wattgpu'")
	if [[ $old == "wattgpu build "* && $old != "$new." ]]; then
		if [ "$(sql "$demo" -At -c "SELECT installed_version = default_version FROM pg_available_extensions WHERE name = 'wattgpu'")" = f ]; then
			say "the version changed: updating the extension"
			sql "$demo" -c 'ALTER EXTENSION wattgpu UPDATE' -c "COMMENT ON DATABASE wattgpu IS '$new'"
		else
			say "the build changed: making database \"wattgpu\" anew"
			sql "$admin" -c 'DROP DATABASE wattgpu WITH (FORCE)'
			old=
		fi
	fi
	[ -n "$old" ] || sql "$admin" -c 'CREATE DATABASE wattgpu' -c "COMMENT ON DATABASE wattgpu IS '$new'"
}

database=
stop=
remove=
while [ $# -gt 0 ]; do
	case $1 in
		--database)
			[ -n "${2:-}" ] || die "--database needs a connection string or a database's name"
			database=$2
			shift
			;;
		--database=*) database=${1#*=} ;;
		--stop) stop=yes ;;
		--remove)
			stop=yes
			remove=yes
			;;
		-h | --help)
			usage
			exit
			;;
		*) die "unknown argument \"$1\": see --help" ;;
	esac
	shift
done
choose_directory
cd /	# where the server's user can be, too

if [ -n "$stop" ]; then
	find_server
	if running; then
		stop_cluster "$DIR"
		say "stopped the private cluster in $DIR"
	else
		say "no private cluster runs in $DIR"
	fi
	if ! as_server test -O "$DIR"; then
		exit
	elif [ -n "$remove" ]; then
		as_server rm -rf "$DIR"
		say "removed $DIR"
	else
		say "its files stay; remove them with:  $REPO/quickstart.sh --remove"
	fi
	exit
fi

install_missing
make_directory
build_and_install "$DIR/build"

if [ -z "$database" ]; then
	forget_servers
	if ! running; then
		say "starting a private cluster in $DIR"
		start_cluster "$DIR" "$PORT"
	fi
	prepare_database "host=$DIR port=$PORT user=postgres"
	database="host=$DIR port=$PORT user=postgres dbname=wattgpu"
	ending="the private cluster stays up; stop it with:  $REPO/quickstart.sh --stop"
else
	theirs=$(sql "$database" -At -c "SELECT current_setting('server_version_num')::int / 10000")
	[ "$theirs" = "$MAJOR" ] ||
		die "that server is PostgreSQL $theirs, and the extension was built for $MAJOR: set PG_CONFIG to its pg_config"
	ending="the extension stays there; remove it with:  DROP EXTENSION wattgpu"
fi

sql "$database" -c 'SET client_min_messages = warning' -c 'CREATE EXTENSION IF NOT EXISTS wattgpu'
say "Llama 3.1 8B on the measured cards, at most 50 ms a token (doc/quickstart.sql):"
sql "$database" -c "DO 'BEGIN PERFORM set_config(''search_path'', extnamespace::regnamespace::text, false)
	FROM pg_extension WHERE extname = ''wattgpu''; END'" -f "$REPO/doc/quickstart.sql"
say "connect with:  $BINDIR/psql \"$database\""
say "$ending"
