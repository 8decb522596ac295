// PNG files through libpng's simplified interface.
#include "Picture.h"

#include <png.h>
#include <stdexcept>

Picture readPng(const std::string &path) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  if (!png_image_begin_read_from_file(&image, path.c_str()))
    throw std::runtime_error(path + ": " + image.message);
  image.format = PNG_FORMAT_RGBA;
  Picture picture{image.width, image.height, {}};
  picture.pixels.resize(size_t(image.width) * image.height);
  if (!png_image_finish_read(&image, nullptr, picture.pixels.data(), 0, nullptr)) {
    png_image_free(&image);
    throw std::runtime_error(path + ": " + image.message);
  }
  return picture;
}

void writePng(const std::string &path, const Picture &picture) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = picture.width;
  image.height = picture.height;
  image.format = PNG_FORMAT_RGBA;
  if (!png_image_write_to_file(&image, path.c_str(), 0, picture.pixels.data(), 0, nullptr))
    throw std::runtime_error(path + ": " + image.message);
}
