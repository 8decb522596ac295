// A draft of every kind of expression and statement.
#pragma once

#include <string>

inline const std::string everything = R"(draft k wave 32
param x f32 buffer
param x.shape0 i32
param n u64
hidden return return0 f64 x 1
hidden carry t i32 x 3
hidden schedule schedule u32 x 3
local %a.0 i32
local %b.1 f32 shown
local %v_0.2 i32
local %v_1.3 i32
local %p.4 u1
variable v %v_0.2 x 2
shared0 s f16 x 64
private0 q i8 x 9
returned %a.0
span loop in 0
span checkpoint in 1 -7
span fork in 0
span branch in 3
task block 1 serial returns 3
  %a.0 = 5
  %b.1 = -2.5:f32
  %b.1 = inf:f32
  %p.4 = true
  x[%a.0] = volatile x[(%a.0 + 1)]
  volatile x[0] = select(%p.4, %b.1, neg(%b.1))
  %a.0 = ((n == 18446744073709551615:u64) ? i32(n) : x.shape0)
  scope 3
    if (not(%p.4) & (%b.1 < 0:f32))
      leave 3
    else
      t[1] = bitcast<i32>(%b.1)
  atomic_add(carry2[1], %a.0)
task block 128 full waits min_blocks 2 behind_return in 2
  for %a.0 = 0 to x.shape0 step -2 unroll 4
    while (thread_idx != lane)
      %a.0 = {
        %v_0.2 = {
          barrier
        } 3
        shared0[0] = f16(1)
      } (%v_0.2 >>> 2)
    private0[0] = i8(-7)
  %a.0 = atomic_cas(carry2[0], 1, %a.0)
  %a.0 = shuffle_xor(popcnt(n), 1)
  %p.4 = (any<5>(%p.4) | all<2>((ballot(%p.4) == match<4>(u32(%a.0)))))
  %a.0 = reduce_all_max<5>(inclusive_add<3>(exclusive_xor<5>(reduce_min<5>(%a.0))))
  %a.0 = barrier_count(%p.4)
  subgroup_barrier
  fence device
  check %p.4 site 2, i64(%a.0), 4:i64
  block_idx
  x@i16[%a.0] = i16(x@u64[(%a.0 + 1)])
  for %v_0.2 = 0 to 4 unroll whole
    cached<stream> x[%v_0.2] = (cached<readonly> x[0] + f32(cached<global> x@i32[1]))
  volatile x@i32[0] = (%p.4 ? x@i32[2] : n@i32[1])
  %a.0 = atomic_cas(carry2@u32[0], 1:u32, atomic_max(x@u32[3], 7:u32))
task block 128 light turns
  %a.0 = ((block_idx * block_dim) + thread_idx)
  pause
  cached<async> shared0[0] = f16(clock)
  end_copies
  await_copies 2
  %a.0, %b.1 = instruction "two {2}, #;" (%a.0, 2:f32)
  instruction "store [#], #;" memory of_thread (address<u64>(x[%a.0]), address<u32>(shared0[3]))
  %b.1 = derived(%b.1, 2:f32)
  %b.1 = derived(2:f32, %b.1, %b.1)
  %b.1 = pullback(%b.1 by %b.1, %b.1 by %b.1) {
    %b.1 = -2.5:f32
  }
)";
