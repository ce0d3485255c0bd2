/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The main job on real input: real library code (nlohmann-json, Eigen, stb_image), compiled with the hooks
 * like our own, on real data of Debian (iso-codes, iso-flags-png-320x240, wamerican). Reads the world's
 * countries, subdivisions and languages, decodes the countries' flags in four threads, finds the main colours
 * of all flags (principal components, with Eigen), the flags most alike, and the country names that are
 * English words or hold one; writes the result as JSON: countries [WORK [OUTPUT]], WORK times over.
 *
 * The report must show: load_json once per file and round (3 files); decode_flag once per flag found
 * (printed), spread over threads named flags-0 to flags-3; main_colours, most_alike and find_words once per
 * round; write_result once; memory that rises with the decoded flags and falls after each round.
 */
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <unordered_set>
#include <vector>

#include <pthread.h>

#include <Eigen/Core>
#include <nlohmann/json.hpp>

#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_ONLY_PNG
#include <stb/stb_image.h>

using nlohmann::json;

static const std::string codes = "/usr/share/iso-codes/json/";
static const std::string flags = "/usr/share/iso-flags-png-320x240/";
static const std::string words = "/usr/share/dict/words";
static const int nr_threads = 4;
static const int grid = 4;	/* a flag is compared by the mean colours of 4 x 4 fields */

struct country {
	std::string code;
	std::string name;
	std::vector<unsigned char> pixels;	/* RGB */
	int width = 0, height = 0;
	Eigen::VectorXd fields;
};

static json load_json(const std::string &path)
{
	std::ifstream file(path);

	if (!file)
		throw std::runtime_error("cannot read " + path);
	return json::parse(file);
}

static std::vector<country> list_countries(const json &list)
{
	std::vector<country> countries;

	for (const json &entry : list.at("3166-1")) {
		country one;

		one.code = entry.at("alpha_2").get<std::string>();
		one.name = entry.value("common_name", entry.at("name").get<std::string>());
		std::transform(one.code.begin(), one.code.end(), one.code.begin(), ::tolower);
		countries.push_back(std::move(one));
	}
	return countries;
}

static bool decode_flag(country &one)
{
	int channels;
	unsigned char *data =
		stbi_load((flags + one.code + ".png").c_str(), &one.width, &one.height, &channels, 3);

	if (!data)
		return false;
	one.pixels.assign(data, data + 3 * one.width * one.height);
	stbi_image_free(data);
	return true;
}

static void measure_fields(country &one)
{
	Eigen::VectorXd sums = Eigen::VectorXd::Zero(3 * grid * grid);
	std::vector<int> counts(grid * grid);
	const unsigned char *pixel = one.pixels.data();
	double *sum = sums.data();
	int *count = counts.data();

	for (int y = 0; y < one.height; y++) {
		for (int x = 0; x < one.width; x++, pixel += 3) {
			int field = y * grid / one.height * grid + x * grid / one.width;

			for (int i = 0; i < 3; i++)
				sum[3 * field + i] += pixel[i];
			count[field]++;
		}
	}
	for (int i = 0; i < 3 * grid * grid; i++)
		sum[i] /= 255 * count[i / 3];
	one.fields = sums;
}

static int decode_flags(std::vector<country> &countries)
{
	std::atomic<size_t> next{0};
	std::atomic<int> found{0};
	std::vector<std::thread> threads;

	for (int i = 0; i < nr_threads; i++) {
		threads.emplace_back([&, i] {
			pthread_setname_np(pthread_self(), ("flags-" + std::to_string(i)).c_str());
			for (size_t k; (k = next++) < countries.size();) {
				if (!decode_flag(countries[k]))
					continue;
				measure_fields(countries[k]);
				found++;
			}
		});
	}
	for (std::thread &thread : threads)
		thread.join();
	countries.erase(std::remove_if(countries.begin(), countries.end(),
				       [](const country &c) { return c.pixels.empty(); }),
			countries.end());
	return found;
}

/* The direction of the largest variance in @data's rows, by power iteration. */
static Eigen::VectorXd main_direction(const Eigen::MatrixXd &data)
{
	Eigen::VectorXd direction = Eigen::VectorXd::Ones(data.cols());

	for (int i = 0; i < 50; i++) {
		Eigen::VectorXd projected = data * direction;

		direction = data.transpose() * projected;
		direction /= direction.norm();
	}
	return direction;
}

/* Shares of the variance that the three main components of all flags' colours explain. */
static json main_colours(const std::vector<country> &countries)
{
	Eigen::MatrixXd data(countries.size(), 3 * grid * grid);
	json shares = json::array();

	for (size_t i = 0; i < countries.size(); i++)
		data.row(i) = countries[i].fields;
	for (int i = 0; i < data.cols(); i++)
		data.col(i).array() -= data.col(i).mean();
	double all = data.squaredNorm();

	for (int i = 0; i < 3; i++) {
		Eigen::VectorXd direction = main_direction(data);
		Eigen::VectorXd projected = data * direction;

		shares.push_back(projected.squaredNorm() / all);
		for (int k = 0; k < data.cols(); k++)
			data.col(k) -= direction[k] * projected;
	}
	return shares;
}

static json most_alike(const std::vector<country> &countries)
{
	std::vector<std::pair<double, std::string>> pairs;

	for (size_t i = 0; i < countries.size(); i++)
		for (size_t k = 0; k < i; k++)
			pairs.emplace_back((countries[i].fields - countries[k].fields).squaredNorm(),
					   countries[k].name + " / " + countries[i].name);
	std::partial_sort(pairs.begin(), pairs.begin() + 5, pairs.end());
	json alike = json::array();

	for (int i = 0; i < 5; i++)
		alike.push_back(pairs[i].second);
	return alike;
}

static json find_words(const json &subdivisions, const json &languages)
{
	std::unordered_set<std::string> known;
	std::ifstream file(words);
	json found = json::object();
	int places = 0, tongues = 0;

	for (std::string word; std::getline(file, word);)
		known.insert(word);
	for (const json &entry : subdivisions.at("3166-2"))
		places += known.count(entry.at("name").get<std::string>());
	for (const json &entry : languages.at("639-3"))
		tongues += known.count(entry.at("name").get<std::string>());
	found["words"] = known.size();
	found["places"] = places;
	found["languages"] = tongues;
	return found;
}

static json one_round(int *nr_flags)
{
	std::vector<country> countries = list_countries(load_json(codes + "iso_3166-1.json"));
	json subdivisions = load_json(codes + "iso_3166-2.json");
	json languages = load_json(codes + "iso_639-3.json");
	json result;

	*nr_flags += decode_flags(countries);
	result["flags"] = countries.size();
	result["main_colours"] = main_colours(countries);
	result["most_alike"] = most_alike(countries);
	result["english"] = find_words(subdivisions, languages);
	return result;
}

static void write_result(const json &result, const char *path)
{
	std::ofstream file(path);

	file << result.dump(2) << '\n';
	if (!file.flush())
		throw std::runtime_error(std::string("cannot write ") + path);
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 1;
	int nr_flags = 0;
	json result;

	for (int i = 0; i < rounds; i++)
		result = one_round(&nr_flags);
	write_result(result, argc > 2 ? argv[2] : "/dev/stdout");
	std::cout << nr_flags << " flags decoded in " << rounds << " rounds\n";
	return 0;
}
