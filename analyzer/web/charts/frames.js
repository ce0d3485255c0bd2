// SPDX-License-Identifier: GPL-3.0-or-later
// Frames of a flame graph, made when they are first shown, so that a tree of a million paths opens at once.
// Each has { func, value, own, parent, children() }; value is the sum over all below it. other is that sum
// in the run beside it, if there is one.

const largestFirst = (list) => list.sort((a, b) => b.value - a.value);

// Callers above what they call.
export class Frame {
	constructor(source, node, parent) {
		Object.assign(this, { source, node, parent });
		this.func = source.tree.func[node];
		this.value = source.sums[node];
		this.own = source.own[node] || 0;
		this.other = source.otherSums?.[node] ?? 0;
		this.depth = parent ? parent.depth + 1 : 0;
	}

	children() {
		if (!this.list) {
			const { tree, sums } = this.source;
			this.list = [];
			for (let child = tree.child[this.node]; child >= 0; child = tree.next[child])
				if (sums[child] > 0)
					this.list.push(new Frame(this.source, child, this));
			largestFirst(this.list);
		}
		return this.list;
	}
}

// Each function with its own value. Below it are its callers, with the part of the value that came from
// each.
export class InverseFrame {
	constructor(source, func, parent) {
		Object.assign(this, { source, func, parent, value: 0, own: 0, other: 0 });
		this.nodes = [];	// the nodes in which its callers are looked up
		this.weights = [];
		this.otherWeights = [];
		this.depth = parent ? parent.depth + 1 : 0;
	}

	add(node, weight, other) {
		this.nodes.push(node);
		this.weights.push(weight);
		this.otherWeights.push(other);
		this.value += weight;
		this.other += other;
		if (!this.parent?.parent)
			this.own += weight;
	}

	children() {
		if (!this.list) {
			const { tree } = this.source;
			const found = new Map();
			for (let i = 0; i < this.nodes.length; i++) {
				const node = this.parent ? tree.parent[this.nodes[i]] : this.nodes[i];
				if (node <= 0)
					continue;
				const func = tree.func[node];
				let frame = found.get(func);
				if (!frame)
					found.set(func, frame = new InverseFrame(this.source, func, this));
				frame.add(node, this.weights[i], this.otherWeights[i]);
			}
			this.list = largestFirst([...found.values()].filter((frame) => frame.value > 0));
		}
		return this.list;
	}
}

// @own: [path] the figures to show; @other: those of the other run, or null. The root has no function.
export function frames(tree, own, inverse, other = null) {
	const sums = (values) => {
		const list = tree.sums(values);
		list[0] -= values[0] || 0;	// outside of functions
		return list;
	};
	if (!inverse)
		return new Frame({ tree, own, sums: sums(own), otherSums: other && sums(other) }, 0, null);
	const root = new InverseFrame({ tree }, -1, null);
	for (let node = 1; node < tree.nr; node++)
		if (own[node] || other?.[node])
			root.add(node, own[node] || 0, other?.[node] || 0);
	return root;
}
