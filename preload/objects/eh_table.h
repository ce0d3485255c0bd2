/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The begin and end of functions, from an object's .eh_frame_hdr and .eh_frame. */
#pragma once

#include <stdint.h>

/* .eh_frame_hdr in memory. */
struct eh_table {
	uintptr_t begin;     /* 0: there is none */
	uintptr_t low, high; /* the segment that holds it and .eh_frame: nothing else is read */
};

struct function_range {
	uintptr_t begin;
	uintptr_t end; /* 0: not known */
};

/* The function around @addr. Calls nothing; callable from anywhere. */
struct function_range eh_table_find(const struct eh_table *table, uintptr_t addr);
