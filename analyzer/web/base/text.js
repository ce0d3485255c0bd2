// SPDX-License-Identifier: GPL-3.0-or-later
// What of a text has room on a canvas: by the mean width of a letter, for measuring each text would take most of a picture's time.

const sample = "abcdefghijklmnopqrstuvwxyz_:<>ABCDEF0123456789";
let letter = 0;

export function fit(g, text, width) {
	letter ||= g.measureText(sample).width / sample.length;
	const room = Math.floor(width / letter);
	return text.length <= room ? text : room > 2 ? `${text.slice(0, room - 1)}…` : "";
}
