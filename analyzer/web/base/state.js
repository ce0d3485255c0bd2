// SPDX-License-Identifier: GPL-3.0-or-later
// What is shown: the panel, a part of the time, a function, and what a panel keeps (sort, search). All of
// this is in the address, which can be passed on, and with which the browser goes back.

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
// Change parts of the state; undefined removes a part. Where the panel or the function changes, the browser
// can go back.
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
	else	// browsers limit how often the address may change, so not at each step of zooming
		timer = setTimeout(() => history.replaceState(null, "", address()), 200);
	tell(changed);
}

export const onChange = (listener) => listeners.add(listener);

addEventListener("popstate", () => {
	read();
	tell(new Set(["panel", "from", "to", "f", "all"]));
});
read();
