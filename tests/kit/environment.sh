# Where a kit's programs find its libraries, Vulkan's loader and NVIDIA's driver, and how nvcc compiles its benchmarks:
# . environment.sh KIT
export LD_LIBRARY_PATH=$1/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}

# Vulkan's loader where the system has none, and a driver that lies beside the others.
if ! ldconfig -p | grep -q libvulkan.so.1; then
  export LD_LIBRARY_PATH=$LD_LIBRARY_PATH:$1/vulkan/lib
fi
icd=/usr/local/nvidia/share/vulkan/icd.d/nvidia_icd.json
if [ -f $icd ] && ! ls /usr/share/vulkan/icd.d/*nvidia* /etc/vulkan/icd.d/*nvidia* >/dev/null 2>&1; then
  export VK_DRIVER_FILES=$icd
  export __EGL_VENDOR_LIBRARY_FILENAMES=/usr/local/nvidia/share/glvnd/egl_vendor.d/10_nvidia.json
fi

# The code of benchmarks whose modules have fast math (…-fast) has it as well: compile_cuda MODULE ARGUMENT…
nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null || true)
compile_cuda() {
  local flags=()
  if [[ $1 == *-fast ]]; then flags=(--use_fast_math); fi
  "$nvcc" -std=c++20 -O3 "${flags[@]}" -arch=native -L "$(dirname "$nvcc")/../lib64/stubs" "${@:2}" -lcuda
}
