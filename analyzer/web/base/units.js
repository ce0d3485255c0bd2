// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers as people read them: three significant digits and a unit, as in analyzer/base/units.c.

const scales = {
	"": [1, Infinity, [""]],
	"count": [1000, 10000, ["", " k", " M", " G", " T"]],
	"bytes": [1024, 1024, [" B", " KiB", " MiB", " GiB", " TiB"]],
	"ns": [1000, 0, [" ns", " µs", " ms", " s"]],
	"cores": [1, 0, [" cores"]],
	"count/s": [1000, 0, ["/s", " k/s", " M/s", " G/s"]],
	"bytes/s": [1024, 0, [" B/s", " KiB/s", " MiB/s", " GiB/s", " TiB/s"]],
};

// The one unit for all times or sizes, if the report was asked for it.
const sizes = { h: 3.6e12, min: 6e10, s: 1e9, ms: 1e6, us: 1e3, ns: 1, B: 1, KiB: 2 ** 10, MiB: 2 ** 20,
	GiB: 2 ** 30 };
const kept = {};

export function keepUnits({ time_unit: time, mem_unit: memory }) {
	kept.ns = time;
	kept.bytes = kept["bytes/s"] = memory;
}

function inKept(unit, value) {
	const name = kept[unit], own = value / sizes[name];
	let digits = own >= 99.95 ? 0 : own >= 9.995 ? 1 : 2;
	for (let least = 1; digits < 18 && own < least; least /= 10)
		digits++;
	return `${own.toFixed(Number.isInteger(own) ? 0 : digits)} ` +
		`${name === "us" ? "µs" : name}${unit === "bytes/s" ? "/s" : ""}`;
}

function percent(value) {
	if (value > 0 && value < 0.05)
		return "<0.1 %";
	return `${value.toFixed(Math.abs(value) >= 99.95 || value === 0 ? 0 : 1)} %`;
}

export function format(unit, number) {
	if (number === null || !Number.isFinite(number))
		return "";
	if (unit === "percent")
		return percent(number);
	const [step, exactBelow, names] = scales[unit] ?? scales[""];
	const sign = number < 0 ? "−" : "";
	let value = Math.abs(number), i = 0;
	if (!unit && value !== 0 &&
		(value < 0.01 || value >= 1e15))	// a program's counter may be of any scale
		return sign + Number(value.toPrecision(3));
	if (value === 0 && (unit === "bytes" || unit === "ns"))
		return "0";
	if (kept[unit])
		return sign + inKept(unit, value);
	if (unit === "cores" && value === 1)
		return `${sign}1 core`;
	if (value < exactBelow && Number.isInteger(value))
		return sign + value + names[0];
	for (; i + 1 < names.length && value >= step - 0.5; i++)
		value /= step;
	const digits = i === 0 && Number.isInteger(value) ? 0 : value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
	return sign + value.toFixed(digits) + names[i];
}

// All digits, in groups of three: for a closer look.
export function exact(unit, number) {
	if (number === null || !Number.isFinite(number))
		return "";
	if (!unit && number !== 0 && (Math.abs(number) < 0.01 || Math.abs(number) >= 1e15))
		return String(number);
	const digits = Number.isInteger(number) ? 0 : 3;
	const text = number.toLocaleString("en", { minimumFractionDigits: digits,
		maximumFractionDigits: digits });
	const name = { ns: " ns", bytes: " B", percent: " %", cores: " cores", "bytes/s": " B/s",
		"count/s": " /s" }[unit];
	return text.replaceAll(",", "\u202f") + (name ?? "");
}

// A time since the start. @step: how many ns the last digit must distinguish.
export function at(ns, step) {
	let digits = Math.max(0, Math.min(9, Math.ceil(9 - Math.log10(Math.max(step, 1)) - 1e-9)));
	if (digits < 9 && step % 10 ** (9 - digits) > step / 1e6)		// steps of 2.5 s
		digits++;
	if (Math.abs(ns) < 60e9)
		return `${(ns / 1e9).toFixed(digits)} s`;
	const seconds = ns / 1e9, minutes = Math.floor(seconds / 60), hours = Math.floor(minutes / 60);
	const rest = (seconds - minutes * 60).toFixed(digits).padStart(digits ? digits + 3 : 2, "0");
	return hours ? `${hours}:${String(minutes % 60).padStart(2, "0")}:${rest} h` :
		`${minutes}:${rest} min`;
}

// The same, to a thousandth of a span.
export const within = (ns, span) => at(ns, 10 ** Math.floor(Math.log10(Math.max(span, 1e4) / 1000)));

// "1 call", "2 processes"
export const plural = (number,
	word) => `${format("count", number)} ${word}${number === 1 ? "" : word.endsWith("s") ? "es" : "s"}`;
