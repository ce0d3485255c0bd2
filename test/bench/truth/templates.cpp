// SPDX-License-Identifier: GPL-3.0-or-later
// Truth bench: C++ templates: containers and algorithms of the standard library, of which every function has hooks,
// a class template of our own and virtual calls. Argument: rounds.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

template <typename T, int N> class grid {
	T cells[N * N] = {};

public:
	T &at(int x, int y) { return cells[y * N + x]; }
	T sum()
	{
		T all{};
		for (int y = 0; y < N; y++)
			for (int x = 0; x < N; x++)
				all += at(x, y);
		return all;
	}
};

struct shape {
	virtual ~shape() = default;
	virtual double area() const = 0;
};

struct square : shape {
	double side;
	explicit square(double s) : side(s) {}
	double area() const override { return side * side; }
};

struct disk : shape {
	double radius;
	explicit disk(double r) : radius(r) {}
	double area() const override
	{
		double sum = 0;
		for (int i = 1; i < 40; i++)
			sum += radius / (i * i);
		return sum;
	}
};

static double sort_numbers(unsigned seed)
{
	std::vector<unsigned> numbers;

	for (int i = 0; i < 500; i++) {
		seed = seed * 1664525 + 1013904223;
		numbers.push_back(seed >> 8);
	}
	std::sort(numbers.begin(), numbers.end(), [](unsigned a, unsigned b) { return a % 1000 < b % 1000; });
	return numbers[numbers.size() / 2];
}

static double look_up(unsigned seed)
{
	std::map<std::string, int> counts;
	double sum = 0;

	for (int i = 0; i < 100; i++) {
		seed = seed * 1664525 + 1013904223;
		counts["key number " + std::to_string(seed >> 26)]++;
	}
	for (const auto &pair : counts)
		sum += pair.second;
	return sum;
}

static double add_areas(const std::vector<std::unique_ptr<shape>> &shapes)
{
	double sum = 0;

	for (const auto &one : shapes)
		sum += one->area();
	return sum;
}

static double fill_grid(unsigned seed)
{
	static grid<float, 24> cells;

	for (int y = 0; y < 24; y++)
		for (int x = 0; x < 24; x++)
			cells.at(x, y) += static_cast<float>((seed ^ static_cast<unsigned>(x * y)) & 3);
	return cells.sum();
}

int main(int argc, char **argv)
{
	std::vector<std::unique_ptr<shape>> shapes;
	double result = 0;

	for (int i = 0; i < 200; i++)
		if (i % 2)
			shapes.push_back(std::make_unique<square>(i));
		else
			shapes.push_back(std::make_unique<disk>(i));
	for (long i = 0; i < (argc > 1 ? atol(argv[1]) : 1); i++) {
		unsigned seed = static_cast<unsigned>(i);

		result += sort_numbers(seed) + look_up(seed) + fill_grid(seed);
		for (int j = 0; j < 5; j++)
			result += add_areas(shapes);
	}
	std::printf("%g\n", result);
	return 0;
}
