# shellcheck shell=bash
# What quickstart.sh and test/all.sh share: missing packages, the build, and a server that does not run as root.
# Sourced with REPO set to the top of the source tree; find_server sets PG_CONFIG, BINDIR, MAJOR and SERVER_USER.

umask 022

say() { printf '==> %s\n' "$*"; }
die() {
	printf '%s: %s\n' "$(basename "$0")" "$*" >&2
	exit 1
}

as_root() {
	if [ "$(id -u)" -eq 0 ]; then
		"$@"
	elif command -v sudo >/dev/null; then
		sudo "$@"
	else
		die "this needs root, and there is no sudo: $*"
	fi
}

as_server() {
	if [ "$SERVER_USER" = "$(id -un)" ]; then
		"$@"
	else
		runuser -u "$SERVER_USER" -- env HOME="$(getent passwd "$SERVER_USER" | cut -d: -f6)" "$@"
	fi
}

# Install those of the named Debian packages that are not there; ask for no rights if all are.
need_packages() {
	local package output missing=()

	for package; do
		[ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
	done
	[ ${#missing[@]} -gt 0 ] || return 0
	command -v apt-get >/dev/null || die "not a Debian system: install what corresponds to ${missing[*]}"
	say "installing ${missing[*]}"
	# what apt-get and dpkg have to tell is of interest only if they fail
	output=$(as_root apt-get -q update </dev/null 2>&1 &&
		as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends install "${missing[@]}" </dev/null 2>&1) || {
		printf '%s\n' "$output" >&2
		die "could not install ${missing[*]}"
	}
}

# The newest server that Debian's packages installed, or nothing.
server_major() {
	find /usr/lib/postgresql -path '/usr/lib/postgresql/*/bin/postgres' 2>/dev/null | cut -d/ -f5 | sort -n | tail -n 1
}

# The server whose pg_config is in PG_CONFIG, or else the newest. Neither initdb nor a server runs as root, so the account
# that the server's package made stands in for it.
find_server() {
	PG_CONFIG=$(command -v "${PG_CONFIG:-/usr/lib/postgresql/$(server_major)/bin/pg_config}") ||
		die "found no PostgreSQL server with its headers: set PG_CONFIG to its pg_config"
	BINDIR=$("$PG_CONFIG" --bindir)
	MAJOR=$("$PG_CONFIG" --version | sed 's/^[^0-9]*\([0-9]*\).*/\1/')
	SERVER_USER=$(id -un)
	if [ "$(id -u)" -eq 0 ]; then
		SERVER_USER=postgres
		getent passwd postgres >/dev/null || die "a server does not run as root, and there is no user \"postgres\" for it"
	fi
}

# A compiler, a server with its headers, libxgboost, and whatever else is asked for.
install_missing() {
	if [ -z "${PG_CONFIG:-}" ]; then
		[ -n "$(server_major)" ] || need_packages postgresql
		set -- "postgresql-server-dev-$(server_major)" "$@"
	fi
	need_packages build-essential perl libxgboost-dev "$@"
	find_server
}

# Nobody's PGHOST or PGOPTIONS shall lead away from a server of our own.
forget_servers() {
	local variable

	for variable in $(compgen -e PG); do
		[ "$variable" = PG_CONFIG ] || unset "$variable"
	done
}

# Build a copy of the sources in a directory of the server's user, and install it. The source tree is only read: it may
# belong to anybody, and whatever else is built in it is not disturbed.
build_and_install() {
	local dir=$1 option

	as_server rm -rf "$dir"
	as_server mkdir -p "$dir"
	tar -C "$REPO" -cf - --exclude=./.git --exclude=./.wattgpu --exclude=./results --exclude=./tmp_check \
		--exclude='./wattgpu--*.sql' --exclude='*.o' --exclude='*.bc' --exclude='*.so' . |
		as_server tar -C "$dir" -xf - --no-same-owner
	say "building for PostgreSQL $MAJOR"
	as_server make -s -C "$dir" -j "$(nproc)" PG_CONFIG="$PG_CONFIG"
	say "installing into $("$PG_CONFIG" --pkglibdir)"
	for option in --pkglibdir --sharedir; do
		if [ ! -w "$("$PG_CONFIG" $option)" ]; then
			as_root make -s -C "$dir" install PG_CONFIG="$PG_CONFIG"
			return
		fi
	done
	make -s -C "$dir" install PG_CONFIG="$PG_CONFIG"
}

# Start the private cluster in a directory, and make it first if need be. Its socket is in that directory, which nobody else
# may enter, and it has no TCP. The path may hold nothing that a shell or postgresql.conf would read as more than a letter.
start_cluster() {
	local dir=$1 port=$2

	[ -e "$dir/data/PG_VERSION" ] ||
		as_server "$BINDIR/initdb" -D "$dir/data" -U postgres --auth=trust --locale=C.UTF-8 --encoding=UTF8 >/dev/null
	as_server "$BINDIR/pg_ctl" -D "$dir/data" -l "$dir/server.log" -w -s \
		-o "-p $port -c listen_addresses='' -c unix_socket_directories=$dir" start >/dev/null ||
		{
			as_server tail -n 20 "$dir/server.log" >&2
			die "the private cluster in $dir did not start"
		}
}

stop_cluster() {
	as_server "$BINDIR/pg_ctl" -D "$1/data" -m fast -w -s stop
}
