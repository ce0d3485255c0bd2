/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Integers of variable length in the log: 7 bits a byte, lowest bits first. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Write @value at @at, in at most 10 bytes. Return: behind it */
static inline uint8_t *varint_put(uint8_t *at, uint64_t value)
{
	while (value >= 128) {
		*at++ = (uint8_t)(value | 128);
		value >>= 7;
	}
	*at++ = (uint8_t)value;
	return at;
}

/* Read one at *@at and advance *@at. Return: false if it does not end before @end */
static inline bool varint_get(const uint8_t **at, const uint8_t *end, uint64_t *value)
{
	const uint8_t *byte = *at;

	*value = 0;
	for (uint32_t shift = 0; shift < 64 && byte < end; shift += 7) {
		*value |= (uint64_t)(*byte & 127) << shift;
		if (*byte++ < 128) {
			*at = byte;
			return true;
		}
	}
	return false;
}

/* Numbers near 0, of either sign, become small ones: 0, -1, 1, -2 become 0, 1, 2, 3. */
static inline uint64_t zigzag(int64_t value)
{
	return ((uint64_t)value << 1) ^ (uint64_t)(value >> 63);
}

static inline int64_t unzigzag(uint64_t value)
{
	return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}
