// Draws the page out of the JSON document of data.sql. Names come from the database and are only ever set as text.
/* global d3, Plot */
const data = JSON.parse(document.getElementById("data").textContent);
const DASH = "–";
const BASES = new Map([["metered", "#12395c"], ["measured", "#26709f"], ["predicted", "#5f6e25"], ["extrapolated", "#bd4a14"]]);
const POWER = "#66727f";	// no basis' colour: a bar may rest on several
const MOST = 30;	// bars of a chart
const RESERVE = "no LLM (reserve)";
const byId = id => document.getElementById(id);
const known = value => value !== null && value !== undefined;

function element(name, properties, ...children) {
	const node = Object.assign(document.createElement(name), properties);
	node.append(...children);
	return node;
}

const digits = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });
const number = value => known(value) ? digits.format(value) : DASH;
// An interval, unless it is none, or too narrow to tell its ends apart.
const interval = (lo, hi) => known(lo) && known(hi) && number(lo) !== number(hi) ? `${number(lo)} to ${number(hi)}` : "";
const percent = value => known(value) ? `${(100 * value).toFixed(1)} %` : DASH;
const milli = value => known(value) ? 1000 * value : null;
const plural = (n, one, many) => `${n} ${n === 1 ? one : many}`;
const nameOf = model => model.llm ?? RESERVE;
// A name in a line of other text, whichever way it is written.
const isolated = name => `\u2068${name}\u2069`;
const incomplete = n => n ? `incomplete: figures of ${plural(n, "deployment is", "deployments are")} missing in part or whole` : "";
// Rows of a chart are told apart by their place: names need not differ.
data.models.forEach((model, i) => { model.key = String(i); });

// A figure with its interval below, where it has one.
function withInterval(value, lo, hi) {
	const cell = element("span", {}, number(value));
	if (interval(lo, hi))
		cell.append(element("small", {}, interval(lo, hi)));
	return cell;
}

// columns: [head, row => text or node, class ("number", "long")]; the first one names the row.
function fill(table, caption, columns, rows) {
	table.replaceChildren(
		element("caption", {}, element("span", {}, caption)),
		element("thead", {}, element("tr", {}, ...columns.map(([head, , kind = ""]) =>
			element("th", { scope: "col", className: kind }, head)))),
		element("tbody", {}, ...rows.map(row => element("tr", {}, ...columns.map(([, cell, kind = ""], i) =>
			i ? element("td", { className: kind }, cell(row)) : element("th", { scope: "row", className: kind }, cell(row)))))));
	return table;
}

function draw(id, label, plot) {
	const chart = byId(id);
	chart.replaceChildren(plot(Math.max(280, Math.min(chart.clientWidth, 1048))));
	chart.querySelectorAll("svg").forEach(svg => { svg.setAttribute("role", "img"); svg.setAttribute("aria-label", label); });
}

const say = (id, text) => byId(id).replaceChildren(element("p", {}, text));

// As much of a name as there is room for, at 7 pixels a character.
function shortened(name, width) {
	const characters = [...name];
	const room = Math.floor(width / 7);
	return isolated(characters.length <= room ? name : `${characters.slice(0, room - 1).join("")}…`);
}

// Names stand above their bars, so that long ones leave room for these on a narrow screen.
const namesAbove = (rows, width, figure, more = {}) =>
	Plot.text(rows, { y: "key", frameAnchor: "left", text: row => shortened(nameOf(row), width - 7 * figure(row).length) + figure(row), textAnchor: "start", lineAnchor: "top", dx: 4, dy: -17, ...more });

function showHead() {
	byId("span").textContent = [
		known(data.span.first) && `Deployments from ${data.span.first} to ${data.span.last} (UTC)`,
		`built ${data.built_at} UTC by wattgpu ${data.version}`].filter(Boolean).join(" · ");
	byId("versions").textContent = `wattgpu ${data.version}. Default models: ` + (data.model_versions ?? []).map(m =>
		`${m.target} ${m.model} (sha256 ${m.sha256.slice(0, 12)}, trained with wattgpu ${m.trained_with})`).join(", ") +
		`. The energy rests on: power ${data.total?.power_models || DASH}, ITL ${data.total?.itl_models || DASH}.`;
}

function showTiles() {
	const total = data.total;
	const tile = (id, label, value, unit, ...notes) => element("div", {}, element("dt", {}, label),
		element("dd", { id }, value === DASH ? DASH : `${value} ${unit}`.trim(), ...notes.filter(Boolean).map(note => element("small", {}, note))));
	byId("tiles").replaceChildren(
		tile("tile-power", "Mean power, GPU boards", number(total.gpu_power_w), "W", interval(total.gpu_power_lo_w, total.gpu_power_hi_w), known(total.gpu_held_h) && `over ${Math.round(total.gpu_held_h).toLocaleString("en")} h in which it is known`, incomplete(total.missing_gpu)),
		tile("tile-gpu", "Energy, GPU boards", number(total.gpu_kwh), "kWh", interval(total.gpu_lo_kwh, total.gpu_hi_kwh), incomplete(total.missing_gpu)),
		tile("tile-facility", "Energy, facility", number(total.facility_kwh), "kWh", interval(total.facility_lo_kwh, total.facility_hi_kwh), incomplete(total.missing_facility)),
		tile("tile-co2e", "CO2e, location-based", number(total.location_co2e_kg), "kg", interval(total.location_co2e_lo_kg, total.location_co2e_hi_kg), incomplete(total.missing_location)),
		tile("tile-extrapolated", "Extrapolated", percent(total.share_extrapolated), "", "of the GPU boards' energy"),
		tile("tile-missing", "Not known, in part or whole", `${total.missing_gpu} of ${total.deployments}`, "", "deployments' GPU energy"));
}

const beyond = (n, place) => n > MOST && `The chart shows the ${MOST} largest; ${plural(n - MOST, "other is", "others are")} in the ${place}.`;

function showPower() {
	const boundary = byId("boundary").value;
	const power = byId("quantity").value === "power";
	const column = end => power ? `${boundary}_power_${end}w` : `${boundary}_${end}kwh`;
	const [value, lo, hi] = ["", "lo_", "hi_"].map(end => row => row[column(end)]);
	const unit = power ? "W" : "kWh";
	const all = data.models.filter(row => known(value(row)));
	const rows = d3.sort(all, row => -value(row)).slice(0, MOST);
	const unknown = data.models.filter(row => !known(value(row)));
	if (rows.length === 0)
		return say("power", `No deployment's ${power ? "power" : "energy"} is known at this boundary.`);
	const withRange = rows.filter(row => interval(lo(row), hi(row)));
	draw("power", `${power ? "Mean power" : "Energy"} by model with 90 % intervals, ${unit}`, width => Plot.plot({
		width, height: 48 + 46 * rows.length, marginLeft: 8, marginRight: 24, marginTop: 8, marginBottom: 40,
		x: { label: `${power ? "Mean power while held" : "Energy"} (${unit}) →`, domain: [0, d3.max(rows, row => Math.max(value(row), hi(row) ?? 0))], nice: true, grid: true, ticks: width < 500 ? 4 : 8 },
		y: { axis: null, padding: 0, domain: rows.map(row => row.key) },
		marks: [
			Plot.barX(rows, { x: value, y: "key", insetTop: 22, insetBottom: 6, fill: POWER }),
			Plot.ruleY(withRange, { x1: lo, x2: hi, y: "key", dy: 8, stroke: "#1b1f24", strokeWidth: 1.5 }),
			Plot.tickX(withRange.flatMap(row => [lo, hi].map(end => ({ key: row.key, end: end(row) }))), { x: "end", y: "key", insetTop: 26, insetBottom: 10, stroke: "#1b1f24", strokeWidth: 1.5 }),
			namesAbove(rows, width, row => `   ${number(value(row))} ${unit}` + (row[`missing_${boundary}`] ? ` (incomplete: ${row[`missing_${boundary}`]} of ${row.deployments})` : "")),
			Plot.ruleX([0])
		]
	}));
	byId("power-note").textContent = [
		power && "Mean power: known energy over the hours in which deployments whose energy it is were held, idle hours included. LLMs may be held at different hours, so powers need not add up.",
		"Error bars: 90 % intervals; a metered figure has none. Incomplete: so many of the deployments are missing in part or whole.",
		beyond(all.length, "table below"),
		unknown.length > 0 && `Not known at this boundary: ${unknown.slice(0, MOST).map(row => isolated(nameOf(row))).join(", ")}${unknown.length > MOST ? ` and ${unknown.length - MOST} more` : ""}.`
	].filter(Boolean).join(" ");
}

function showModels() {
	fill(byId("models"), "By model; small figures are 90 % intervals; incomplete: missing in part or whole", [
		["LLM", nameOf],
		["Deployments", row => row.missing_gpu ? `${row.deployments}, ${row.missing_gpu} incomplete` : String(row.deployments), "number"],
		["Mean GPU power, W", row => withInterval(row.gpu_power_w, row.gpu_power_lo_w, row.gpu_power_hi_w), "number"],
		["GPU energy, kWh", row => withInterval(row.gpu_kwh, row.gpu_lo_kwh, row.gpu_hi_kwh), "number"],
		["Facility energy, kWh", row => withInterval(row.facility_kwh, row.facility_lo_kwh, row.facility_hi_kwh), "number"],
		["Tokens a joule (GPU boards)", row => number(row.tokens_per_j), "number"],
		["Extrapolated", row => percent(row.share_extrapolated), "number"]
	], data.models);
}

function showShares() {
	const fleet = { ...data.total, llm: "The whole fleet", key: "fleet" };
	const models = data.models.filter(row => known(row.share_metered));
	const rows = [fleet, ...models.slice(0, MOST)].filter(row => known(row.share_metered));
	if (rows.length === 0)
		return say("shares", "No deployment's energy is known, so there is nothing to divide.");
	const parts = rows.flatMap(row => [...BASES.keys()].map(basis => ({ key: row.key, llm: row.llm, basis, share: row[`share_${basis}`] }))).filter(part => part.share > 0);
	draw("shares", "Share of the GPU boards' energy by basis, percent", width => Plot.plot({
		width, height: 48 + 44 * rows.length, marginLeft: 8, marginRight: 24, marginTop: 8, marginBottom: 40,
		x: { label: "Share of energy, GPU boards (%) →", domain: [0, 100], ticks: width < 500 ? 4 : 10 },
		y: { axis: null, padding: 0, domain: rows.map(row => row.key) },
		marks: [
			Plot.barX(parts, Plot.stackX({ x: part => 100 * part.share, y: "key", fill: part => BASES.get(part.basis), order: part => [...BASES.keys()].indexOf(part.basis),
				insetTop: 22, insetBottom: 4, insetLeft: 0.5, insetRight: 0.5, title: part => `${isolated(nameOf(part))}: ${part.basis} ${percent(part.share)}` })),
			Plot.text(parts, Plot.stackX({ x: part => 100 * part.share, y: "key", order: part => [...BASES.keys()].indexOf(part.basis),
				text: part => part.share * width > 60 ? percent(part.share) : "", fill: "white", dy: 9 })),
			namesAbove(rows, width, () => "", { fontWeight: row => row === fleet ? 700 : 400 })
		]
	}));
	byId("shares").prepend(element("div", { className: "legend" }, ...[...BASES].map(([basis, colour]) =>
		element("span", {}, element("i", { style: `background: ${colour}` }), basis))));
	byId("shares-note").textContent = beyond(models.length, "view wattgpu_bi.shares") || "";
}

function showProblems() {
	const { missing, gaps, rows } = data.problems;
	const deployments = d3.groups(rows, p => p.deployment).map(([deployment, rows]) => ({
		deployment, missing: rows[0].missing,
		text: key => [...new Set(rows.map(row => row[key] ?? (key === "llm" ? RESERVE : DASH)))].join("; ") }));
	const list = (caption, count, rows) => [
		element("div", { className: "scroll" }, fill(element("table"), caption, [
			["Deployment", row => row.deployment ?? DASH], ["Site", row => row.text("site")], ["GPU", row => row.text("gpu")],
			["LLM", row => row.text("llm"), "long"], ["Reason", row => row.text("problem"), "long"]], rows)),
		...count > rows.length ? [element("p", { className: "note" }, `and ${count - rows.length} more (view wattgpu_bi.problems)`)] : []];
	byId("missing-count").textContent = plural(missing, "deployment", "deployments");
	byId("missing").replaceChildren(...missing ? list("Their GPU energy is missing above, for some of their periods or all", missing, deployments.filter(d => d.missing))
		: [element("p", {}, "Every deployment's GPU energy is known, for every period.")]);
	byId("gaps").replaceChildren(...gaps ? list("Their GPU energy is known; a figure that builds on it is not, for some of their periods or all", gaps, deployments.filter(d => !d.missing)) : []);
}

function showRanking() {
	const { ranked, left_out } = data.rankings.find(row => row.llm === byId("llm").value && row.scenario === byId("scenario").value);
	const best = ranked.slice(0, 15);
	const target = byId("ranking");
	const cards = d3.sum(left_out, row => row.cards);
	const reasons = left_out.length ? [element("p", { className: "note" }, (cards ? `${plural(cards, "card is", "cards are")} left out: ` : "") +
		left_out.map(row => row.cards ? `${row.cards} (${row.reason})` : row.reason).join(", ") + ".")] : [];
	if (ranked.length === 0) {
		target.replaceChildren(element("p", {}, "No GPU can be ranked for this LLM and scenario."), ...reasons);
		return;
	}
	const front = ranked.filter(row => row.pareto);
	const tokens = row => row.energy_j_per_token;
	const colour = row => BASES.get(row.basis);
	const table = fill(element("table", { id: "ranks" }), `The best ${best.length} of ${ranked.length} by energy a token, one card each; small figures are 90 % intervals`, [
		["GPU", row => row.gpu], ["Rank", row => String(row.rank), "number"],
		["Energy, J a token", row => withInterval(tokens(row), row.energy_lo_j_per_token, row.energy_hi_j_per_token), "number"],
		["Power, W", row => withInterval(row.power_w, row.power_lo_w, row.power_hi_w), "number"],
		["ITL, ms", row => withInterval(...[row.itl_s, row.itl_lo_s, row.itl_hi_s].map(milli)), "number"],
		["Better than the next beyond error", row => known(row.distinguishable) ? (row.distinguishable ? "yes" : "no") : DASH],
		["Pareto front", row => row.pareto ? "yes" : "no"], ["Basis", row => row.basis]
	], best);
	target.replaceChildren(
		element("div", { className: "legend" }, ...[...BASES].filter(([basis]) => ranked.some(row => row.basis === basis)).map(([basis, shade]) =>
			element("span", {}, element("i", { style: `background: ${shade}` }), basis)), element("span", {}, "lines: 90 % intervals")),
		element("div", { className: "chart", id: "energy" }), element("div", { className: "scroll" }, table),
		element("h3", {}, "Energy against latency"),
		element("p", { className: "note" }, `Filled: the ${plural(front.length, "card", "cards")} of the Pareto front, which no other card beats in both; where names would overlap, some are left out. Lower left is better. ITL is the mean time between two tokens of an answer.`),
		element("div", { className: "chart", id: "front" }), ...reasons);
	const withRange = best.filter(row => known(row.energy_lo_j_per_token) && known(row.energy_hi_j_per_token));
	draw("energy", "Energy a token of the best GPUs with 90 % intervals, J", width => Plot.plot({
		width, height: 48 + 36 * best.length, marginLeft: 8, marginRight: 24, marginTop: 8, marginBottom: 40,
		x: { label: "Energy, GPU boards (J a token) →", domain: [0, d3.max(best, row => Math.max(tokens(row), row.energy_hi_j_per_token ?? 0))], nice: true, grid: true, ticks: width < 500 ? 4 : 8 },
		y: { type: "band", axis: null, padding: 0, domain: best.map(row => row.gpu) },
		marks: [
			Plot.ruleY(withRange, { x1: "energy_lo_j_per_token", x2: "energy_hi_j_per_token", y: "gpu", dy: 5, stroke: colour, strokeWidth: 2 }),
			Plot.dot(best, { x: tokens, y: "gpu", dy: 5, r: 5, fill: colour }),
			Plot.text(best, { y: "gpu", frameAnchor: "left", text: row => `${row.rank}. ${shortened(row.gpu, width - 28)}`, textAnchor: "start", lineAnchor: "top", dx: 4, dy: -14 }),
			Plot.ruleX([0])
		]
	}));
	const title = row => `${isolated(row.gpu)}: ${number(milli(row.itl_s))} ms, ${number(tokens(row))} J a token`;
	const points = ranked.filter(row => known(row.itl_s) && known(tokens(row)));
	if (points.length === 0)
		return say("front", "No latency is known for this LLM and scenario.");
	draw("front", "Energy a token against inter-token latency, with the Pareto front", width => {
		const options = {
			width, height: Math.min(520, Math.max(340, width * 0.55)), marginLeft: 52, marginRight: 24, marginTop: 32, marginBottom: 44, inset: 18,
			x: { type: "log", label: "ITL (ms, log scale) →", grid: true, ticks: width < 500 ? 3 : 6, tickFormat: "~g" },
			y: { type: "log", label: "↑ Energy, GPU boards (J a token, log scale)", grid: true, ticks: 5, tickFormat: "~g" },
			marks: [
				Plot.line(front, { x: row => milli(row.itl_s), y: tokens, sort: "itl_s", stroke: "#55606b", strokeDasharray: "4 3" }),
				Plot.dot(points.filter(row => !row.pareto), { x: row => milli(row.itl_s), y: tokens, r: 3.5, stroke: colour, strokeWidth: 1.5, title }),
				Plot.dot(front, { x: row => milli(row.itl_s), y: tokens, r: 5.5, fill: colour, stroke: "white", title })
			]
		};
		const [x, y] = ["x", "y"].map(axis => Plot.plot(options).scale(axis));
		// Names stand above their points, on the side with more room, unless they would cover one that stands already.
		const names = [];
		for (const row of front.filter(row => known(row.itl_s))) {
			const at = x.apply(milli(row.itl_s)), bottom = y.apply(tokens(row)), wide = 7 * [...row.gpu].length, left = at > width / 2;
			const name = { row, left, from: left ? at - wide : at, to: left ? at : at + wide, bottom };
			if (names.every(other => name.to < other.from || name.from > other.to || Math.abs(name.bottom - other.bottom) > 15))
				names.push(name);
		}
		for (const left of [false, true])
			options.marks.push(Plot.text(names.filter(name => name.left === left).map(name => name.row), { x: row => milli(row.itl_s), y: tokens, text: row => isolated(row.gpu),
				dy: -10, dx: left ? -4 : 4, textAnchor: left ? "end" : "start", fill: "#1b1f24", stroke: "white", strokeWidth: 4 }));
		return Plot.plot(options);
	});
}

function options(select, values) {
	const chosen = select.value;
	select.replaceChildren(...values.map(value => element("option", { value }, value)));
	if (values.includes(chosen))
		select.value = chosen;
}

function showScenarios() {
	options(byId("scenario"), [...new Set(data.rankings.filter(row => row.llm === byId("llm").value).map(row => row.scenario))]);
}

function drawAll() {
	if (data.models.length > 0) {
		showPower();
		showShares();
	}
	if (data.rankings.length > 0)
		showRanking();
}

const unranked = data.models.length - MOST;
byId("ranking-note").textContent = unranked > 0 ? `Of the ${MOST} LLMs that draw most; of the ${unranked} others ask wattgpu_rank().` : "";
showHead();
showProblems();
if (data.models.length > 0) {
	showTiles();
	showModels();
} else {
	say("power", "There are no deployments yet: insert rows into wattgpu_deployments, or name a view of your own with wattgpu_use_relation.");
	say("shares", "Without deployments there is no energy to divide.");
	say("missing", "There are no deployments yet.");
}
if (data.rankings.length > 0) {
	options(byId("llm"), [...new Set(data.rankings.map(row => row.llm))]);
	byId("llm").value = (data.models.find(model => data.rankings.some(row => row.llm === model.llm)) ?? data.rankings[0]).llm;
	showScenarios();
	if ([...byId("scenario").options].some(option => option.value === "server_high"))
		byId("scenario").value = "server_high";
} else
	say("ranking", "The LLMs of the deployments are not in the catalogue, so there is nothing to rank.");
byId("quantity").onchange = byId("boundary").onchange = showPower;
byId("llm").onchange = () => { showScenarios(); showRanking(); };
byId("scenario").onchange = showRanking;
let width = document.documentElement.clientWidth;
window.addEventListener("resize", () => {
	if (width !== document.documentElement.clientWidth) {
		width = document.documentElement.clientWidth;
		drawAll();
	}
});
drawAll();
