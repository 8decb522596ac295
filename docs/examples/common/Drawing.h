// Drawings of lines and texts, and curves beside axes, as SVG files.
#pragma once

#include <array>
#include <string>
#include <vector>

/// A drawing on white. Places are pixels, from the upper left corner.
class Drawing {
public:
  using Point = std::array<double, 2>;

  Drawing(double width, double height) : width(width), height(height) {}

  /// Connects each list's points. `style` is attributes of SVG, such as `stroke="#333"`.
  void lines(const std::vector<std::vector<Point>> &lists, const std::string &style);
  void text(Point at, const std::string &words, const std::string &style = {});
  /// Draws curves of values that belong to 0, 1, 2, …, in a box with axes. The last one is bold.
  void curves(Point corner, Point size, const std::vector<std::vector<double>> &values,
              const std::string &title);
  /// Throws std::runtime_error if the file cannot be written.
  void write(const std::string &path) const;

private:
  double width, height;
  std::string parts;
};
