// Drawings as text: SVG, with one digit after the point.
#include "Drawing.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <stdexcept>

namespace {

std::string format(const char *pattern, double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), pattern, value);
  return text.data();
}

std::string place(double value) {
  std::string text = format("%.1f", value);
  return text.ends_with(".0") ? text.substr(0, text.size() - 2) : text;
}

} // namespace

void Drawing::lines(const std::vector<std::vector<Point>> &lists, const std::string &style) {
  std::string path;
  for (const std::vector<Point> &points : lists)
    for (size_t i = 0; i < points.size(); ++i)
      path += (i == 0 ? "M" : i == 1 ? "L" : " ") + place(points[i][0]) + " " + place(points[i][1]);
  parts += "<path d=\"" + path + "\" fill=\"none\" " + style + "/>\n";
}

void Drawing::text(Point at, const std::string &words, const std::string &style) {
  parts += "<text x=\"" + place(at[0]) + "\" y=\"" + place(at[1]) + "\" " + style + ">" + words +
           "</text>\n";
}

void Drawing::curves(Point corner, Point size, const std::vector<std::vector<double>> &values,
                     const std::string &title) {
  double least = values.front().front(), most = least;
  size_t count = 2;
  for (const std::vector<double> &curve : values) {
    const auto [low, high] = std::minmax_element(curve.begin(), curve.end());
    least = std::min(least, *low);
    most = std::max(most, *high);
    count = std::max(count, curve.size());
  }
  most = std::max(most, least + 1e-12);
  // Marks are 1, 2 or 5 times a power of ten apart.
  const double rough = (most - least) / 5;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  const double apart = power * (rough < 2 * power ? 2 : rough < 5 * power ? 5 : 10);
  auto at = [&](double index, double value) {
    return Point{corner[0] + index / double(count - 1) * size[0],
                 corner[1] + (most - value) / (most - least) * size[1]};
  };
  const double last = double(count - 1);
  std::vector<std::vector<Point>> marks;
  for (double k = std::ceil(least / apart); k * apart <= most; ++k) {
    marks.push_back({at(0, k * apart), at(last, k * apart)});
    text({corner[0] - 6, at(0, k * apart)[1] + 4}, format("%.4g", k * apart + 0.0),
         "text-anchor=\"end\"");
  }
  lines(marks, "stroke=\"#ddd\"");
  text({corner[0], corner[1] + size[1] + 16}, "0");
  text({corner[0] + size[0], corner[1] + size[1] + 16}, format("%.0f", last),
       "text-anchor=\"end\"");
  text({corner[0], corner[1] - 8}, title);
  for (const std::vector<double> &curve : values) {
    std::vector<Point> points;
    for (size_t i = 0; i < curve.size(); ++i)
      points.push_back(at(double(i), curve[i]));
    lines({points}, &curve == &values.back() ? "stroke=\"#c33\" stroke-width=\"2\""
                                             : "stroke=\"#abc\" stroke-width=\"1\"");
  }
}

void Drawing::write(const std::string &path) const {
  std::ofstream file(path, std::ios::binary);
  file << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " << place(width) << " "
       << place(height)
       << "\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#333\">\n"
          "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
       << parts << "</svg>\n";
  file.close();
  if (!file)
    throw std::runtime_error(path + " cannot be written");
}
