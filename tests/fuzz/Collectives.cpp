// Operations of several threads: subgroups, blocks, shared memory. Every operation is computed from
// its definition, lane by lane in their order.
#include "tests/fuzz/Machine.h"

#include <algorithm>
#include <limits>

namespace fuzz {

/// All lanes of a tile take part, or none.
void Machine::wholeTiles(unsigned tile, const Mask &mask) const {
  if (!inTask || lanes % tile)
    throw Unsupported("a collective in a block that its tiles do not fill");
  // The contract is on the subgroup: uniform control flow.
  const unsigned group = std::min(wave, lanes);
  for (unsigned first = 0; first < lanes; first += group)
    for (unsigned lane = first; lane < first + group; ++lane)
      if (mask[lane] != mask[first])
        throw Unspecified("a collective of a subgroup in divergent control flow");
}

void Machine::wholeBlock(const Mask &mask) const {
  if (!inTask || std::find(mask.begin(), mask.end(), 0) != mask.end())
    throw Unspecified("a collective of a block in divergent control flow");
}

void Machine::barrier(const Mask &mask) {
  wholeBlock(mask);
  ++epoch;
}

static Bits identity(Op op, Scalar type) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const Bits highest = isSigned(type) ? (Bits(1) << (bitsOf(type) - 1)) - 1 : wrap(type, ~Bits(0));
  switch (op) {
  case Op::Mul:
    return isReal(type) ? fromDouble(type, 1) : 1;
  case Op::And:
    return wrap(type, ~Bits(0));
  case Op::Min:
    return isReal(type) ? fromDouble(type, infinity) : highest;
  case Op::Max:
    return isReal(type)     ? fromDouble(type, -infinity)
           : isSigned(type) ? wrap(type, Bits(1) << (bitsOf(type) - 1))
                            : 0;
  default:
    return 0;
  }
}

static Op operatorOf(std::string_view name) {
  static constexpr std::pair<std::string_view, Op> ops[] = {
      {"add", Op::Add}, {"mul", Op::Mul}, {"min", Op::Min}, {"max", Op::Max},
      {"and", Op::And}, {"or", Op::Or},   {"xor", Op::Xor}};
  for (const auto &[spelled, op] : ops)
    if (spelled == name)
      return op;
  throw Unsupported("the operator " + std::string(name));
}

/// One step of a fold. Sums and products of reals have to be exact: their order is open.
static Bits fold(Op op, Scalar type, Bits a, Bits b) {
  if (isReal(type)) {
    if (isNan(type, a) || isNan(type, b))
      throw Unspecified("a NaN in a collective");
    if (op == Op::Mul && roundsProduct(type, a, b))
      throw Unspecified("a product of reals that depends on its order");
    if (op == Op::Add) {
      // Whole multiples of 1/8 below 2^8, sums below 2^14: exact in floats in any order.
      const double sum = toDouble(type, a) + toDouble(type, b);
      const double limit = type == Scalar::F16 ? 128 : 16384;
      for (double value : {toDouble(type, a), toDouble(type, b), sum})
        if (!(value > -limit && value < limit) || value * 8 != double(int64_t(value * 8)))
          throw Unspecified("a sum of reals that depends on its order");
    }
    if (op == Op::Mul || op == Op::Add)
      if (toDouble(type, a) == 0 && toDouble(type, b) == 0 && a != b)
        throw Unspecified("a fold of zeros of both signs");
  }
  return compute(op, type, a, b);
}

static bool endsIn(std::string_view &name, std::string_view end) {
  if (!name.ends_with(end))
    return false;
  name.remove_suffix(end.size());
  return true;
}

static bool beginsWith(std::string_view &name, std::string_view begin) {
  if (!name.starts_with(begin))
    return false;
  name.remove_prefix(begin.size());
  return true;
}

/// Reductions and scans of the tiles: "reduce_add", "reduce_all_min", "inclusive_xor", …
Val Machine::scan(std::string_view name, Val value, unsigned tile, const Mask &mask) {
  value = runtime(value);
  usable(value, mask);
  const Scalar type = value.type;
  const bool all = beginsWith(name, "reduce_all_");
  const bool reduce = !all && beginsWith(name, "reduce_");
  const bool inclusive = beginsWith(name, "inclusive_");
  if (!all && !reduce && !inclusive && !beginsWith(name, "exclusive_"))
    throw Unsupported("the collective " + std::string(name));
  const Op op = operatorOf(name);
  if (isReal(type) && (op == Op::And || op == Op::Or || op == Op::Xor))
    throw Unsupported("a bit operation on reals");
  Val result = lanesOf(type);
  for (unsigned first = 0; first < lanes; first += tile) {
    if (!mask[first])
      continue;
    Bits total = identity(op, type);
    for (unsigned lane = first; lane < first + tile; ++lane) {
      const Bits before = total;
      total = lane == first ? value.bits[lane] : fold(op, type, total, value.bits[lane]);
      result.bits[lane] = inclusive ? total : before;
    }
    for (unsigned lane = first; lane < first + tile && (all || reduce); ++lane) {
      result.bits[lane] = total;
      if (reduce && lane != first)
        result.taint[lane] = Open;
    }
  }
  return result;
}

Val Machine::segmented(Op op, const Val &value, const Val &heads, unsigned tile, const Mask &mask) {
  const Mask head = truth(heads, mask);
  usable(value, mask);
  Val result = lanesOf(value.type);
  Bits total = 0;
  for (unsigned lane = 0; lane < lanes; ++lane)
    if (mask[lane]) {
      total = lane % tile == 0 || head[lane] ? value.bits[lane]
                                             : fold(op, value.type, total, value.bits[lane]);
      result.bits[lane] = total;
    }
  return result;
}

Val Machine::sort(Val key, Val value, unsigned tile, const Mask &mask) {
  usable(key, mask);
  usable(value, mask);
  for (unsigned first = 0; first < lanes; first += tile) {
    if (!mask[first])
      continue;
    std::vector<std::pair<Bits, Bits>> pairs;
    for (unsigned lane = first; lane < first + tile; ++lane) {
      if (isNan(key.type, key.bits[lane]) || isNan(value.type, value.bits[lane]))
        throw Unspecified("a NaN in a sort");
      pairs.push_back({key.bits[lane], value.bits[lane]});
    }
    std::sort(pairs.begin(), pairs.end(), [&](const auto &a, const auto &b) {
      if (!compare(Relation::Eq, key.type, a.first, b.first))
        return compare(Relation::Lt, key.type, a.first, b.first);
      if (a.first != b.first)
        throw Unspecified("zeros of both signs in a sort");
      return compare(Relation::Lt, value.type, a.second, b.second);
    });
    for (unsigned lane = first; lane < first + tile; ++lane) {
      key.bits[lane] = pairs[lane - first].first;
      value.bits[lane] = pairs[lane - first].second;
    }
  }
  Val both;
  both.kind = Val::List;
  both.items = {key, value};
  return both;
}

Val Machine::subgroupCall(std::string_view name, std::vector<Val> &arguments, const Mask &mask) {
  if (name == "group_size" || name == "log2_group_size") {
    int log2 = 0;
    while (1u << log2 < wave)
      ++log2;
    return constant(name == "group_size" ? int(wave) : log2);
  }
  Val result = lanesOf(Scalar::I32);
  if (name == "invocation_id" || name == "elect") {
    for (unsigned lane = 0; lane < lanes; ++lane)
      result.bits[lane] = name == "elect" ? lane % wave == 0 : lane % wave;
    return result;
  }
  if (beginsWith(name, "lanemask_")) {
    Val lane = runtime(arguments.at(0));
    result = each(lane, Scalar::U32, mask, [&](Bits at) {
      if (at > 31)
        throw Unspecified("a lane mask past 31");
      const Bits bit = Bits(1) << at;
      const Bits bits = name == "eq"   ? bit
                        : name == "lt" ? bit - 1
                        : name == "le" ? bit | (bit - 1)
                        : name == "gt" ? ~(bit | (bit - 1))
                                       : ~(bit - 1);
      return wrap(Scalar::U32, bits);
    });
    return result;
  }
  unsigned tile = wave;
  if (endsIn(name, "_tiled")) {
    const int64_t log2 = constantInt(arguments.back());
    arguments.pop_back();
    if (log2 < 0 || log2 > 6 || 1u << log2 > wave)
      throw Unsupported("a tile wider than the wave");
    tile = 1u << log2;
  }
  wholeTiles(tile, mask);
  if (name == "sync" || name == "mem_fence")
    return {};
  Val value = runtime(arguments.at(0));
  if (name == "all_true" || name == "any_true" || name == "all_equal" || name == "ballot" ||
      name == "ballot_first_n") {
    usable(value, mask);
    const Mask yes = truth(value, mask);
    const bool ballot = name.starts_with("ballot");
    const int64_t count = name == "ballot_first_n" ? constantInt(arguments.at(1)) : 64;
    if (name == "ballot_first_n" && count > int64_t(wave) && count < 32)
      throw Unsupported("more lanes than the wave");
    result = lanesOf(name == "ballot" ? Scalar::U64 : ballot ? Scalar::U32 : Scalar::I32);
    for (unsigned first = 0; first < lanes; first += tile) {
      Bits bits = 0;
      unsigned set = 0, same = 0;
      for (unsigned lane = first; lane < first + tile; ++lane) {
        if (!mask[lane])
          continue;
        if (yes[lane] && int64_t(lane - first) < count)
          bits |= Bits(1) << (lane - first);
        set += yes[lane];
        same += compare(Relation::Eq, value.type, value.bits[lane], value.bits[first]);
      }
      for (unsigned lane = first; lane < first + tile; ++lane)
        result.bits[lane] = ballot               ? bits
                            : name == "all_true" ? set == tile
                            : name == "any_true" ? set != 0
                                                 : same == tile;
    }
    return result;
  }
  if (name.starts_with("segmented_reduce_"))
    return segmented(operatorOf(name.substr(17)), value, runtime(arguments.at(1)), tile, mask);
  if (name == "bitonic_sort_kv")
    return sort(value, runtime(arguments.at(1)), tile, mask);
  if (name == "broadcast_first") {
    name = "broadcast";
    arguments.push_back(constant(0));
  }
  if (name != "shuffle" && name != "shuffle_up" && name != "shuffle_down" &&
      name != "shuffle_xor" && name != "broadcast")
    return scan(name, value, tile, mask);
  const Val index = runtime(arguments.at(1));
  usable(index, mask);
  result = lanesOf(value.type);
  for (unsigned lane = 0; lane < lanes; ++lane) {
    if (!mask[lane])
      continue;
    const unsigned first = lane / wave * wave, own = lane - first;
    const Bits by = index.bits[lane];
    const Bits from = name == "shuffle_up"     ? own - by
                      : name == "shuffle_down" ? own + by
                      : name == "shuffle_xor"  ? own ^ by
                                               : by;
    if (name == "broadcast" && by != index.bits[first])
      throw Unspecified("a broadcast from another lane for each");
    if (from >= wave) {
      result.taint[lane] = Open;
      continue;
    }
    result.bits[lane] = value.bits[first + from];
    result.taint[lane] = value.taint[first + from] & Open;
  }
  return result;
}

/// reduce(value, block_dim, op, dtype) and its like, where a function is the operator.
Val Machine::foldBlock(std::string_view name, std::vector<Val> &arguments, const Mask &mask) {
  const bool exclusive = name == "exclusive_scan", all = name == "reduce_all";
  if (!exclusive && !all && name != "reduce" && name != "inclusive_scan")
    throw Unsupported("the collective " + std::string(name));
  if (constantInt(arguments[1]) != lanes || lanes % wave)
    throw Unsupported("a block collective of another block");
  wholeBlock(mask);
  const Val value = runtime(arguments[0]);
  usable(value, mask);
  if (isReal(value.type) || arguments.back().kind != Val::Type ||
      arguments.back().type != value.type)
    throw Unsupported("a fold of another type");
  Val total = lanesOf(value.type), result = total;
  if (exclusive)
    result = total = cast(arguments[3], value.type, mask);
  for (unsigned lane = 0; lane < lanes; ++lane) {
    Val next = value;
    next.bits.assign(lanes, value.bits[lane]);
    if (exclusive)
      result.bits[lane] = total.bits[lane];
    total = lane == 0
                ? next
                : cast(callFunction(*arguments[2].function, {total, next}, mask), value.type, mask);
    if (!exclusive)
      result.bits[lane] = total.bits[lane];
  }
  if (name == "inclusive_scan" || exclusive)
    return result;
  for (unsigned lane = 1; lane < lanes && !all; ++lane)
    total.taint[lane] = Open;
  return total;
}

Val Machine::blockCall(const ast::Expr &site, std::string_view name, std::vector<Val> &arguments,
                       const Mask &mask) {
  Val result = lanesOf(Scalar::I32);
  if (name == "thread_idx" || name == "global_thread_idx") {
    for (unsigned lane = 0; lane < lanes; ++lane)
      result.bits[lane] = Bits(lane + (name == "thread_idx" ? 0 : blockIndex * blockDim));
    return result;
  }
  if (name == "SharedArray" && arguments.size() == 2 && arguments[1].kind == Val::Type) {
    std::vector<int64_t> shape;
    for (const Val &extent :
         arguments[0].kind == Val::List ? arguments[0].items : std::vector<Val>{arguments[0]})
      shape.push_back(constantInt(extent));
    std::deque<Array> &made = shared[{&site, callPath}];
    const bool isNew = made.empty();
    size_t next = 0;
    return memoryOf(arguments[1], "", [&](const std::string &, const Val &type) -> Array * {
      if (type.record)
        return nullptr;
      if (isNew) {
        const Val *number = &type;
        Array array;
        array.shape = shape;
        for (; !number->items.empty(); number = &number->items[0])
          array.width *= number->items.size();
        array.type = number->type;
        size_t size = array.width;
        for (int64_t extent : shape)
          size *= size_t(extent);
        array.data.resize(size);
        array.cells.assign(size, undefinedCell());
        made.push_back(std::move(array));
      }
      return &made.at(next++);
    });
  }
  if (name == "mem_fence")
    return {};
  if (name == "sync") {
    barrier(mask);
    return {};
  }
  if (name.starts_with("sync_")) {
    const Mask yes = truth(runtime(arguments.at(0)), mask);
    barrier(mask);
    const auto count = unsigned(std::count(yes.begin(), yes.end(), 1));
    for (unsigned lane = 0; lane < lanes; ++lane)
      result.bits[lane] = name == "sync_count_nonzero" ? count
                          : name == "sync_all_nonzero" ? count == lanes
                                                       : count != 0;
    return result;
  }
  if (arguments.size() > 3 && arguments[2].kind == Val::Function)
    return foldBlock(name, arguments, mask);
  // reduce_add(value, block_dim, dtype) and its like: folds of one tile, the block.
  if (arguments.size() != 3 || arguments[2].kind != Val::Type ||
      constantInt(arguments[1]) != lanes || lanes % wave)
    throw Unsupported("the collective " + std::string(name));
  if (runtime(arguments[0]).type != arguments[2].type)
    throw Unsupported("a block collective of another type than its value");
  wholeBlock(mask);
  return scan(name, arguments[0], lanes, mask);
}

Val Machine::simtCall(const ast::Expr &site, std::string_view name, std::vector<Val> &arguments,
                      const Mask &mask) {
  if (beginsWith(name, "subgroup."))
    return subgroupCall(name, arguments, mask);
  if (beginsWith(name, "block."))
    return blockCall(site, name, arguments, mask);
  if (name == "grid.mem_fence")
    return {};
  throw Unsupported("qd.simt." + std::string(name));
}

} // namespace fuzz
