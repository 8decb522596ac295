// Memory that threads share: elements, atomics, collectives, shared memory.
#include "tests/fuzz/GeneratorParts.h"

namespace fuzz::generator {

void Generator::own(Place &at) {
  if (at.inFunction || mine.empty()) {
    declare(at);
    return;
  }
  const Memory &memory = pick(mine);
  const Text place = memory.name + "[" + thread + "]";
  if (below(3) == 0) {
    const Text name = fresh("v");
    line(at.depth, name + " = " + place);
    at.variables.push_back({name, memory.type, true});
  } else {
    line(at.depth, place + " = " + expression(at, memory.type, 2));
  }
}

void Generator::atomic(Place &at) {
  if (at.inFunction || accumulators.empty()) {
    declare(at);
    return;
  }
  const auto &[memory, op] = pick(accumulators);
  Text value = expression(at, memory.type, 2);
  const Text place = memory.name + "[" + index(at, 2) + "]";
  static const char *const signs[] = {"+", "&", "|", "^"};
  static const char *const names[] = {"add", "and", "or", "xor"};
  for (int i = 0; i < 4; ++i)
    if (op == names[i] && below(2)) {
      line(at.depth, place + " " + signs[i] + "= " + value);
      return;
    }
  line(at.depth, "qd.atomic_" + (op == "add" && below(4) == 0 ? Text("sub") : op) + "(" + place +
                     ", " + value + ")");
}

void Generator::collective(Place &at) {
  const auto types = collectiveTypes();
  const Scalar type = pick(types);
  const Text own = "qd." + Text(nameOf(type));
  Text value = expression(at, type, 2);
  // Sums of reals are exact.
  const Text small = isReal(type)
                         ? own + "(" + expression(at, Scalar::I32, 2) + " & 15) * " + own + "(0.25)"
                         : value;
  const Text name = fresh("c");
  Scalar result = type;
  const unsigned k = below(2);
  Text tile = pick({"0", "1", "2", "subgroup.log2_group_size()", "subgroup.log2_group_size() - 1"});
  const Text tileSize = "(1 << (" + tile + "))";
  const bool tiled = below(2);
  const Text suffix = tiled ? "_tiled(" : "(", tail = tiled ? ", " + tile + ")" : ")";
  const Text lane = "subgroup.invocation_id()";
  const std::vector<Text> integerOps = {"add", "mul", "min", "max", "and", "or", "xor"};
  Text text;
  switch (below(14)) {
  case 0: {
    const Text op = pick({"add", "min", "max"});
    text = "subgroup.reduce_all_" + op + suffix + (op == "add" ? small : value) + tail;
    break;
  }
  case 1: {
    const Text op = pick({"add", "min", "max"});
    text = "qd.select(" + lane + " % " + (tiled ? tileSize : "subgroup.group_size()") +
           " == 0, subgroup.reduce_" + op + suffix + (op == "add" ? small : value) + tail + ", " +
           value + ")";
    break;
  }
  case 2:
  case 3: {
    const Text op = isReal(type) ? pick({"add", "min", "max"}) : pick(integerOps);
    text = Text("subgroup.") + pick({"inclusive_", "exclusive_"}) + op + suffix +
           (op == "add" ? small : value) + tail;
    break;
  }
  case 4:
    text = "subgroup.shuffle(" + value + ", qd.u32((" + expression(at, Scalar::I32, 2) +
           ") & (subgroup.group_size() - 1)))";
    break;
  case 5:
    text = "subgroup.shuffle_xor(" + value + ", qd.u32(" + number(1 + below(3)) + "))";
    break;
  case 6: {
    const Text by = number(1 + below(3));
    text = k ? "qd.select(" + lane + " >= " + by + ", subgroup.shuffle_up(" + value + ", qd.u32(" +
                   by + ")), " + literal(type) + ")"
             : "qd.select(" + lane + " < subgroup.group_size() - " + by +
                   ", subgroup.shuffle_down(" + value + ", qd.u32(" + by + ")), " + literal(type) +
                   ")";
    break;
  }
  case 7:
    text = k ? "subgroup.broadcast(" + value + ", qd.u32(" + number(below(4)) + "))"
             : "subgroup.broadcast_first(" + value + ")";
    break;
  case 8:
    text = Text("subgroup.") + pick({"all_true", "any_true"}) + suffix + condition(at, 2) + tail;
    result = Scalar::I32;
    break;
  case 9:
    if (k) {
      text = "subgroup.all_equal" + suffix + value + tail;
      result = Scalar::I32;
    } else {
      text = typed(type, "subgroup.ballot_first_n(" + condition(at, 2) + ", " +
                             pick({"32", "4", "7", "1"}) + ")" + (isReal(type) ? " & 255" : ""));
    }
    break;
  case 10:
    text = "qd.math.popcnt(subgroup.ballot(" + condition(at, 2) + "))";
    result = Scalar::I32;
    break;
  case 11: {
    const Text op = pick({"add", "min", "max"});
    text = "subgroup.segmented_reduce_" + op + suffix + (op == "add" ? small : value) + ", " +
           expression(at, Scalar::I32, 1) + " % 3" + tail;
    break;
  }
  case 12: {
    const Text other = fresh("c");
    const Scalar second = pick(types);
    line(at.depth, name + ", " + other + " = subgroup.bitonic_sort_kv" + suffix + value + ", " +
                       expression(at, second, 2) + tail);
    at.variables.push_back({name, type, true});
    at.variables.push_back({other, second, true});
    return;
  }
  default:
    blockwide(at, name, type, value, small);
    return;
  }
  line(at.depth, name + " = " + text);
  at.variables.push_back({name, result, true});
}

void Generator::blockwide(Place &at, const Text &name, Scalar type, const Text &value,
                          const Text &small) {
  const Text dim = number(blockDim), own = "qd." + Text(nameOf(type));
  Scalar result = type;
  switch (below(7)) {
  case 5: // an operator that does not commute, too
    if (!isReal(type)) {
      const Text op = pick({"plus", "later", "product", "mix"}) + tag;
      const Text rest = own + "(" + value + "), " + dim + ", " + op + ", ";
      const unsigned kind = below(4);
      if (kind == 0)
        line(at.depth, name + " = block.reduce_all(" + rest + own + ")");
      else if (kind == 1)
        line(at.depth, name + " = block.inclusive_scan(" + rest + own + ")");
      else if (kind == 2)
        line(at.depth, name + " = block.exclusive_scan(" + rest + literal(type) + ", " + own + ")");
      else
        line(at.depth, name + " = qd.select(block.thread_idx() == 0, block.reduce(" + rest + own +
                           "), " + literal(type) + ")");
      break;
    }
    [[fallthrough]];
  case 6: { // two dimensions
    const Text square = fresh("s");
    line(at.depth, square + " = block.SharedArray((8, " + number(blockDim / 8) + "), " + own + ")");
    line(at.depth, square + "[block.thread_idx() % 8, block.thread_idx() // 8] = " + value);
    line(at.depth, "block.sync()");
    line(at.depth, name + " = " + square + "[" + expression(at, Scalar::I32, 1) +
                       " & 7, block.thread_idx() % " + number(blockDim / 8) + "]");
    line(at.depth, "block.sync()");
    break;
  }
  case 0:
    line(at.depth, name + " = block.sync_" + pick({"all", "any", "count"}) + "_nonzero(qd.i32(" +
                       condition(at, 2) + "))" + "");
    result = Scalar::I32;
    break;
  case 1: {
    const Text op = pick({"add", "min", "max"});
    line(at.depth, name + " = block." + pick({"reduce_all_", "inclusive_", "exclusive_"}) + op +
                       "(" + own + "(" + (op == "add" ? small : value) + "), " + dim + ", " + own +
                       ")");
    break;
  }
  default: {
    // Own elements, a barrier, those of others, a barrier.
    const Memory &array = pick(shared);
    result = array.type;
    const Text tid = "block.thread_idx()";
    if (below(3) == 0 && bitsOf(array.type) >= 32 && !isReal(array.type)) {
      line(at.depth, array.name + "[" + tid + "] = " + literal(array.type));
      line(at.depth, "block.sync()");
      const Text update = "qd.atomic_" + pick({"add", "or", "xor", "min", "max"}) + "(" +
                          array.name + "[" + expression(at, Scalar::I32, 1) + " & " +
                          number(blockDim - 1) + "], " + expression(at, array.type, 2) + ")";
      if (below(2)) {
        line(at.depth, "if " + condition(at, 2) + ":");
        line(at.depth + 1, update);
      } else {
        line(at.depth, update);
      }
    } else {
      line(at.depth, array.name + "[" + tid + "] = " + expression(at, array.type, 2));
    }
    line(at.depth, "block.sync()");
    const Text from = below(2) ? "(" + tid + " + " + number(1 + below(40)) + ") % " + dim
                               : expression(at, Scalar::I32, 2) + " & " + number(blockDim - 1);
    line(at.depth, name + " = " + array.name + "[" + from + "]");
    line(at.depth, "block.sync()");
  }
  }
  at.variables.push_back({name, result, true});
}

} // namespace fuzz::generator
