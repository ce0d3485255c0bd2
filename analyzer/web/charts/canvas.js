// SPDX-License-Identifier: GPL-3.0-or-later
// Fast drawing on canvases: rectangles as pixels, and cut texts. A hundred thousand narrow rectangles of
// many colours take some ms as pixels, and a tenth of a second by the canvas's own functions.

// "#rrggbb" or "hsl(h s% l%)" as a pixel of a little-endian machine.
export function bitsOf(colour) {
	if (colour.startsWith("#")) {
		const value = parseInt(colour.slice(1), 16);
		return pack(value >> 16, value >> 8 & 255, value & 255);
	}
	const [hue, saturation, light] = colour.match(/[\d.]+/g).map(Number);
	const spread = saturation / 100 * Math.min(light / 100, 1 - light / 100);
	const part = (n) => {
		const k = (n + hue / 30) % 12;
		return Math.round(255 * (light / 100 - spread * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
	};
	return pack(part(0), part(8), part(4));
}

const pack = (red, green, blue) => (0xff000000 | blue << 16 | green << 8 | red) >>> 0;

// Mix @share of @over with the rest of @under.
export function blend(over, under, share) {
	const mix = (shift) => Math.round((over >>> shift & 255) * share +
		(under >>> shift & 255) * (1 - share));
	return pack(mix(0), mix(8), mix(16));
}

export class Pixels {
	resize(g, width, height) {
		if (this.width === width && this.height === height)
			return;
		this.width = width;
		this.height = height;
		this.image = g.createImageData(width, height);
		this.bits = new Uint32Array(this.image.data.buffer);
	}

	// In pixels of the screen; clipped.
	rect(left, top, right, bottom, bits) {
		left = Math.max(0, left);
		right = Math.min(this.width, right);
		bottom = Math.min(this.height, bottom);
		if (right - left === 1) {
			for (let at = Math.max(0, top) * this.width + left, end = bottom * this.width;
				at < end; at += this.width)
				this.bits[at] = bits;
			return;
		}
		for (let y = Math.max(0, top); y < bottom && right > left; y++)
			this.bits.fill(bits, y * this.width + left, y * this.width + right);
	}
}

const sample = "abcdefghijklmnopqrstuvwxyz_:<>ABCDEF0123456789";
let letter = 0;

export function fit(g, text, width) {
	letter ||= g.measureText(sample).width / sample.length;
	const room = Math.floor(width / letter);
	return text.length <= room ? text : room > 2 ? `${text.slice(0, room - 1)}…` : "";
}
