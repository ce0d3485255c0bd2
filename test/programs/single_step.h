/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program that stops after each instruction (the trap flag), and knows where the library's code is. */
#include <link.h>
#include <stdint.h>
#include <string.h>

#define TRAP_FLAG 256l
#define NOT_RECORDED __attribute__((no_instrument_function))

static uintptr_t begin, end; /* of the library's code; 0: find_library() has not found it */

NOT_RECORDED static int find_library(struct dl_phdr_info *object, size_t bytes, void *unused)
{
	if (!strstr(object->dlpi_name, "libinsideme.so"))
		return 0;
	for (int i = 0; i < object->dlpi_phnum; i++)
		if (object->dlpi_phdr[i].p_flags & PF_X) {
			begin = object->dlpi_addr + object->dlpi_phdr[i].p_vaddr;
			end = begin + object->dlpi_phdr[i].p_memsz;
		}
	return 1;
}

static inline __attribute__((always_inline, no_instrument_function)) void step(int is_on)
{
#ifdef __x86_64__
	__asm__ volatile("pushfq; andq %1, (%%rsp); orq %0, (%%rsp); popfq"
			 :
			 : "r"(is_on ? TRAP_FLAG : 0l), "r"(~TRAP_FLAG)
			 : "memory", "cc");
#endif
}
