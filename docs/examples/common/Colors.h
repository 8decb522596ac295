// Colours of numbers, for the pictures of the small applications.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

/// An opaque pixel of a Picture, of parts from 0 to 1.
inline uint32_t rgb(double red, double green, double blue) {
  auto level = [](double part) {
    return static_cast<uint32_t>(std::lround(std::clamp(part, 0.0, 1.0) * 255));
  };
  return level(red) | level(green) << 8 | level(blue) << 16 | 0xff000000u;
}

/// Black, violet, orange, pale yellow: from 0 to 1, each lighter than the one before.
inline uint32_t heat(double t) {
  t = std::clamp(t, 0.0, 1.0);
  return rgb(std::sqrt(t) * 1.02 - 0.02, t * t * (1.6 - 0.62 * t),
             t < 0.45 ? std::sin(t / 0.45 * 3.14159) * 0.5 + 0.05 : (t - 0.45) * (t - 0.45) * 2.4);
}

/// Blue below 0, red above, pale between: from -1 to 1.
inline uint32_t blueRed(double t) {
  t = std::clamp(t, -1.0, 1.0);
  const double a = std::pow(std::abs(t), 0.8);
  return t < 0 ? rgb(0.97 - 0.90 * a, 0.96 - 0.66 * a, 0.94 - 0.33 * a)
               : rgb(0.97 - 0.23 * a, 0.96 - 0.84 * a, 0.94 - 0.77 * a);
}
