// SPDX-License-Identifier: MIT
// The Mandelbrot set as a picture in text: mandelbrot_cpp [ROWS]. As mandelbrot.c, with the library's complex
// numbers and vectors: insideme-c++ leaves their operators without hooks.
#include <complex>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

namespace fractal {

constexpr int most_steps = 200;

class Picture {
public:
	Picture(int nr_rows, int nr_columns) : nr_rows_(nr_rows), nr_columns_(nr_columns) {}
	void compute();
	void print(std::ostream &out) const;

private:
	std::vector<unsigned char> row(int row) const;

	int nr_rows_, nr_columns_;
	std::vector<std::vector<unsigned char>> rows_; // steps until a point escapes
};

static int escape_steps(std::complex<double> point)
{
	std::complex<double> value;
	int steps = 0;

	for (; steps < most_steps && std::norm(value) < 4; steps++)
		value = value * value + point;
	return steps;
}

std::vector<unsigned char> Picture::row(int row) const
{
	std::vector<unsigned char> steps(nr_columns_);

	for (int column = 0; column < nr_columns_; column++)
		steps[column] = escape_steps({ 3.2 * column / nr_columns_ - 2.3, 2.4 * row / nr_rows_ - 1.2 });
	return steps;
}

void Picture::compute()
{
	for (int i = 0; i < nr_rows_; i++)
		rows_.push_back(row(i));
}

// Prints every 40th of the picture's rows and columns.
void Picture::print(std::ostream &out) const
{
	for (int row = 0; row < nr_rows_; row += (nr_rows_ + 39) / 40) {
		for (int column = 0; column < nr_columns_; column += (nr_columns_ + 79) / 80)
			out << " .:-=+*%@#"[rows_[row][column] * 9 / most_steps];
		out << '\n';
	}
}

} // namespace fractal

int main(int argc, char **argv)
{
	int nr_rows = argc > 1 ? std::atoi(argv[1]) : 800;

	if (nr_rows <= 0) {
		std::cerr << "usage: " << argv[0] << " [ROWS]\n";
		return 2;
	}
	fractal::Picture picture(nr_rows, 2 * nr_rows);
	picture.compute();
	picture.print(std::cout);
}
