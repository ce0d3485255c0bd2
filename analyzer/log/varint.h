/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Integers of variable length in the log: 7 bits a byte, lowest bits first. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Read one at @at and advance @at. Return: false if it does not end before @end */
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

/* 0, 1, 2, 3 become 0, -1, 1, -2. */
static inline int64_t varint_signed(uint64_t value)
{
	return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}
