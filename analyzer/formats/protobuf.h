/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writing messages of protocol buffers (https://protobuf.dev/programming-guides/encoding): fields one after
 * the other, a message within a message as bytes. Two formats need some ten kinds of messages: they are
 * written by field numbers, without generated code.
 */
#pragma once

#include "analyzer/tables/table_text.h"

enum { PROTOBUF_VARINT, PROTOBUF_FIXED64, PROTOBUF_BYTES };	/* wire types */

static inline void protobuf_varint(struct row_text *out, uint64_t number)
{
	char bytes[10];
	size_t nr = 0;

	for (; number > 127; number >>= 7)
		bytes[nr++] = (char)(number | 128);
	bytes[nr++] = (char)number;
	row_add_bytes(out, bytes, nr);
}

/* uint64, int64, enum, bool */
static inline void protobuf_number(struct row_text *out, uint32_t field, uint64_t number)
{
	protobuf_varint(out, field << 3 | PROTOBUF_VARINT);
	protobuf_varint(out, number);
}

static inline void protobuf_bytes(struct row_text *out, uint32_t field, const char *bytes, size_t nr)
{
	protobuf_varint(out, field << 3 | PROTOBUF_BYTES);
	protobuf_varint(out, nr);
	row_add_bytes(out, bytes, nr);
}

/* A message, or packed numbers. It is empty afterwards. */
static inline void protobuf_message(struct row_text *out, uint32_t field, struct row_text *message)
{
	protobuf_bytes(out, field, message->used ? message->bytes : "", message->used);
	message->used = 0;
}

/* Bytes that are no UTF-8 are replaced: a string must be. */
void protobuf_text(struct row_text *out, uint32_t field, const char *text);
void protobuf_double(struct row_text *out, uint32_t field, double number);
