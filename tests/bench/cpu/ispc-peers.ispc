// The kernels of ispc.py in ISPC, as its examples are written. NAME makes a function's name, since each
// is compiled for several targets and ways of arithmetic.

static inline float normal(float x) {
  float k = 1.0f / (1.0f + 0.2316419f * abs(x));
  float tail =
      exp(-0.5f * x * x) * 0.39894228f * k *
      (0.31938153f +
       k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  float result = tail;
  if (x > 0.0f)
    result = 1.0f - tail;
  return result;
}

export void NAME(black_scholes)(uniform const float price[], uniform const float strike[],
                                uniform const float years[], uniform float call[],
                                uniform int count) {
  foreach (i = 0 ... count) {
    float s = price[i], k = strike[i], t = years[i];
    float root = sqrt(t);
    float d1 = (log(s / k) + (0.02f + 0.5f * 0.3f * 0.3f) * t) / (0.3f * root);
    call[i] = s * normal(d1) - k * exp(-0.02f * t) * normal(d1 - 0.3f * root);
  }
}

export void NAME(binomial)(uniform const float price[], uniform const float strike[],
                           uniform const float years[], uniform float call[],
                           uniform int count) {
  foreach (i = 0 ... count) {
    float s = price[i], k = strike[i], t = years[i];
    float step = t / 64.0f;
    float up = exp(0.3f * sqrt(step));
    float discount = exp(0.02f * step);
    float rise = (discount - 1.0f / up) / (up - 1.0f / up);
    float value[64];
    for (uniform int j = 0; j < 64; ++j)
      value[j] = max(0.0f, s * pow(up, (uniform float)(2 * j - 64)) - k);
    for (uniform int n = 0; n < 63; ++n)
      for (uniform int j = 0; j < 63 - n; ++j)
        value[j] = ((1.0f - rise) * value[j] + rise * value[j + 1]) / discount;
    call[i] = value[0];
  }
}

export void NAME(bodies)(uniform const float x[], uniform const float y[], uniform const float z[],
                         uniform const float mass[], uniform float ax[], uniform float ay[],
                         uniform float az[], uniform int count) {
  foreach (i = 0 ... count) {
    float px = x[i], py = y[i], pz = z[i];
    float sx = 0, sy = 0, sz = 0;
    for (uniform int j = 0; j < count; ++j) {
      float dx = x[j] - px, dy = y[j] - py, dz = z[j] - pz;
      float inverse = rsqrt(dx * dx + dy * dy + dz * dz + 1e-3f);
      float pull = mass[j] * inverse * inverse * inverse;
      sx += pull * dx;
      sy += pull * dy;
      sz += pull * dz;
    }
    ax[i] = sx;
    ay[i] = sy;
    az[i] = sz;
  }
}

export void NAME(bodies_divided)(uniform const float x[], uniform const float y[],
                                 uniform const float z[], uniform const float mass[],
                                 uniform float ax[], uniform float ay[], uniform float az[],
                                 uniform int count) {
  foreach (i = 0 ... count) {
    float px = x[i], py = y[i], pz = z[i];
    float sx = 0, sy = 0, sz = 0;
    for (uniform int j = 0; j < count; ++j) {
      float dx = x[j] - px, dy = y[j] - py, dz = z[j] - pz;
      float square = dx * dx + dy * dy + dz * dz + 1e-3f;
      float pull = mass[j] / (square * sqrt(square));
      sx += pull * dx;
      sy += pull * dy;
      sz += pull * dz;
    }
    ax[i] = sx;
    ay[i] = sy;
    az[i] = sz;
  }
}

export void NAME(rays)(uniform const float cx[], uniform const float cy[],
                       uniform const float cz[], uniform const float radius[],
                       uniform float image[], uniform int rows, uniform int cols,
                       uniform int spheres) {
  foreach (row = 0 ... rows, col = 0 ... cols) {
    float u = 2.0f * col / cols - 1.0f;
    float v = 2.0f * row / rows - 1.0f;
    float scale = 1.0f / sqrt(u * u + v * v + 1.0f);
    float dx = u * scale, dy = v * scale, dz = scale;
    float nearest = 1e30f;
    int hit = -1;
    for (uniform int s = 0; s < spheres; ++s) {
      float along = dx * cx[s] + dy * cy[s] + dz * cz[s];
      uniform float rest = cx[s] * cx[s] + cy[s] * cy[s] + cz[s] * cz[s] - radius[s] * radius[s];
      float inside = along * along - rest;
      if (inside > 0.0f) {
        float t = along - sqrt(inside);
        if (t > 0.0f && t < nearest) {
          nearest = t;
          hit = s;
        }
      }
    }
    float light = 0.0f;
    if (hit >= 0) {
      float nx = (nearest * dx - cx[hit]) / radius[hit];
      float ny = (nearest * dy - cy[hit]) / radius[hit];
      float nz = (nearest * dz - cz[hit]) / radius[hit];
      light = max(0.0f, 0.5f * nx - 0.7f * ny - 0.5f * nz);
    }
    image[row * cols + col] = light;
  }
}

export void NAME(mandelbrot)(uniform int out[], uniform int rows, uniform int cols,
                             uniform int limit) {
  foreach (row = 0 ... rows, col = 0 ... cols) {
    float cr = -2.0f + 3.0f * col / cols;
    float ci = -1.0f + 2.0f * row / rows;
    float zr = 0, zi = 0;
    int count = 0;
    while (zr * zr + zi * zi <= 4.0f && count < limit) {
      float next = zr * zr - zi * zi + cr;
      zi = 2.0f * zr * zi + ci;
      zr = next;
      ++count;
    }
    out[row * cols + col] = count;
  }
}

static inline float mixed(int x, int y) {
  unsigned int h = (unsigned int)x * 374761393u + (unsigned int)y * 668265263u;
  h = (h ^ (h >> 13)) * 1274126177u;
  return (float)(int)((h ^ (h >> 16)) & 0xFFFF) * (1.0f / 65536.0f);
}

export void NAME(noise)(uniform float image[], uniform const float table[], uniform int rows,
                        uniform int cols) {
  foreach (row = 0 ... rows, col = 0 ... cols) {
    float x = 0.013f * col, y = 0.017f * row;
    float total = 0.0f, weight = 0.5f;
    for (uniform int octave = 0; octave < 4; ++octave) {
      float fx = floor(x), fy = floor(y);
      int i = (int)fx, j = (int)fy;
      float u = x - fx, v = y - fy;
      u = u * u * (3.0f - 2.0f * u);
      v = v * v * (3.0f - 2.0f * v);
      float low = mixed(i, j) * (1.0f - u) + mixed(i + 1, j) * u;
      float high = mixed(i, j + 1) * (1.0f - u) + mixed(i + 1, j + 1) * u;
      total += weight * (low * (1.0f - v) + high * v);
      weight *= 0.5f;
      x *= 2.03f;
      y *= 2.03f;
    }
    image[row * cols + col] = table[min((int)(total * 256.0f), 255)];
  }
}
