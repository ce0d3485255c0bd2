// SPDX-License-Identifier: GPL-3.0-or-later
// What is looked at: the panel, a part of the time, a function, and what a panel keeps (sort, search). All of it is in
// the address, so that it can be passed on, and the browser's back button works.

const listeners = new Set();
export const state = { panel: "summary" };

function read() {
	const parts = new URLSearchParams(location.hash.slice(1));
	for (const name of Object.keys(state))
		delete state[name];
	state.panel = "summary";
	for (const [name, value] of parts)
		state[name] = value;
	const [from, to] = (state.t ?? "").split("-").map(Number);
	state.from = from;
	state.to = to;
	delete state.t;
	if (!(state.to > state.from)) {
		delete state.from;
		delete state.to;
	}
}

function address() {
	const parts = new URLSearchParams();
	for (const [name, value] of Object.entries(state))
		if (value !== undefined && value !== "" && name !== "from" && name !== "to")
			parts.set(name, value);
	if (state.to !== undefined)
		parts.set("t", `${Math.round(state.from)}-${Math.round(state.to)}`);
	return `#${parts}`;
}

function tell(changed) {
	for (const listener of listeners)
		listener(changed);
}

let timer;
// Change some of it; undefined takes a part away. Steps back to it where the panel or the function changes.
export function set(changes) {
	const changed = new Set();
	for (const [name, value] of Object.entries(changes)) {
		if (state[name] === value)
			continue;
		state[name] = value;
		changed.add(name);
	}
	if (!changed.size)
		return;
	clearTimeout(timer);
	if (changed.has("panel") || changed.has("f"))
		history.pushState(null, "", address());
	else	// while zooming, not with each step: browsers limit how often
		timer = setTimeout(() => history.replaceState(null, "", address()), 200);
	tell(changed);
}

export const onChange = (listener) => listeners.add(listener);

addEventListener("popstate", () => {
	read();
	tell(new Set(["panel", "from", "to", "f", "all"]));
});
read();
