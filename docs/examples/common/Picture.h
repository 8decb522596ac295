// Pictures in memory, and PNG files by libpng.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// RGBA, 8 bits each, red in a pixel's lowest byte; rows from the top.
struct Picture {
  uint32_t width = 0, height = 0;
  std::vector<uint32_t> pixels;
};

/// Throw std::runtime_error with the file's name and the reason.
Picture readPng(const std::string &path);
void writePng(const std::string &path, const Picture &picture);
