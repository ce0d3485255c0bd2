/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decides which process of the run writes the machine's rows. */
#include "preload/common/run/machine_owner.h"

#include "preload/common/base/syscalls.h"
#include "preload/common/base/text.h"
#include "preload/common/log/log_elsewhere.h"
#include "preload/common/run/process_id.h"

void machine_owner_init(struct machine_owner *owner, struct run *run, const struct log_header *log)
{
	*owner = (struct machine_owner){ .run = run, .log = log };
}

/* Another host or a daemon serves such a page: an access may wait for it, or end the process. */
static bool is_remote(const struct run *run)
{
	int fd = (int)sys_open(run->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	bool remote = fd < 0 || elsewhere_is_remote(fd);

	if (fd >= 0)
		sys_close(fd);
	return remote;
}

/*
 * A process that found its run by the log that programs share has not mapped the page yet. A
 * process of another boot or host, or one that does not see what others write, reads the machine in
 * any case.
 */
static void find_page(struct machine_owner *owner)
{
	struct run *run = owner->run;

	owner->has_looked = true;
	if (!run || is_remote(run) || (!run->page && run_map_page(run, NULL) < 0))
		return;
	if (!run->page_is_private && owner->log->boot_id[0] &&
	    text_equal(run->page->boot_id, owner->log->boot_id))
		owner->page = run->page;
}

static uint64_t self_of(const struct machine_owner *owner)
{
	return owner->log->process_start << 32 | owner->log->pid;
}

/*
 * The page has the low bits of the start. To be mistaken, a pid would have to come back within the
 * same 10 ms after 1.4 years.
 */
static bool is_there(uint64_t word)
{
	uint32_t pid = (uint32_t)word & ~LOG_MACHINE_IDLE;

	return pid && process_runs(pid, (uint32_t)(word >> 32));
}

bool machine_owner_claim(struct machine_owner *owner, bool is_idle)
{
	uint64_t wanted, seen;

	if (!owner->has_looked)
		find_page(owner);
	if (!owner->page)
		return true;
	wanted = self_of(owner) | (is_idle ? LOG_MACHINE_IDLE : 0);
	seen = __atomic_load_n(&owner->page->machine_owner, __ATOMIC_RELAXED);
	if (seen == wanted)
		return true;
	if (!machine_owner_is_self(owner) && (is_idle || !(seen & LOG_MACHINE_IDLE)) && is_there(seen))
		return false;
	return __atomic_compare_exchange_n(&owner->page->machine_owner, &seen, wanted, false,
					   __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

bool machine_owner_is_self(const struct machine_owner *owner)
{
	return !owner->page || (__atomic_load_n(&owner->page->machine_owner, __ATOMIC_RELAXED) &
				~(uint64_t)LOG_MACHINE_IDLE) == self_of(owner);
}

void machine_owner_leave(struct machine_owner *owner)
{
	uint64_t seen = owner->page ? __atomic_load_n(&owner->page->machine_owner, __ATOMIC_RELAXED) : 0;

	if (owner->page && machine_owner_is_self(owner))
		__atomic_compare_exchange_n(&owner->page->machine_owner, &seen, 0, false, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED);
}

/* 0: not known. */
static uint64_t network_namespace(void)
{
	char link[64];
	const char *at = link + sizeof("net:[") - 1;
	long length = sys_readlink("/proc/self/ns/net", link, sizeof(link) - 1);
	uint64_t inode = 0;

	link[length > 0 ? length : 0] = '\0';
	return text_begins(link, "net:[") && text_read_u64(&at, &inode) == 0 ? inode : 0;
}

/* Counters of two namespaces in one curve would make no sense. The first owner chooses the namespace. */
bool machine_owner_has_network(const struct machine_owner *owner)
{
	uint64_t first = 0, own;

	if (!owner->page)
		return true;
	own = network_namespace();
	return __atomic_compare_exchange_n(&owner->page->machine_network, &first, own, false,
					   __ATOMIC_RELAXED, __ATOMIC_RELAXED) ||
	       first == own;
}
