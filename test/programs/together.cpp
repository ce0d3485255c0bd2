/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What disturbs recorders, all at once: plugins loaded and unloaded, exceptions, forks and new threads, in
 * seven threads under a timer's signals. together DIRECTORY SECONDS. Ends with status 0 when every child
 * ended well; prints how often each was done as "loads N throws N forks N".
 */
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <dlfcn.h>
#include <pthread.h>
#include <stdexcept>
#include <string>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

static std::atomic<bool> is_over;
static std::atomic<long> nr_loads, nr_throws, nr_forks, nr_bad;
static std::string directory;
static volatile long sum;

__attribute__((noinline)) static int leaf(int value)
{
	return value * 2;
}

static void on_alarm(int)
{
	for (int i = 0; i < 3; i++)
		sum = sum + leaf(i);
}

static void *load(void *first)
{
	static const char *const names[] = { "first", "second" };

	for (unsigned i = static_cast<unsigned>(reinterpret_cast<long>(first)); !is_over; i++) {
		void *plugin = dlopen((directory + "/" + names[i % 2] + "_plugin.so").c_str(), RTLD_NOW);
		auto run =
			plugin ? reinterpret_cast<void (*)(volatile long *)>(dlsym(plugin, "run")) : nullptr;

		if (!run || (run(&sum), dlclose(plugin)) != 0)
			nr_bad++;
		nr_loads++;
	}
	return nullptr;
}

static void *catch_exceptions(void *)
{
	while (!is_over) {
		try {
			std::vector<std::string> texts(5, "more than fits in place");

			throw std::runtime_error(texts[2]);
		} catch (const std::exception &) {
			nr_throws++;
		}
	}
	return nullptr;
}

static void *fork_children(void *)
{
	while (!is_over) {
		int status = 0;
		pid_t child = fork();

		if (child == 0) {
			leaf(3);
			free(malloc(10));
			_exit(3);
		}
		if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 3)
			nr_bad++;
		nr_forks++;
	}
	return nullptr;
}

static void *nothing(void *argument)
{
	leaf(1);
	return argument;
}

static void *start_threads(void *)
{
	while (!is_over) {
		pthread_t thread;

		if (pthread_create(&thread, nullptr, nothing, nullptr) == 0)
			pthread_join(thread, nullptr);
		usleep(1000);
	}
	return nullptr;
}

int main(int argc, char **argv)
{
	void *(*const kinds[])(void *) = { load, load, catch_exceptions, catch_exceptions,
					   fork_children, fork_children, start_threads };
	const itimerval often = { { 0, 500 }, { 0, 500 } };
	std::vector<pthread_t> threads(7);
	time_t end = time(nullptr) + (argc > 2 ? atoi(argv[2]) : 1);

	directory = argc > 1 ? argv[1] : ".";
	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &often, nullptr);
	for (long i = 0; i < 7; i++)
		pthread_create(&threads[i], nullptr, kinds[i], reinterpret_cast<void *>(i));
	while (time(nullptr) < end)
		free(malloc(leaf(100)));
	is_over = true;
	for (pthread_t thread : threads)
		pthread_join(thread, nullptr);
	printf("loads %ld throws %ld forks %ld\n", nr_loads.load(), nr_throws.load(), nr_forks.load());
	return nr_bad ? 1 : 0;
}
