// SPDX-License-Identifier: GPL-3.0-or-later
// Dark or light: as the system says, unless the user pressed the button. Canvases ask here for colours.

const cache = new Map();
const listeners = new Set();

export function css(name) {
	if (!cache.has(name))
		cache.set(name, getComputedStyle(document.documentElement).getPropertyValue(name).trim());
	return cache.get(name);
}

export const onTheme = (listener) => listeners.add(listener);

function changed() {
	cache.clear();
	for (const listener of listeners)
		listener();
}

const dark = matchMedia("(prefers-color-scheme: dark)");
dark.addEventListener("change", changed);

export const isDark = () => (document.documentElement.dataset.theme ??
	(dark.matches ? "dark" : "light")) === "dark";

export function toggleTheme() {
	document.documentElement.dataset.theme = isDark() ? "light" : "dark";
	changed();
}
