/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names of descriptors: files by path, others by kind. A name is read by one system call, not at each call on
 * the descriptor.
 */
#pragma once

#include <stdint.h>

/* The label of the name of @fd, 0: not known yet. */
uint32_t descriptor_label(int fd);

/*
 * The same after a call on it that took @ticks, of which there were @calls before: the name is read if it is
 * worth that, or may have changed meanwhile. After a seccomp filter it is not. @path: by which the call has
 * opened @fd; else NULL.
 */
uint32_t descriptor_look_again(int fd, const char *path, uint64_t ticks, uint64_t calls);

/* @fd was closed, or means another file now. */
void descriptor_forget(int fd);
