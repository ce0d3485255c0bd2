/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/formats/protobuf.h"

#include <stdlib.h>

#include "analyzer/base/names.h"

void protobuf_text(struct row_text *out, uint32_t field, const char *text)
{
	char *clean = utf8_cleaned(text);

	protobuf_bytes(out, field, clean, strlen(clean));
	free(clean);
}

void protobuf_double(struct row_text *out, uint32_t field, double number)
{
	uint64_t bits;
	char bytes[8];

	memcpy(&bits, &number, sizeof(bits));
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)(bits >> (8 * i));
	protobuf_varint(out, field << 3 | PROTOBUF_FIXED64);
	row_add_bytes(out, bytes, sizeof(bytes));
}
