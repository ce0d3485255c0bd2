/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers in few bytes: seven bits in each, the lowest first. */
#pragma once

#include <stdint.h>

static inline uint8_t *put_varint(uint8_t *at, uint64_t value)
{
	while (value >= 128) {
		*at++ = (uint8_t)(value | 128);
		value >>= 7;
	}
	*at++ = (uint8_t)value;
	return at;
}

/* Numbers near 0, of either sign, become small ones. */
static inline uint64_t zigzag(int64_t value)
{
	return ((uint64_t)value << 1) ^ (uint64_t)(value >> 63);
}
