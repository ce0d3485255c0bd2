/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whose turn it is to have rows of the machine. */
#include "preload/common/run/lease.h"

#include "preload/common/base/syscalls.h"
#include "preload/common/base/text.h"
#include "preload/common/log/log_elsewhere.h"

#define PERIODS		2u
#define MOST_NS		10000000000u	/* what is further ahead nobody wrote: a damaged page */

void lease_init(struct lease *lease, struct run *run, const char *boot_id)
{
	*lease = (struct lease){ .run = run, .boot_id = boot_id };
}

/* Behind which a daemon or another host stands: who touches its page each moment may have to wait, or be ended. */
static bool is_remote(const struct run *run)
{
	int fd = (int)sys_open(run->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	bool remote = fd < 0 || elsewhere_is_remote(fd);

	if (fd >= 0)
		sys_close(fd);
	return remote;
}

/*
 * The page of who found the run by the log that programs share is mapped now only. Processes of another boot or host, and
 * those that cannot see what others write, have rows whatever others have.
 */
static void find_page(struct lease *lease)
{
	struct run *run = lease->run;

	lease->is_found = true;
	if (!run || is_remote(run) || (!run->page && run_map_page(run, NULL) < 0))
		return;
	if (!run->page_is_private && lease->boot_id[0] && text_equal(run->page->boot_id, lease->boot_id))
		lease->page = run->page;
}

bool lease_take(struct lease *lease, uint64_t now_ns, uint64_t period_ns, uint64_t rest_ns)
{
	uint64_t until_ns, next_ns = now_ns + (period_ns < MOST_NS / PERIODS ? period_ns * PERIODS : MOST_NS);

	if (!lease->is_found)
		find_page(lease);
	if (!lease->page)
		return true;
	until_ns = __atomic_load_n(&lease->page->machine_until_ns, __ATOMIC_RELAXED);
	if (until_ns && until_ns != lease->own_ns && until_ns + rest_ns > now_ns && until_ns <= now_ns + MOST_NS)
		return false;
	if (!__atomic_compare_exchange_n(&lease->page->machine_until_ns, &until_ns, next_ns, false, __ATOMIC_RELAXED,
					 __ATOMIC_RELAXED))
		return false;
	lease->own_ns = next_ns;
	return true;
}

bool lease_is_held(const struct lease *lease)
{
	return !lease->page ||
	       (lease->own_ns && __atomic_load_n(&lease->page->machine_until_ns, __ATOMIC_RELAXED) == lease->own_ns);
}

void lease_leave(struct lease *lease)
{
	uint64_t own_ns = lease->own_ns;

	if (lease->page && own_ns)
		__atomic_compare_exchange_n(&lease->page->machine_until_ns, &own_ns, 0, false, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED);
	lease->own_ns = 0;
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

/* Counters of two namespaces in one curve would be nonsense. Whose rows are the first says which one. */
bool lease_has_network(const struct lease *lease)
{
	uint64_t first = 0, own;

	if (!lease->page)
		return true;
	own = network_namespace();
	return __atomic_compare_exchange_n(&lease->page->machine_network, &first, own, false, __ATOMIC_RELAXED,
					   __ATOMIC_RELAXED) || first == own;
}
