#!/usr/bin/env bash
# Usage: doc/bi/check.sh
#
# Builds the page from two databases of its own, one with the demo fleet and one without any, on the server that the PG* variables
# name, opens it in headless Chromium, and compares what stands there with what psql says. Installs nothing: without chromium, npm
# or what npm ci installs it says so and skips. The status is 0 only if nothing failed.
set -euo pipefail

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
CHROMIUM=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)

skip() {
	echo "skipped: $1"
	exit 0
}
[ -n "$CHROMIUM" ] || skip 'there is no chromium'
command -v npm >/dev/null || skip 'there is no npm'
[ -d "$HERE/page/node_modules" ] || skip 'run npm ci in doc/bi/page first'

WORK=$(mktemp -d)
DEMO=wattgpu_check_demo_$$
EMPTY=wattgpu_check_empty_$$
failed=0

finish() {
	for db in "$DEMO" "$EMPTY"; do
		psql -Xq -d postgres -c "DROP DATABASE IF EXISTS $db" 2>/dev/null || true
	done
	rm -rf "$WORK"
}
trap finish EXIT

ask() { psql -XAtq -v ON_ERROR_STOP=1 -d "$1" -c "$2"; }

check() {
	if [ "$2" = "$3" ]; then
		echo "ok - $1: $2"
	else
		echo "not ok - $1: the page says \"$2\", psql \"$3\""
		failed=1
	fi
}

# The DOM once the page's scripts have run, as one line.
dom() {
	"$CHROMIUM" --headless --no-sandbox --disable-gpu --user-data-dir="$WORK/profile" --virtual-time-budget=10000 --dump-dom "file://$1" 2>"$WORK/chromium" |
		sed -E 's/<script.*<\/script>//; s/&nbsp;/ /g' | perl -0pe 's/<script.*?<\/script>//gs; s/\s*\n\s*/ /g'
}

# The text with which the element of an id begins; rows of a table's body: cells with | between, of one row.
text() { perl -CSD -ne 'print $1 if /\bid="'"$1"'"[^>]*>([^<]*)/' "$2"; }
row() { perl -CSD -ne 'if (/\bid="'"$1"'".*?<tbody>(.*?)<\/tbody>/) { my @r = $1 =~ /<tr>(.*?)<\/tr>/g; print join("|", map { s/<small>.*?<\/small>//r =~ s/<[^>]*>//gr } $r['"$2"'] =~ /<t[dh][^>]*>(.*?)<\/t[dh]>/g) }' "$3"; }

# A figure as the page writes it: three significant figures.
three() { echo "coalesce(rtrim(to_char(round(($1)::numeric, 2 - floor(log(nullif(abs($1), 0)))::integer), 'FM999,999,999,999,990.999999999'), '.'), '–')"; }

for db in "$DEMO" "$EMPTY"; do
	ask postgres "CREATE DATABASE $db ENCODING 'UTF8' TEMPLATE template0"
	ask "$db" 'CREATE EXTENSION wattgpu'
done
psql -Xq -v ON_ERROR_STOP=1 -d "$DEMO" -f "$HERE/demo.sql"

page=$("$HERE/build.sh" "dbname=$DEMO" "$WORK/demo.html")
check 'nothing is fetched' "$(grep -cE '(src|href)="?(https?:)?//|@import|url\(' "$HERE/page/page.html" "$HERE/page/page.css" | cut -d: -f2 | paste -sd+ | bc)" 0
dom "$page" >"$WORK/dom"
total="FROM wattgpu_energy_total"
check 'energy of GPU boards' "$(text tile-gpu "$WORK/dom")" "$(ask "$DEMO" "SELECT $(three gpu_kwh) || ' kWh' $total")"
check 'energy of the facility' "$(text tile-facility "$WORK/dom")" "$(ask "$DEMO" "SELECT $(three facility_kwh) || ' kWh' $total")"
check 'mean power' "$(text tile-power "$WORK/dom")" "$(ask "$DEMO" "SELECT $(three 'gpu_kwh / (92 * 24) * 1000') || ' W' $total")"
check 'emissions' "$(text tile-co2e "$WORK/dom")" "$(ask "$DEMO" "SELECT $(three location_co2e_kg) || ' kg' $total")"
check 'share extrapolated' "$(text tile-extrapolated "$WORK/dom")" "$(ask "$DEMO" "SELECT round(100 * share_extrapolated::numeric, 1) || ' %' $total")"
check 'not predicted' "$(text tile-missing "$WORK/dom")" "$(ask "$DEMO" "SELECT count(DISTINCT deployment) FILTER (WHERE gpu_kwh IS NULL) || ' of ' || count(DISTINCT deployment) FROM wattgpu_energy()")"
check 'the LLM with most energy' "$(row models 0 "$WORK/dom" | cut -d'|' -f1,4,5)" \
	"$(ask "$DEMO" "SELECT llm, $(three gpu_kwh), $(three facility_kwh) FROM wattgpu_energy_by_model ORDER BY gpu_kwh DESC NULLS LAST LIMIT 1")"
llm=$(ask "$DEMO" "SELECT llm FROM wattgpu_energy_by_model ORDER BY gpu_kwh DESC NULLS LAST LIMIT 1")
for i in 0 1 2; do
	check "rank $((i + 1))" "$(row ranks $i "$WORK/dom" | cut -d'|' -f1-5)" "$(ask "$DEMO" \
		"SELECT gpu, rank, $(three energy_j_per_token), $(three power_w), $(three '1000 * itl_s') FROM wattgpu_rank('$llm') ORDER BY rank, gpu OFFSET $i LIMIT 1")"
done
check 'names are text' "$(grep -oF "R&amp;D \"Grüße\" &lt;b&gt;δοκιμή&lt;/b&gt; O'Brien &lt;/script&gt;" "$WORK/dom" | sort -u)" "R&amp;D \"Grüße\" &lt;b&gt;δοκιμή&lt;/b&gt; O'Brien &lt;/script&gt;"
check 'no name is an element' "$(grep -c '<b>δοκιμή' "$WORK/dom")" 0
check 'every chart is drawn' "$(grep -oE 'class="chart" id="(power|shares|energy|front)">(<div class="legend">.{0,800}?</div>)?<svg' "$WORK/dom" | grep -oE 'id="[a-z]+"' | tr '\n' ' ')" 'id="power" id="shares" id="energy" id="front" '

page=$("$HERE/build.sh" "dbname=$EMPTY" "$WORK/empty.html")
dom "$page" >"$WORK/dom"
check 'an empty fleet is a sentence' "$(grep -oE 'id="power"><p>There are no deployments yet' "$WORK/dom")" 'id="power"><p>There are no deployments yet'
check 'and no axis' "$(grep -cE 'id="(power|shares)"[^>]*><svg' "$WORK/dom")" 0
check 'but a ranking' "$(row ranks 0 "$WORK/dom" | cut -d'|' -f1,2)" "$(ask "$EMPTY" "SELECT gpu, rank FROM wattgpu_rank('meta-llama/Llama-3.1-8B-Instruct') ORDER BY rank, gpu LIMIT 1")"

# Two days of 1 kW over the hour that Berlin skips, for a reader there; LLMs whose names look like the page's own, and one written from
# right to left; a million kWh; more LLMs than a chart shows, and more problems than are listed.
ask "$EMPTY" "INSERT INTO wattgpu_deployments (deployment, site, gpu, gpus, llm, period, hours_active, hours_reserved, measured_kwh, measured_boundary) VALUES
	('two days', 'here', 'NVIDIA A30', 1, 'no LLM (reserve)', '[2026-03-28 00:00Z,2026-03-30 00:00Z)', 48, 48, 48, 'gpu')"
page=$(TZ=Europe/Berlin PGTZ=Europe/Berlin "$HERE/build.sh" "dbname=$EMPTY" "$WORK/odd.html")
TZ=Europe/Berlin dom "$page" >"$WORK/dom"
check 'mean power for a reader in Berlin' "$(text tile-power "$WORK/dom")" '1,000 W'
check 'the days are those of UTC' "$(text span "$WORK/dom" | cut -c1-48)" 'Deployments from 2026-03-28 to 2026-03-29 (UTC) '
ask "$EMPTY" "INSERT INTO wattgpu_deployments (deployment, site, gpu, gpus, llm, period, hours_active, hours_reserved, measured_kwh, measured_boundary) VALUES
	('reserve', 'here', 'NVIDIA A30', 1, NULL, '[2026-03-28 00:00Z,2026-03-30 00:00Z)', 0, 48, 24, 'gpu'),
	('all', 'here', 'NVIDIA A30', 1, 'The whole fleet', '[2026-03-28 00:00Z,2026-03-30 00:00Z)', 48, 48, 1009928, 'gpu'),
	('rtl', 'here', 'NVIDIA A30', 1, 'שלום (1)', '[2026-03-28 00:00Z,2026-03-30 00:00Z)', 48, 48, 12, 'gpu');
	INSERT INTO wattgpu_deployments (deployment, site, gpu, gpus, llm, period, hours_active, hours_reserved)
	SELECT 'unknown ' || i, 'here', 'Acme', 1, 'LLM ' || i, '[2026-03-28 00:00Z,2026-03-30 00:00Z)', 48, 48 FROM generate_series(1, 60) i"
page=$("$HERE/build.sh" "dbname=$EMPTY" "$WORK/odd.html")
dom "$page" >"$WORK/dom"
bars() { grep -oE "id=\"$1\">.*" "$WORK/dom" | perl -CSD -ne 'print scalar(() = m{<svg.*?</svg>}s ? $& =~ /<rect/g : ())'; }
check 'each LLM has a bar of its own' "$(bars power)" 4
check 'and one of shares, below the fleet'"'"'s' "$(bars shares)" 5
check 'a million kWh' "$(text tile-gpu "$WORK/dom")" '1,010,000 kWh'
check 'a name has its own direction' "$(grep -o $'\u2068שלום (1)\u2069 ' "$WORK/dom" | head -1)" $'\u2068שלום (1)\u2069 '
check 'what is left out is said' "$(grep -oE '>and 10 more \(view wattgpu_bi.problems\)<' "$WORK/dom")" '>and 10 more (view wattgpu_bi.problems)<'
check 'no figure is said to be from itself to itself' "$(grep -oE '>([0-9.,]+) to \1<' "$WORK/dom" | head -1)" ''
ask "$EMPTY" "UPDATE wattgpu_deployments SET measured_kwh = 1, measured_boundary = 'gpu' WHERE deployment LIKE 'unknown%'"
page=$("$HERE/build.sh" "dbname=$EMPTY" "$WORK/odd.html")
dom "$page" >"$WORK/dom"
check 'a chart has 30 bars' "$(bars power)" 30
check 'and says how many it has not' "$(grep -oE 'The chart shows the 30 largest; 34 others are in the table below\.' "$WORK/dom")" 'The chart shows the 30 largest; 34 others are in the table below.'
check 'and whose rankings it has not' "$(text ranking-note "$WORK/dom")" 'Of the 30 LLMs that draw most; of the 34 others ask wattgpu_rank().'
exit $failed
