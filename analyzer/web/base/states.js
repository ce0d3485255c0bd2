// SPDX-License-Identifier: GPL-3.0-or-later
// What threads did over time: steps with the shares of them that the thread ran, or was ready to run.
// Blocked is the rest.

export class States {
	static async open(data) {
		const sheet = await data.sheet("states");
		return sheet && new States(sheet);
	}

	constructor(sheet) {
		this.start = sheet.numbers("start_ns");
		this.cpu = sheet.numbers("cpu_percent");
		this.ready = sheet.numbers("ready_percent");
		this.threads = new Map();
		let first = 0;
		sheet.numbers("thread_steps").forEach((steps, thread) => {
			if (steps > 1)
				this.threads.set(thread, { first, end: first + steps - 1 });
			first += steps;
		});
	}

	has(thread) {
		return this.threads.has(thread);
	}

	// Visit the steps of a thread between two times: visit(begin, end, percent on a processor, percent ready).
	each(thread, from, to, visit) {
		const { first, end } = this.threads.get(thread) ?? { first: 0, end: 0 };
		let low = first, high = end;
		while (low < high) {
			const middle = (low + high) >> 1;
			if (this.start[middle + 1] <= from)
				low = middle + 1;
			else
				high = middle;
		}
		for (; low < end && this.start[low] < to; low++)
			if (!Number.isNaN(this.cpu[low]))
				visit(this.start[low], this.start[low + 1], this.cpu[low], this.ready[low]);
	}

	// The mean shares over some time; null: not known, since steps are longer than that.
	mean(thread, from, to) {
		let cpu = 0, ready = 0, known = 0, unsure = 0;
		this.each(thread, from, to, (begin, end, cpuPercent, readyPercent) => {
			const part = Math.min(to, end) - Math.max(from, begin);
			cpu += part * cpuPercent;
			ready += part * readyPercent;
			known += part;
			if (part < end - begin && Math.max(cpuPercent, readyPercent) < 99 &&
				cpuPercent + readyPercent > 1)
				unsure += Math.min(part, end - begin - part);
		});
		const all = to - from;
		return known < 0.99 * all || unsure > all / 10 ? null :
			{ cpu: cpu / all, ready: ready / all, blocked: 100 - (cpu + ready) / all };
	}
}

export function tellStates({ cpu, ready, blocked }) {
	return [["on a processor", cpu], ["ready", ready], ["blocked", blocked]]
		.filter(([, percent]) => percent >= 0.5)
		.map(([name, percent]) => `${Math.round(percent)} % ${name}`).join(", ");
}
