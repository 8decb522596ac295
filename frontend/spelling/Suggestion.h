// "Did you mean": the names that are nearest to one that is unknown.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sextant {

/// Returns the candidates that are near to `name`, the nearest first.
std::vector<std::string> nearNames(std::string_view name,
                                   const std::vector<std::string> &candidates);

/// Returns the candidates nearest to `name`, as "did you mean 'a' or 'b'?"; empty if none is near.
/// A candidate that `name` begins is near, however long it is.
std::string suggestion(std::string_view name, const std::vector<std::string> &candidates);

/// suggestion() among the names of targets: each is `backend:arch[+feature…]/waveN`, or a leading
/// or middle part of that. A name that a vendor or another tool uses is near to ours.
std::string targetSuggestion(std::string_view name, const std::vector<std::string> &targets);

/// Returns our name, or our names in words, for a target that another tool or a vendor calls
/// `word`: "amdgpu" for "rocm". Empty if there is none.
std::string ourTargetName(std::string_view word);

} // namespace sextant
