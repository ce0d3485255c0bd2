/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Real numbers as decimal text: what printf writes, at a fifth of its time. No locale. */
#ifndef INSIDEME_DECIMAL_H
#define INSIDEME_DECIMAL_H

#define DECIMAL_TEXT_MAX 32

/* As "%.3f" without the zeros at its end: "0.25", "3", "-0". @value: less than 1e16 on either side of 0. Return: @out */
char *decimal_thousandths(char out[DECIMAL_TEXT_MAX], double value);

/* As "%.15g", of any number. Return: @out */
char *decimal_significant(char out[DECIMAL_TEXT_MAX], double value);

#endif
