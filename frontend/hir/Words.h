// How operators are spelled in the text of HIR, in the order of their enumerations.
#pragma once

namespace sextant::hir {

inline constexpr const char *unaryWords[] = {
    "neg",   "bitnot", "not",  "abs",  "floor", "ceil",  "round",  "trunc", "sqrt",
    "rsqrt", "exp",    "exp2", "log",  "log2",  "log10", "sin",    "cos",   "tan",
    "asin",  "acos",   "atan", "sinh", "cosh",  "tanh",  "popcnt", "clz",   "ffs"};
inline constexpr const char *binaryWords[] = {
    "+", "-", "*", "/",  "//", "%",   "cdiv", "cmod", "mulhigh", "**", "atan2", "min", "max",
    "&", "|", "^", "<<", ">>", ">>>", "<",    "<=",   ">",       ">=", "==",    "!="};
inline constexpr const char *idWords[] = {"thread_idx", "block_idx", "grid_dim", "lane",
                                          "block_dim"};
inline constexpr const char *cacheWords[] = {"all", "stream", "global", "readonly", "async"};
inline constexpr const char *shuffleWords[] = {"index", "xor", "up", "down", "broadcast"};
inline constexpr const char *combineWords[] = {"add", "mul", "min", "max",
                                               "and", "or",  "xor", "exchange"};
inline constexpr const char *scopeWords[] = {"subgroup", "block", "device"};
inline constexpr const char *barrierReduceWords[] = {"all", "any", "count"};

inline constexpr const char *launchWords[] = {"",   "",  "",    "+",   "-",  "*",
                                              "//", "%", "min", "max", "neg"};
inline constexpr const char *roleWords[] = {"field", "return",   "carry",      "fault",
                                            "print", "schedule", "multiplier", "shift"};
inline constexpr const char *spanWords[] = {"kernel", "loop", "checkpoint", "fork", "branch"};

} // namespace sextant::hir
