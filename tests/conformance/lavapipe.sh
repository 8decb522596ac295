#!/bin/sh
# lavapipe.sh COMMAND…: the command with lavapipe, Mesa's Vulkan on the CPU, as the only
# Vulkan driver, and with the validation layers where they are; 77 where there is no lavapipe,
# or SEXTANT_LAVAPIPE says `none`.
set -eu
if [ "${SEXTANT_LAVAPIPE:-}" = none ]; then
  echo "skipped: lavapipe is a library of this system, and the program is for another"
  exit 77
fi
for folder in /usr/share/vulkan /usr/local/share/vulkan /etc/vulkan; do
  for file in "$folder"/icd.d/lvp_icd*.json; do
    [ -f "$file" ] && icd=$file
  done
  [ -f "$folder/explicit_layer.d/VkLayer_khronos_validation.json" ] &&
    export VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation
done
if [ -z "${icd:-}" ]; then
  echo "skipped: no lavapipe (package mesa-vulkan-drivers)"
  exit 77
fi
# Vectors of 512 bits: on processors without them, Mesa 22.3 crashes while it compiles.
if [ "${LP_NATIVE_VECTOR_WIDTH:-}" = 512 ] && ! grep -q avx512f /proc/cpuinfo 2>/dev/null; then
  echo "skipped: lavapipe crashes with vectors of 512 bits on a processor without AVX-512"
  exit 77
fi
# With AVX-512, but vectors of 256 bits, Mesa 22.3 miscompiles conversions of u64 to f64: 0.5 % 0.3 of f64 is 4e-307.
if [ "${LP_NATIVE_VECTOR_WIDTH:-}" != 512 ] && grep -q avx512f /proc/cpuinfo 2>/dev/null; then
  export GALLIUM_OVERRIDE_CPU_CAPS=${GALLIUM_OVERRIDE_CPU_CAPS:-avx}
fi
# llvmpipe ends a loop after 65535 rounds: on a busy machine a block that waits for one on
# another thread would go on too early. On one thread, blocks run in their order.
export LP_NUM_THREADS=1
export VK_ICD_FILENAMES="$icd" VK_DRIVER_FILES="$icd"
[ -n "${VK_INSTANCE_LAYERS:-}" ] || echo "no validation layers (package vulkan-validationlayers)"
exec "$@"
