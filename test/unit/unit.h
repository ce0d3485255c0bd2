/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A unit test: cmocka, and TEST(), which defines a test and has main() of unit.c run it, in the file's order.
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* TEST(NAME) or TEST(NAME, SETUP, TEARDOWN) { ... } */
#define TEST(name, ...) \
	static void name(void **state); \
	__attribute__((constructor)) static void add_##name(void) \
	{ \
		unit_add(#name, name, (CMFixtureFunction[2]){ __VA_ARGS__ }); \
	} \
	static void name(void **state)

/* @between: the setup and the teardown; NULL: none */
void unit_add(const char *name, CMUnitTestFunction test, const CMFixtureFunction between[2]);

/* What a file may define: called before its first test and after its last. */
int before_all(void **state) __attribute__((weak));
int after_all(void **state) __attribute__((weak));
