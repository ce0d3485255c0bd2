// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Built without hooks: allocates by operator new, from before main() on, and while an exception is being
 * thrown. Prints what a report must show, as heap_sites does.
 */
#include <cstdio>
#include <cstdlib>
#include <malloc.h>
#include <new>
#include <stdexcept>

#define NOINLINE __attribute__((noinline))

static const int many = 20000;
static void *volatile kept;

struct site {
	const char *name;
	size_t bytes, blocks, freed_bytes, freed_blocks;

	void *allocated(void *block)
	{
		bytes += malloc_usable_size(block);
		blocks++;
		return kept = block;
	}

	void *to_be_freed(void *block)
	{
		freed_bytes += malloc_usable_size(block);
		freed_blocks++;
		return block;
	}
};

struct small { char data[88]; };
struct alignas(128) wide { char data[384]; };

static site by_static = { "by_static", 0, 0, 0, 0 }, by_new = { "by_new", 0, 0, 0, 0 },
	    by_array = { "by_array", 0, 0, 0, 0 }, by_nothrow = { "by_nothrow", 0, 0, 0, 0 },
	    by_aligned = { "by_aligned", 0, 0, 0, 0 }, by_throwing = { "by_throwing", 0, 0, 0, 0 };

static NOINLINE bool do_by_static()
{
	for (int i = 0; i < many; i++)
		by_static.allocated(new char[200]);
	return true;
}

static bool early = do_by_static();

static NOINLINE void do_by_new()
{
	for (int i = 0; i < many; i++)
		by_new.allocated(new small);
}

static NOINLINE void do_by_array()
{
	for (int i = 0; i < many; i++) {
		small *array = new small[10];

		by_array.allocated(array);
		if (i % 2) {
			by_array.to_be_freed(array);
			delete[] array;
		}
	}
}

static NOINLINE void do_by_nothrow()
{
	for (int i = 0; i < many; i++)
		by_nothrow.allocated(new (std::nothrow) char[1500]);
}

static NOINLINE void do_by_aligned()
{
	for (int i = 0; i < many; i++)
		by_aligned.allocated(new wide);
}

static NOINLINE void do_by_throwing()
{
	by_throwing.allocated(std::malloc(600));
}

struct on_its_way {
	~on_its_way()
	{
		do_by_throwing();
	}
};

static NOINLINE void throws()
{
	on_its_way local;

	throw std::runtime_error("on purpose");
}

static void say(const site &site)
{
	std::printf("%s %zu %zu %zu %zu\n", site.name, site.bytes, site.blocks, site.bytes - site.freed_bytes,
		    site.blocks - site.freed_blocks);
}

int main()
{
	if (early)
		do_by_new();
	do_by_array();
	do_by_nothrow();
	do_by_aligned();
	for (int i = 0; i < many; i++) {
		try {
			throws();
		} catch (const std::runtime_error &) {
		}
	}
	for (const site &site : { by_static, by_throwing, by_new, by_array, by_nothrow, by_aligned })
		say(site);
}
