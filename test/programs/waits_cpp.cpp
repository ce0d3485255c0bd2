/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Waits that come through the C++ library: joins in two lines of one function, a condition variable of a
 * namespace, and 20 files "file.N", read by a stream. The report must show this file's own lines, and one row
 * for all files.
 */
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <fstream>
#include <mutex>
#include <string>
#include <thread>

static std::mutex lock;
namespace store {
static std::condition_variable is_ready;
}
using store::is_ready;
static bool ready;

__attribute__((noinline)) static void nap(int ms)
{
	std::this_thread::sleep_for(std::chrono::milliseconds(ms));
}

__attribute__((noinline)) static void join_both()
{
	std::thread first(nap, 20), second(nap, 50);

	first.join();
	second.join();
}

__attribute__((noinline)) static void make_ready()
{
	nap(20);
	std::lock_guard<std::mutex> guard(lock);
	ready = true;
	is_ready.notify_all();
}

__attribute__((noinline)) static void wait_ready()
{
	std::unique_lock<std::mutex> guard(lock);

	while (!ready)
		is_ready.wait(guard);
}

__attribute__((noinline)) static long read_files()
{
	std::string text;
	long bytes = 0;

	for (int i = 0; i < 20; i++) {
		std::ifstream file("file." + std::to_string(i));

		while (std::getline(file, text))
			bytes += (long)text.size();
	}
	return bytes;
}

int main()
{
	join_both();
	std::thread maker(make_ready);
	wait_ready();
	maker.join();
	printf("%ld\n", read_files());
	return 0;
}
