// UTF-8 as RFC 3629 has it, and the characters that terminals obey.
#include "loader/format/Text.h"
#include "tests/support/Catch.h"

using namespace sextant::module;

TEST_CASE("the first and the last sequence of each length, and what is beside them") {
  CHECK(utf8Length("\x7f") == 1);
  CHECK(utf8Length("\x80") == 0);
  CHECK(utf8Length("\xc1\xbf") == 0); // U+007F, overlong
  CHECK(utf8Length("\xc2\x80") == 2);
  CHECK(utf8Length("\xdf\xbf") == 2);
  CHECK(utf8Length("\xe0\x9f\xbf") == 0); // U+07FF, overlong
  CHECK(utf8Length("\xe0\xa0\x80") == 3);
  CHECK(utf8Length("\xed\x9f\xbf") == 3); // U+D7FF
  CHECK(utf8Length("\xed\xa0\x80") == 0); // U+D800, a surrogate
  CHECK(utf8Length("\xed\xbf\xbf") == 0); // U+DFFF
  CHECK(utf8Length("\xee\x80\x80") == 3); // U+E000
  CHECK(utf8Length("\xef\xbf\xbf") == 3);
  CHECK(utf8Length("\xf0\x8f\xbf\xbf") == 0); // U+FFFF, overlong
  CHECK(utf8Length("\xf0\x90\x80\x80") == 4);
  CHECK(utf8Length("\xf4\x8f\xbf\xbf") == 4); // U+10FFFF
  CHECK(utf8Length("\xf4\x90\x80\x80") == 0); // U+110000
  CHECK(utf8Length("\xf5\x80\x80\x80") == 0);
  CHECK(utf8Length("\xff") == 0);
}

TEST_CASE("a sequence is whole, and the text after it does not matter") {
  CHECK(utf8Length("") == 0);
  CHECK(utf8Length(std::string_view("\0", 1)) == 1);
  CHECK(utf8Length("\xe2\x82") == 0);
  CHECK(utf8Length("\xe2\x82x") == 0);
  CHECK(utf8Length("\xe2\x82\xac\xff") == 3);
  CHECK(utf8Length("a\xff") == 1);
}

TEST_CASE("code points of sequences") {
  CHECK(codePoint("A") == 0x41);
  CHECK(codePoint("\xc2\x80") == 0x80);
  CHECK(codePoint("\xe2\x82\xac") == 0x20ac); // the euro sign
  CHECK(codePoint("\xef\xbf\xbf") == 0xffff);
  CHECK(codePoint("\xf4\x8f\xbf\xbf") == 0x10ffff);
}

TEST_CASE("the characters that terminals obey") {
  // C0 and DEL, C1; the Arabic letter mark, left-to-right and right-to-left marks; separators of
  // lines and paragraphs, embeddings and overrides; isolates; the byte order mark.
  std::u32string expected;
  for (const auto &[first, last] : {std::pair(0x00, 0x1f), std::pair(0x7f, 0x9f)})
    for (int code = first; code <= last; ++code)
      expected += static_cast<char32_t>(code);
  expected += U"\u061c\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068"
              U"\u2069\ufeff";
  std::u32string found;
  for (uint32_t code = 0; code <= 0x10ffff; ++code)
    if (isObeyed(code))
      found += static_cast<char32_t>(code);
  CHECK((found == expected));
}
