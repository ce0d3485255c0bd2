/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "preload/objects/sorted_numbers.h"

#include <sys/mman.h>

#include "preload/common/base/syscalls.h"

#define FIRST_BYTES (1u << 16)

bool sorted_numbers_add(struct sorted_numbers *numbers, uint64_t number)
{
	uint64_t bytes = numbers->bytes ? numbers->bytes * 2 : FIRST_BYTES;
	long place;

	if ((numbers->nr + 1) * sizeof(number) > numbers->bytes) {
		place = sys_mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (sys_failed(place))
			return false;
		if (numbers->list) {
			__builtin_memcpy((void *)place, numbers->list, numbers->nr * sizeof(number));
			sys_munmap(numbers->list, numbers->bytes);
		}
		numbers->list = (uint64_t *)place;
		numbers->bytes = bytes;
	}
	numbers->list[numbers->nr++] = number;
	return true;
}

/* Largest first to the end, by a heap: no recursion, and no more than n log n however many there are. */
static void sink(uint64_t *heap, uint64_t at, uint64_t nr)
{
	for (uint64_t child; (child = 2 * at + 1) < nr; at = child) {
		uint64_t value = heap[at];

		child += child + 1 < nr && heap[child + 1] > heap[child];
		if (heap[child] <= value)
			return;
		heap[at] = heap[child];
		heap[child] = value;
	}
}

void sorted_numbers_sort(struct sorted_numbers *numbers)
{
	uint64_t *values = numbers->list;

	for (uint64_t i = numbers->nr / 2; i-- > 0; )
		sink(values, i, numbers->nr);
	for (uint64_t last = numbers->nr; last-- > 1; ) {
		uint64_t value = values[last];

		values[last] = values[0];
		values[0] = value;
		sink(values, 0, last);
	}
}

uint64_t sorted_numbers_up_to(const struct sorted_numbers *numbers, uint64_t limit)
{
	uint64_t low = 0, high = numbers->nr;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (numbers->list[middle] <= limit)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void sorted_numbers_free(struct sorted_numbers *numbers)
{
	if (numbers->list)
		sys_munmap(numbers->list, numbers->bytes);
	*numbers = (struct sorted_numbers){ .nr = 0 };
}
