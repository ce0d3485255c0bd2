/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls of C++. The report must show
 *   shapes::square::area 200 and shapes::circle::area 100 calls (virtual), twice<int> 300, twice<double> 150,
 *   shapes::square's constructor 200 and destructor 200 calls;
 *   descend 400 (100 times 4 deep, each ended by an exception), attempt 100, after 100;
 *   in the tree after stands under attempt, never under descend: frames that an exception ended are gone.
 */
#include <cstdio>
#include <stdexcept>

namespace shapes {

struct shape {
	virtual double area() const = 0;
	virtual ~shape() = default;
};

struct square : shape {
	explicit square(double side) : side(side) {}
	~square() override { last = side; }
	double area() const override { return side * side; }
	static volatile double last;
	double side;
};

volatile double square::last;

struct circle : shape {
	double area() const override { return 3; }
};

}

template <typename T> __attribute__((noinline)) static T twice(T value)
{
	return value + value;
}

__attribute__((noinline)) static int descend(int depth)
{
	if (depth == 0)
		throw std::runtime_error("the bottom");
	return descend(depth - 1) + 1;
}

__attribute__((noinline)) static int after(int caught)
{
	volatile char frame[256] = { 0 }; /* a bigger frame than descend's: it reaches over the dead ones */

	return caught + frame[17];
}

__attribute__((noinline)) static int attempt()
{
	try {
		descend(3);
	} catch (const std::runtime_error &) {
		return after(1);
	}
	return 0;
}

int main()
{
	double sum = 0;
	int caught = 0;

	for (int i = 0; i < 200; i++) {
		shapes::square square(i);
		const shapes::shape *volatile any = &square;

		sum += any->area();
	}
	for (int i = 0; i < 100; i++) {
		shapes::circle circle;
		const shapes::shape *volatile any = &circle;

		sum += any->area();
	}
	for (int i = 0; i < 300; i++)
		sum += twice(i);
	for (int i = 0; i < 150; i++)
		sum += twice(i / 2.0);
	for (int i = 0; i < 100; i++)
		caught += attempt();
	printf("sum %.1f, caught %d\n", sum, caught);
	return 0;
}
