# vcpkg's port of the sources that it lies in. Both kinds of the loader are built, whatever the
# triplet says: a program chooses by the target that it links.
cmake_path(GET CURRENT_PORT_DIR PARENT_PATH packages)
cmake_path(GET packages PARENT_PATH cmakeFolder)
cmake_path(GET cmakeFolder PARENT_PATH SOURCE_PATH)
set(VCPKG_POLICY_DLLS_IN_STATIC_LIBRARY enabled)

vcpkg_check_features(OUT_FEATURE_OPTIONS features FEATURES compiler SEXTANT_BUILD_COMPILER)
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS ${features} -DSEXTANT_BUILD_TESTS=OFF -DSEXTANT_BUILD_EXAMPLES=OFF -DSEXTANT_BUILD_PYTHON=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME Sextant CONFIG_PATH lib/cmake/Sextant)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
file(INSTALL "${CURRENT_PORT_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
