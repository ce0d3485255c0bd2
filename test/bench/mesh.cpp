// SPDX-License-Identifier: GPL-3.0-or-later
// A C++ program full of accessors: area, box and normals of a surface of 20,000 triangles, N times; some 7 million calls
// each, nearly all of which the compiler inlines where there are no hooks.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

class Point {
public:
	Point(double x, double y, double z) : x_(x), y_(y), z_(z) {}
	double x() const { return x_; }
	double y() const { return y_; }
	double z() const { return z_; }

private:
	double x_, y_, z_;
};

static Point operator-(const Point &a, const Point &b) { return Point(a.x() - b.x(), a.y() - b.y(), a.z() - b.z()); }
static Point operator+(const Point &a, const Point &b) { return Point(a.x() + b.x(), a.y() + b.y(), a.z() + b.z()); }
static double dot(const Point &a, const Point &b) { return a.x() * b.x() + a.y() * b.y() + a.z() * b.z(); }
static double length(const Point &a) { return std::sqrt(dot(a, a)); }
static Point cross(const Point &a, const Point &b)
{
	return Point(a.y() * b.z() - a.z() * b.y(), a.z() * b.x() - a.x() * b.z(), a.x() * b.y() - a.y() * b.x());
}

class Triangle {
public:
	Triangle(unsigned a, unsigned b, unsigned c) : corners_{a, b, c} {}
	unsigned corner(int i) const { return corners_[i]; }

private:
	unsigned corners_[3];
};

class Mesh {
public:
	explicit Mesh(unsigned side);
	const Point &point(unsigned i) const { return points_[i]; }
	const Triangle &triangle(unsigned i) const { return triangles_[i]; }
	unsigned size() const { return static_cast<unsigned>(triangles_.size()); }
	Point normal(unsigned i) const;
	double area(unsigned i) const { return length(normal(i)) / 2; }

private:
	std::vector<Point> points_;
	std::vector<Triangle> triangles_;
};

Mesh::Mesh(unsigned side)
{
	for (unsigned i = 0; i <= side; i++)
		for (unsigned j = 0; j <= side; j++)
			points_.emplace_back(i, j, std::sin(i * 0.1) * std::cos(j * 0.1));
	for (unsigned i = 0; i < side; i++) {
		for (unsigned j = 0; j < side; j++) {
			unsigned at = i * (side + 1) + j;
			triangles_.emplace_back(at, at + 1, at + side + 1);
			triangles_.emplace_back(at + 1, at + side + 2, at + side + 1);
		}
	}
}

Point Mesh::normal(unsigned i) const
{
	const Triangle &face = triangle(i);
	const Point &a = point(face.corner(0)), &b = point(face.corner(1)), &c = point(face.corner(2));

	return cross(b - a, c - a);
}

static double total_area(const Mesh &mesh)
{
	double sum = 0;

	for (unsigned i = 0; i < mesh.size(); i++)
		sum += mesh.area(i);
	return sum;
}

static double highest(const Mesh &mesh)
{
	double high = -1e9;

	for (unsigned i = 0; i < mesh.size(); i++)
		for (int k = 0; k < 3; k++)
			high = std::fmax(high, mesh.point(mesh.triangle(i).corner(k)).z());
	return high;
}

static Point mean_normal(const Mesh &mesh)
{
	Point sum(0, 0, 0);

	for (unsigned i = 0; i < mesh.size(); i++)
		sum = sum + mesh.normal(i);
	return sum;
}

int main(int argc, char **argv)
{
	long times = argc > 1 ? std::atol(argv[1]) : 1;
	Mesh mesh(100);
	double sum = 0;

	for (long i = 0; i < times; i++)
		sum += total_area(mesh) + highest(mesh) + length(mean_normal(mesh));
	std::printf("%.3f\n", sum);
	return 0;
}
