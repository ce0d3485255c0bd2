// SPDX-License-Identifier: GPL-3.0-or-later
// The sheets that insideme-report put into the page (see analyzer/page/sheet.h), decoded when they are
// first used.

function bytesOf(text) {
	if (Uint8Array.fromBase64)
		return Uint8Array.fromBase64(text);
	const binary = atob(text);
	const bytes = new Uint8Array(binary.length);
	for (let i = 0; i < bytes.length; i++)
		bytes[i] = binary.charCodeAt(i);
	return bytes;
}

async function inflate(bytes) {
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
	return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Turn planes of bytes, lowest first, back into numbers; NaN: not known.
function decodeReal(bytes, column) {
	const packed = new Uint8Array(8 * column.length);
	for (let plane = 0; plane < 8; plane++)
		for (let i = 0, at = column.offset + plane * column.length; i < column.length; i++)
			packed[8 * i + plane] = bytes[at + i];
	return new Float64Array(packed.buffer);
}

function decodeWhole(bytes, column) {
	const values = new Float64Array(column.length);
	for (let plane = 0, factor = 1; plane < column.width; plane++, factor *= 256)
		for (let i = 0, at = column.offset + plane * column.length; i < column.length; i++)
			values[i] += bytes[at + i] * factor;
	let before = 0;
	for (let i = 0; i < values.length; i++) {
		let value = values[i];
		if (column.none) {
			if (value === 0) {
				values[i] = NaN;
				continue;
			}
			value--;
		}
		if (column.signed)
			value = value % 2 ? -(value + 1) / 2 : value / 2;
		if (column.delta)
			value = before += value;
		values[i] = value;
	}
	return values;
}

class Sheet {
	constructor(bytes) {
		const headerBytes = new DataView(bytes.buffer).getUint32(0, true);
		const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + headerBytes)));
		this.about = header.about;
		this.columns = header.columns;
		this.rows = header.about.rows ?? header.columns[0]?.length ?? 0;
		this.bytes = bytes.subarray(4 + headerBytes);
		this.decoded = new Map();
		this.marks = new Map();
	}

	has(name) {
		return this.columns.some((column) => column.name === name);
	}

	// The numbers of a column; for a column of texts, the numbers of its texts.
	numbers(name) {
		let values = this.decoded.get(name);
		if (!values) {
			const column = this.columns.find((one) => one.name === name);
			values = !column ? new Float64Array(this.rows).fill(NaN) :
				column.real ? decodeReal(this.bytes, column) :
					decodeWhole(this.bytes, column);
			this.decoded.set(name, values);
		}
		return values;
	}

	// How text marks the value: ~ is a time that is less than the error of the hooks' cost, ≈ one by samples, ≤ at most that.
	mark(name, row) {
		if (!this.marks.has(name)) {
			const column = this.columns.find((one) => one.name === name);
			this.marks.set(name, new Map([
				...(column?.doubtful ?? []).map((at) => [at, "~"]),
				...(column?.sampled ?? []).map((at) => [at, "≈"]),
				...(column?.bound ?? []).map((at) => [at, "≤"])]));
		}
		return this.marks.get(name).get(row) ?? "";
	}

	// A function from a row to its text; "" if there is none.
	texts(name) {
		const column = this.columns.find((one) => one.name === name);
		if (!column?.texts)
			return () => "";
		const numbers = this.numbers(name);
		return (row) => column.texts[numbers[row]] ?? "";
	}

	// The value of a row, in the type of the column; null: not known.
	value(name, row) {
		const column = this.columns.find((one) => one.name === name);
		if (column?.texts)
			return this.texts(name)(row) || null;
		const number = this.numbers(name)[row];
		return Number.isNaN(number) ? null : number;
	}
}

export class Data {
	constructor(root) {
		this.texts = new Map();
		this.sheets = new Map();
		for (const element of root.querySelectorAll("script[data-sheet]"))
			this.texts.set(element.dataset.sheet, element.textContent);
	}

	names() {
		return [...this.texts.keys()];
	}

	sheet(name) {
		if (!this.sheets.has(name)) {
			const text = this.texts.get(name);
			this.sheets.set(name, text === undefined ? Promise.resolve(null) :
				inflate(bytesOf(text)).then((bytes) => new Sheet(bytes)));
		}
		return this.sheets.get(name);
	}
}
