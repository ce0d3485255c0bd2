/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Truth bench: recursion, wide (fib), deep (a list of 2,000 that is walked by calls) and through a tree. Argument:
 * rounds.
 */
#include <stdio.h>
#include <stdlib.h>

#define NODES 4096

struct node {
	struct node *left, *right;
	unsigned key;
};

static struct node nodes[NODES];

static unsigned fib(unsigned n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

/* Not a tail call: what comes back is still needed. */
static unsigned walk(const struct node *node, unsigned depth)
{
	return depth == 0 ? 0 : walk(node + 1, depth - 1) * 3 + node->key;
}

static unsigned hash(unsigned key)
{
	for (int i = 0; i < 8; i++)
		key = (key ^ key >> 15) * 2246822519u;
	return key;
}

static unsigned sum(const struct node *node)
{
	if (!node)
		return 0;
	return sum(node->left) + hash(node->key) + sum(node->right);
}

static struct node *insert(struct node *root, struct node *node)
{
	if (!root)
		return node;
	if (node->key < root->key)
		root->left = insert(root->left, node);
	else
		root->right = insert(root->right, node);
	return root;
}

static struct node *build(unsigned seed)
{
	struct node *root = NULL;

	for (int i = 0; i < NODES; i++) {
		seed = seed * 1664525 + 1013904223;
		nodes[i] = (struct node){ NULL, NULL, seed };
	}
	for (int i = 0; i < NODES; i += 8)
		root = insert(root, &nodes[i]);
	return root;
}

int main(int argc, char **argv)
{
	unsigned result = 0;

	for (long i = 0; i < (argc > 1 ? atol(argv[1]) : 1); i++) {
		struct node *root = build((unsigned)i);

		for (int j = 0; j < 4; j++)
			result += sum(root) + walk(nodes + j, 2000);
		result += fib(15 + (unsigned)i % 3);
	}
	printf("%u\n", result);
	return 0;
}
