/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Truth bench: an interpreter of a stack machine, every operation a function called through a table, running a
 * script that sieves primes and sums them. Argument: rounds.
 */
#include <stdio.h>
#include <stdlib.h>

#define CELLS 512

struct machine {
	long stack[16];
	long *top;
	long cells[CELLS];
	long variables[4];
	const struct instruction *next;
};

struct instruction {
	void (*run)(struct machine *machine, long operand);
	long operand;
};

static const struct instruction script[34];

static void push(struct machine *machine, long value) { *machine->top++ = value; }
static long pop(struct machine *machine) { return *--machine->top; }

static long *cell(struct machine *machine, long index)
{
	if (index < 0 || index >= CELLS) {
		fprintf(stderr, "cell %ld\n", index);
		exit(1);
	}
	return &machine->cells[index];
}

static void do_constant(struct machine *machine, long operand) { push(machine, operand); }
static void do_get(struct machine *machine, long operand) { push(machine, machine->variables[operand]); }
static void do_set(struct machine *machine, long operand) { machine->variables[operand] = pop(machine); }
static void do_jump(struct machine *machine, long operand) { machine->next = &script[operand]; }

static void do_add(struct machine *machine, long operand)
{
	long b = pop(machine), a = pop(machine);

	push(machine, a + b + operand);
}

static void do_less(struct machine *machine, long operand)
{
	long b = pop(machine), a = pop(machine);

	push(machine, a < b + operand);
}

static void do_unless(struct machine *machine, long operand)
{
	if (!pop(machine))
		machine->next = &script[operand];
}

static void do_load(struct machine *machine, long operand)
{
	push(machine, *cell(machine, pop(machine) + operand));
}

static void do_store(struct machine *machine, long operand)
{
	long index = pop(machine);

	*cell(machine, index) = operand;
}

static void do_digest(struct machine *machine, long operand)
{
	unsigned long value = (unsigned long)pop(machine);

	for (long i = 0; i < operand; i++)
		value = (value ^ value >> 29) * 0xbf58476d1ce4e5b9u;
	push(machine, (long)(value >> 40));
}

/* Variables: 0 the number, 1 its multiple, 2 the sum. The numbers in front are what jumps mean. */
static const struct instruction script[34] = {
	/* 0 */ { do_constant, 2 }, { do_set, 0 },
	/* 2 */ { do_get, 0 }, { do_constant, CELLS }, { do_less, 0 }, { do_unless, 33 },
	/* 6 */ { do_get, 0 }, { do_load, 0 }, { do_unless, 10 }, { do_jump, 28 },
	/* 10 */ { do_get, 2 }, { do_get, 0 }, { do_digest, 20 }, { do_add, 0 }, { do_set, 2 },
	/* 15 */ { do_get, 0 }, { do_set, 1 },
	/* 17 */ { do_get, 1 }, { do_constant, CELLS }, { do_less, 0 }, { do_unless, 28 },
	/* 21 */ { do_get, 1 }, { do_store, 1 },
	/* 23 */ { do_get, 1 }, { do_get, 0 }, { do_add, 0 }, { do_set, 1 }, { do_jump, 17 },
	/* 28 */ { do_get, 0 }, { do_constant, 1 }, { do_add, 0 }, { do_set, 0 }, { do_jump, 2 },
	/* 33 */ { NULL, 0 },
};

static void clear(struct machine *machine)
{
	for (int i = 0; i < CELLS; i++)
		machine->cells[i] = 0;
}

static void run(struct machine *machine)
{
	machine->next = script;
	while (machine->next->run) {
		const struct instruction *now = machine->next++;

		now->run(machine, now->operand);
	}
}

int main(int argc, char **argv)
{
	static struct machine machine;
	long sum = 0;

	for (long i = 0; i < (argc > 1 ? atol(argv[1]) : 1); i++) {
		machine.top = machine.stack;
		clear(&machine);
		run(&machine);
		sum += machine.variables[2];
	}
	printf("%ld\n", sum);
	return 0;
}
