// Usage: node build.js data.json page.html: one file that needs nothing else, network included.
import { readFileSync, writeFileSync } from "node:fs";

const [, , data, target] = process.argv;
const read = path => readFileSync(new URL(path, import.meta.url), "utf8");
// Within a script element no text may look like its end.
const script = text => text.replace(/<(?=\/script|!--)/gi, "\\x3c");
const parts = {
	style: read("page.css"),
	d3: script(read("node_modules/d3/dist/d3.min.js")),
	plot: script(read("node_modules/@observablehq/plot/dist/plot.umd.min.js")),
	data: JSON.stringify(JSON.parse(readFileSync(data, "utf8"))).replaceAll("<", "\\u003c"),
	page: read("page.js")
};
writeFileSync(target, read("page.html").replace(/\/\*(\w+)\*\//g, (_, name) => parts[name]));
