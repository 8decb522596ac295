# The loader for Nix, of the sources that this file lies in: nix-build -E '(import <nixpkgs> {}).callPackage ./cmake/packages/nix {}'
{ lib, stdenv, cmake, ninja, python3, zstd, xxHash, vulkan-headers }:

stdenv.mkDerivation {
  pname = "sextant-loader";
  version = builtins.head (builtins.match ".*project\\(Sextant VERSION ([0-9.]+).*"
    (builtins.readFile ../../../CMakeLists.txt));
  src = ../../..;

  nativeBuildInputs = [ cmake ninja python3 ];
  buildInputs = [ zstd xxHash vulkan-headers ];
  cmakeFlags = [
    "-DSEXTANT_BUILD_COMPILER=OFF"
    "-DSEXTANT_BUILD_TESTS=OFF"
    "-DSEXTANT_BUILD_EXAMPLES=OFF"
    "-DSEXTANT_BUILD_PYTHON=OFF"
    # nixpkgs gives absolute folders; Sextant's are relative to the prefix.
    "-DCMAKE_INSTALL_LIBDIR=lib"
    "-DCMAKE_INSTALL_INCLUDEDIR=include"
  ];

  meta = {
    description = "Ahead-of-time GPU and CPU kernels in one module: the loader";
    license = lib.licenses.asl20;
    platforms = [ "x86_64-linux" ];
  };
}
