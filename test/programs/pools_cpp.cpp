// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * A C++ allocator that hands out memory of its own. The report must show of from_arena<int>::allocate 12
 * allocations of 12284 bytes, 1 and 4096 of them not freed (fill), and of the arena nothing, as it is no
 * block of malloc.
 */
#include <insideme.h>

#include <cstddef>
#include <vector>

alignas(16) static char arena[1 << 20];
static std::size_t used;

template <typename T> struct from_arena {
	using value_type = T;

	from_arena() = default;
	template <typename U> from_arena(const from_arena<U> &) {}
	T *allocate(std::size_t count)
	{
		char *block = arena + used;

		used += (count * sizeof(T) + 15) & ~std::size_t(15);
		insideme_alloc(block, count * sizeof(T));
		return reinterpret_cast<T *>(block);
	}
	void deallocate(T *block, std::size_t) { insideme_free(block); }
	bool operator==(const from_arena &) const { return true; }
	bool operator!=(const from_arena &) const { return false; }
};

using numbers = std::vector<int, from_arena<int>>;

static numbers *fill()
{
	alignas(numbers) static char room[sizeof(numbers)];
	numbers *kept = new (room) numbers;

	kept->reserve(1024);
	return kept;
}

static int scratch()
{
	numbers list;

	for (int i = 0; i < 1000; i++)
		list.push_back(i);
	return list.back();
}

int main()
{
	return fill()->size() + scratch() == 999 ? 0 : 1;
}
