/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * counted_lines [HOW]: the same lines run equally often each time, in templates, lambdas, macros and inlined
 * functions. HOW: "killed": then waits to be killed; "exec": execs itself; "fork": a child runs work() once more than
 * its parent; "quick": _exit(); "threads": two threads run work().
 */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <pthread.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#define EACH(i, n) for (int i = 0; i < (n); i++)
#define MAKE(name, by) static long name(long v) { if (v % 2) return v * (by); return v + (by); }

MAKE(twice, 2)
MAKE(thrice, 3)

template <class T> static T largest(const std::vector<T> &list)
{
	T found = list[0];

	for (const T &one : list)
		if (found < one)
			found = one;
	return found;
}

static inline long collatz(long v)
{
	long steps = 0;

	while (v != 1) {
		v = v % 2 ? 3 * v + 1 : v / 2;
		steps++;
	}
	return steps;
}

static long fib(int n)
{
	if (n < 2)
		return n;
	return fib(n - 1) + fib(n - 2);
}

struct Shape {
	virtual ~Shape() {}
	virtual long area() const = 0;
};

struct Square : Shape {
	long side;
	explicit Square(long s) : side(s) {}
	long area() const override { return side * side; }
};

static void *work(void *)
{
	std::vector<long> numbers;
	std::map<std::string, int> names;
	std::vector<double> halves;
	long sum = 0;

	EACH(i, 1000)
		numbers.push_back(collatz(i + 1));
	for (long v : numbers) {
		sum += v % 3 ? twice(v) : thrice(v); names[std::to_string(v % 7)]++;
		halves.push_back(static_cast<double>(v) / 2);
	}
	std::sort(numbers.begin(), numbers.end(), [](long a, long b) { return a % 10 < b % 10; });
	auto add = [&sum](long v) {
		if (v > 50)
			sum += v;
	};
	for (long v : numbers)
		add(v);
	try {
		if (largest(numbers) > 5)
			throw std::string("large");
	} catch (const std::string &text) {
		sum += static_cast<long>(text.size());
	}
	EACH(i, 100) {
		Square square(i);
		const Shape &shape = square;

		switch (i % 4) {
		case 0: sum += shape.area(); break;
		case 1: continue;
		default: sum--;
		}
	}
	sum += fib(15) + static_cast<long>(largest(halves));
	printf("%ld\n", sum);
	return nullptr;
}

static void threads()
{
	pthread_t other;

	pthread_create(&other, nullptr, work, nullptr);
	work(nullptr);
	pthread_join(other, nullptr);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";

	work(nullptr);
	fflush(stdout);
	if (!strcmp(how, "killed"))
		for (;;)
			pause();
	if (!strcmp(how, "exec"))
		execl(argv[0], argv[0], "quick", static_cast<char *>(nullptr));
	if (!strcmp(how, "fork")) {
		if (fork() == 0) {
			work(nullptr);
			fflush(stdout);
			_exit(0);
		}
		wait(nullptr);
	}
	if (!strcmp(how, "threads"))
		threads();
	fflush(stdout);
	if (!strcmp(how, "quick"))
		_exit(0);
	return 0;
}
