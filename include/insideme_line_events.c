/* SPDX-License-Identifier: MIT */
/*
 * Code that insideme-cc --line-events compiles calls this before the first instruction of each line. It may
 * be code of any kind, so all registers and flags stay as they are. Nothing is written. If the recorder is
 * loaded and records line events, it gets each line of the selected code. Otherwise a call returns at once.
 * Each object, the program or a library, has its own.
 */
#include "insideme.h"

#define OWN __attribute__((visibility("hidden")))

extern OWN struct insideme_line_events insideme_line_events;
struct insideme_line_events insideme_line_events;

/* By the linker. */
extern OWN const char __ehdr_start[], etext[];

__attribute__((constructor(101), no_instrument_function)) static void begin(void)
{
	const struct insideme_recorder *recorder;

	insideme_look_up();
	recorder = insideme_link.recorder;
	if (recorder && recorder->bytes >= sizeof(*recorder))
		recorder->line_events(&insideme_line_events, __ehdr_start, etext);
}

/*
 * The caller keeps the 128 bytes below its stack for itself: what this is called with lies below them. The
 * flags are in %rax: of those that lahf does not know only "overflow" can matter. popq leaves flags alone.
 */
__asm__(".text\n\t"
	".p2align 4\n\t"
	".globl insideme_line_event\n\t"
	".hidden insideme_line_event\n\t"
	".type insideme_line_event, @function\n"
	"insideme_line_event:\n\t"
	"pushq %rax\n\t"
	"lahf\n\t"
	"seto %al\n\t"
	"pushq %rdx\n\t"
	"movq 16(%rsp), %rdx\n\t"
	"subq insideme_line_events(%rip), %rdx\n\t"
	"cmpq insideme_line_events+8(%rip), %rdx\n\t"
	"popq %rdx\n\t"
	"jae 1f\n\t"
	"pushq %rax\n\t"
	"pushq %rcx\n\t"
	"pushq %rdx\n\t"
	"pushq %rsi\n\t"
	"pushq %rdi\n\t"
	"pushq %r8\n\t"
	"pushq %r9\n\t"
	"pushq %r10\n\t"
	"pushq %r11\n\t"
	"pushq %rbx\n\t"
	"movq %rsp, %rbx\n\t"
	"movq 88(%rsp), %rdi\n\t"
	"leaq 96+128(%rsp), %rsi\n\t"
	"andq $-16, %rsp\n\t"
	"call *insideme_line_events+16(%rip)\n\t"
	"movq %rbx, %rsp\n\t"
	"popq %rbx\n\t"
	"popq %r11\n\t"
	"popq %r10\n\t"
	"popq %r9\n\t"
	"popq %r8\n\t"
	"popq %rdi\n\t"
	"popq %rsi\n\t"
	"popq %rdx\n\t"
	"popq %rcx\n\t"
	"popq %rax\n"
	"1:\taddb $127, %al\n\t"
	"sahf\n\t"
	"popq %rax\n\t"
	"ret\n\t"
	".size insideme_line_event, . - insideme_line_event");
