/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program of many short functions: a stack machine whose instructions are functions of their own runs a script that
 * counts primes, N times; some 20 million calls each.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum op { OP_PUSH, OP_LOAD, OP_STORE, OP_ADD, OP_MUL, OP_MOD, OP_LESS, OP_EQUAL, OP_JUMP, OP_JUMP_IF, OP_HALT };

struct instruction {
	enum op op;
	int64_t operand;
};

struct machine {
	const struct instruction *script;
	size_t at;
	int64_t stack[64];
	size_t depth;
	int64_t variables[8];
};

static void push(struct machine *machine, int64_t value)
{
	machine->stack[machine->depth++] = value;
}

static int64_t pop(struct machine *machine)
{
	return machine->stack[--machine->depth];
}

#define BINARY(name, expression) \
	static void do_##name(struct machine *machine, int64_t operand) \
	{ \
		int64_t b = pop(machine), a = pop(machine); \
		(void)operand; \
		push(machine, expression); \
	}
BINARY(add, a + b)
BINARY(mul, a * b)
BINARY(mod, b ? a % b : 0)
BINARY(less, a < b)
BINARY(equal, a == b)

static void do_push(struct machine *machine, int64_t operand)
{
	push(machine, operand);
}

static void do_load(struct machine *machine, int64_t operand)
{
	push(machine, machine->variables[operand]);
}

static void do_store(struct machine *machine, int64_t operand)
{
	machine->variables[operand] = pop(machine);
}

static void do_jump(struct machine *machine, int64_t operand)
{
	machine->at = (size_t)operand;
}

static void do_jump_if(struct machine *machine, int64_t operand)
{
	if (pop(machine))
		machine->at = (size_t)operand;
}

static void (*const handlers[])(struct machine *, int64_t) = {
	[OP_PUSH] = do_push, [OP_LOAD] = do_load, [OP_STORE] = do_store, [OP_ADD] = do_add, [OP_MUL] = do_mul,
	[OP_MOD] = do_mod, [OP_LESS] = do_less, [OP_EQUAL] = do_equal, [OP_JUMP] = do_jump, [OP_JUMP_IF] = do_jump_if,
};

static int step(struct machine *machine)
{
	const struct instruction *instruction = &machine->script[machine->at++];

	if (instruction->op == OP_HALT)
		return 0;
	handlers[instruction->op](machine, instruction->operand);
	return 1;
}

static int64_t run(const struct instruction *script)
{
	struct machine machine = { .script = script };

	while (step(&machine))
		;
	return machine.variables[2];
}

/* Variables: 0 candidate, 1 divisor, 2 primes found. */
static const struct instruction primes[] = {
	{ OP_PUSH, 2 }, { OP_STORE, 0 },
	{ OP_PUSH, 2 }, { OP_STORE, 1 },					/* 2: the next candidate */
	{ OP_LOAD, 0 }, { OP_LOAD, 1 }, { OP_LOAD, 1 }, { OP_MUL, 0 }, { OP_LESS, 0 }, { OP_JUMP_IF, 19 },	/* 4 */
	{ OP_LOAD, 0 }, { OP_LOAD, 1 }, { OP_MOD, 0 }, { OP_PUSH, 0 }, { OP_EQUAL, 0 }, { OP_JUMP_IF, 23 },
	{ OP_LOAD, 1 }, { OP_PUSH, 1 }, { OP_JUMP, 32 },
	{ OP_LOAD, 2 }, { OP_PUSH, 1 }, { OP_ADD, 0 }, { OP_STORE, 2 },		/* 19: it is a prime */
	{ OP_LOAD, 0 }, { OP_PUSH, 1 }, { OP_ADD, 0 }, { OP_STORE, 0 },		/* 23: it is done */
	{ OP_LOAD, 0 }, { OP_PUSH, 20000 }, { OP_LESS, 0 }, { OP_JUMP_IF, 2 }, { OP_HALT, 0 },
	{ OP_ADD, 0 }, { OP_STORE, 1 }, { OP_JUMP, 4 },				/* 32: the next divisor */
};

int main(int argc, char **argv)
{
	long times = argc > 1 ? atol(argv[1]) : 1;
	int64_t sum = 0;

	for (long i = 0; i < times; i++)
		sum += run(primes);
	printf("%ld\n", (long)sum);
	return 0;
}
