#!/usr/bin/env bash
# Usage: doc/bi/build.sh [CONNINFO] [PAGE]
#
# Builds the page (doc/bi/page/dist/index.html) from the database that CONNINFO names, or else the PG* variables. The extension's
# schema must be on the search_path, and views.sql be loaded: if it is not, it is loaded now. Needs psql, node 18 and npm.
set -euo pipefail

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
PAGE=${2:-$HERE/page/dist/index.html}
PSQL=(psql -XqAt -v ON_ERROR_STOP=1)
[ -z "${1:-}" ] || PSQL+=(-d "$1")

[ -d "$HERE/page/node_modules" ] || (cd "$HERE/page" && npm ci --no-audit --no-fund --ignore-scripts >&2)
if [ -z "$("${PSQL[@]}" -c "SELECT to_regclass('wattgpu_bi.power_by_model')")" ]; then
	"${PSQL[@]}" -f "$HERE/views.sql"
fi
DATA=$(mktemp)
trap 'rm -f "$DATA"' EXIT
"${PSQL[@]}" -f "$HERE/page/data.sql" >"$DATA"
mkdir -p "$(dirname "$PAGE")"
node "$HERE/page/build.js" "$DATA" "$PAGE"
echo "$PAGE"
