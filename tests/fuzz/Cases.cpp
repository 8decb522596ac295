#include "tests/fuzz/Cases.h"

#include <fstream>
#include <sstream>

namespace fuzz {

static unsigned digitsOf(Scalar type) { return type == Scalar::U1 ? 2 : bitsOf(type) / 4; }

static bool isIota(const Datum &datum) {
  for (size_t i = 0; i < datum.data.size(); ++i)
    if (datum.data[i] != wrap(datum.type, i) || isReal(datum.type))
      return false;
  return datum.data.size() > 1;
}

/// "8x16:3"
static std::string extentsOf(const Datum &datum) {
  std::string text = datum.shape.empty() ? "." : ""; // one element
  for (int64_t extent : datum.shape)
    text += (text.empty() ? "" : "x") + std::to_string(extent);
  for (size_t i = 0; i < datum.element.size(); ++i)
    text += (i ? "x" : ":") + std::to_string(datum.element[i]);
  return text;
}

static void readExtents(std::istream &in, Datum &datum) {
  std::vector<int64_t> *extents = &datum.shape;
  char c = 'x';
  if (in.peek() == '.') {
    in.get();
    c = in.peek() == ':' ? char(in.get()) : '\0';
    extents = &datum.element;
  }
  while (c != '\0') {
    std::string digits;
    while (in.peek() >= '0' && in.peek() <= '9')
      digits += char(in.get());
    if (digits.empty() || digits.size() > 9)
      throw std::runtime_error(datum.name + " has to have extents: 128, 8x16, 8x16:3");
    extents->push_back(std::stoll(digits));
    c = in.peek() == 'x' || in.peek() == ':' ? char(in.get()) : '\0';
    if (c == ':')
      extents = &datum.element;
  }
}

static void writeDatum(std::ostream &out, const char *kind, const Datum &datum) {
  out << kind << ' ' << datum.name << ' ' << nameOf(datum.type) << ' ';
  if (datum.isArray)
    out << extentsOf(datum) << ' ';
  else
    out << (datum.element.empty() ? "-" : extentsOf(datum)) << ' ';
  bool zero = datum.isArray;
  for (Bits bits : datum.data)
    zero = zero && bits == 0;
  if (zero || isIota(datum)) {
    out << (zero ? "zero" : "iota") << '\n';
    return;
  }
  for (Bits bits : datum.data)
    for (unsigned digit = digitsOf(datum.type); digit-- > 0;)
      out << "0123456789abcdef"[bits >> (4 * digit) & 15];
  if (datum.data.empty())
    out << '-';
  out << '\n';
}

std::string writeLaunch(const Launch &launch) {
  std::ostringstream out;
  out << "launch " << launch.kernel << '\n';
  for (const Datum &datum : launch.arguments)
    writeDatum(out, datum.isArray ? "array" : "scalar", datum);
  for (const Datum &datum : launch.fields)
    writeDatum(out, "field", datum);
  for (const Datum &datum : launch.results)
    writeDatum(out, "result", datum);
  for (const std::string &text : launch.prints) {
    out << "print ";
    for (char c : text)
      out << (c == '\n' ? "\\n" : c == '\\' ? "\\\\" : std::string(1, c));
    out << '\n';
  }
  out << "end\n";
  return out.str();
}

static Datum readDatum(std::istream &in, bool isArray) {
  Datum datum;
  std::string type, values;
  in >> datum.name >> type >> std::ws;
  if (isArray || in.peek() == '.')
    readExtents(in, datum);
  else
    in >> values; // "-"
  in >> values;
  if (scalarOf(type) < 0)
    throw std::runtime_error("no type is called '" + type + "'");
  datum.type = Scalar(scalarOf(type));
  datum.isArray = isArray;
  size_t count = 1;
  for (const auto *extents : {&datum.shape, &datum.element})
    for (int64_t extent : *extents)
      count *= size_t(extent);
  if (isArray && count > 100'000'000)
    throw std::runtime_error(datum.name + " has too many elements");
  if (isArray && (values == "zero" || values == "iota")) {
    for (size_t i = 0; i < count; ++i)
      datum.data.push_back(values == "zero" ? 0 : wrap(datum.type, Bits(i)));
    return datum;
  }
  const unsigned digits = digitsOf(datum.type);
  for (size_t i = 0; values != "-" && i + digits <= values.size(); i += digits)
    datum.data.push_back(wrap(datum.type, std::stoull(values.substr(i, digits), nullptr, 16)));
  if (isArray && datum.data.size() != count)
    throw std::runtime_error(datum.name + " has another number of elements than it says");
  return datum;
}

std::vector<Launch> readLaunches(const std::string &text) {
  std::vector<Launch> launches;
  std::istringstream in(text);
  for (std::string word; in >> word;) {
    if (word == "launch") {
      launches.emplace_back();
      in >> launches.back().kernel;
    } else if (word != "end" && launches.empty()) {
      throw std::runtime_error("a launch has to begin with its kernel");
    } else if (word == "array" || word == "scalar") {
      launches.back().arguments.push_back(readDatum(in, word == "array"));
    } else if (word == "field") {
      launches.back().fields.push_back(readDatum(in, true));
    } else if (word == "print") {
      std::string line, text;
      std::getline(in, line);
      for (size_t i = 1; i < line.size(); ++i) {
        const bool isEscape = line[i] == '\\' && i + 1 < line.size();
        text += !isEscape ? line[i] : line[++i] == 'n' ? '\n' : line[i];
      }
      launches.back().prints.push_back(std::move(text));
    } else if (word == "result") {
      launches.back().results.push_back(readDatum(in, false));
    } else if (word != "end") {
      throw std::runtime_error("unknown line of a launch: " + word);
    }
  }
  return launches;
}

std::string readFile(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  if (!in)
    throw std::runtime_error("cannot read " + path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

void writeFile(const std::string &path, const std::string &text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  if (!out.flush())
    throw std::runtime_error("cannot write " + path);
}

} // namespace fuzz
