// Parses requests, and makes the names of instances.
#include "frontend/sema/Requests.h"
#include "frontend/sema/builtins/Builtins.h"

namespace sextant::sema {

static std::string trim(const std::string &text) {
  size_t a = text.find_first_not_of(" \t"), b = text.find_last_not_of(" \t");
  return a == std::string::npos ? "" : text.substr(a, b - a + 1);
}

Request parseRequest(const std::string &text) {
  Request request;
  size_t open = text.find('[');
  request.kernel = trim(text.substr(0, open));
  if (open == std::string::npos)
    return request;
  size_t close = text.rfind(']');
  if (close == std::string::npos || !trim(text.substr(close + 1)).empty()) {
    request.problem = "it does not end with `]`";
    return request;
  }
  std::string inner = text.substr(open + 1, close - open - 1), part;
  int depth = 0;
  auto finish = [&] {
    part = trim(part);
    if (part.empty())
      return;
    size_t equals = part.find('=');
    if (equals == std::string::npos || equals == 0)
      request.problem = "`" + part + "` is not of the form parameter=value";
    else
      request.values.emplace_back(trim(part.substr(0, equals)), trim(part.substr(equals + 1)));
    part.clear();
  };
  for (char c : inner) {
    depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
    if (c == ',' && depth == 0)
      finish();
    else
      part += c;
  }
  finish();
  return request;
}

std::string nameOf(const Value &value) {
  std::string text;
  switch (value.kind) {
  case Value::Int:
    text = spell(value.integer);
    break;
  case Value::Bool:
    text = value.integer ? "True" : "False";
    break;
  case Value::Float:
    text = std::to_string(value.real);
    break;
  case Value::Str:
    text = value.text;
    break;
  case Value::Function:
    text = std::string(value.function->name);
    break;
  case Value::Builtin: {
    text = value.builtin->name;
    text = text.substr(text.rfind('.') + 1);
    break;
  }
  case Value::Type:
    text = value.type.kind == TypeValue::NdArray
               ? spell(value.type.element) + "_" + std::to_string(value.type.ndim) + "d"
               : spell(value.type);
    break;
  case Value::Tuple:
    for (const Value &item : value.items)
      text += (text.empty() ? "" : "_") + nameOf(item);
    break;
  default:
    text = "x";
    break;
  }
  std::string out;
  for (char c : text) {
    if (c == '-')
      out += 'm';
    else if (c == '.')
      out += 'p';
    else if (std::isalnum((unsigned char)c))
      out += c;
    else if (!out.empty() && out.back() != '_')
      out += '_';
  }
  while (!out.empty() && out.back() == '_')
    out.pop_back();
  return out;
}

} // namespace sextant::sema
