# Zig's C and C++ compiler, which has the C libraries of all its targets: for the wheels of the
# loader. The environment says which Python has the package ziglang (SEXTANT_ZIG_PYTHON), and the
# target, such as x86_64-linux-gnu.2.28 (SEXTANT_ZIG_TARGET).
set(python "$ENV{SEXTANT_ZIG_PYTHON}")
set(target "$ENV{SEXTANT_ZIG_TARGET}")
string(REGEX MATCH "^[^-]+" CMAKE_SYSTEM_PROCESSOR "${target}")
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_C_COMPILER "${python}" -m ziglang cc -target "${target}")
set(CMAKE_CXX_COMPILER "${python}" -m ziglang c++ -target "${target}")
# nanobind names stderr, which libc++ does not bring along; pyconfig.h defines what the C library has.
set(CMAKE_CXX_FLAGS_INIT "-include stdio.h -Wno-macro-redefined")
