// SPDX-License-Identifier: MIT
// A pool of processes: pool [ITEMS]. Four workers take numbers from a pipe and factor them. One number in 20
// cannot be factored, and the worker throws; it catches that, counts it, and goes on.
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <string>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

static std::vector<uint64_t> factor(uint64_t number)
{
	std::vector<uint64_t> factors;

	if (number % 20 == 7)
		throw std::invalid_argument("no factors of " + std::to_string(number));
	for (uint64_t divisor = 2; divisor * divisor <= number; divisor++) {
		for (; number % divisor == 0; number /= divisor)
			factors.push_back(divisor);
	}
	factors.push_back(number);
	return factors;
}

static bool work(uint64_t item)
{
	try {
		return !factor(1000000000000 + item).empty();
	} catch (const std::invalid_argument &) {
		return false;
	}
}

// Returns how many items failed. A pipe hands out each item once.
static int worker(int items, int index)
{
	uint64_t item;
	int nr_failed = 0;

	prctl(PR_SET_NAME, ("worker " + std::to_string(index)).c_str());
	while (read(items, &item, sizeof(item)) == sizeof(item))
		nr_failed += !work(item);
	return nr_failed;
}

static bool hand_out(int items, uint64_t nr_items)
{
	for (uint64_t item = 0; item < nr_items; item++) {
		if (write(items, &item, sizeof(item)) != sizeof(item))
			return false;
	}
	return true;
}

static int failures(int nr_workers)
{
	int nr_failed = 0, status;

	while (nr_workers-- && wait(&status) > 0)
		nr_failed += WIFEXITED(status) ? WEXITSTATUS(status) : 0;
	return nr_failed;
}

int main(int argc, char **argv)
{
	const int nr_workers = 4;
	uint64_t nr_items = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 400;
	int ends[2];

	if (pipe(ends))
		return 1;
	for (int i = 0; i < nr_workers; i++) {
		if (fork() == 0) {
			close(ends[1]);
			_exit(worker(ends[0], i));
		}
	}
	close(ends[0]);
	bool is_done = hand_out(ends[1], nr_items);
	close(ends[1]);
	std::cout << failures(nr_workers) << " of " << nr_items << " items failed\n";
	return !is_done;
}
