# Read by CPack once for each generator: Debian's packages are made of components, an archive has all.
if(CPACK_GENERATOR STREQUAL "DEB")
  set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
  set(CPACK_COMPONENTS_ALL loader dev)
  if(CPACK_SEXTANT_COMMAND)
    list(APPEND CPACK_COMPONENTS_ALL program command)
  endif()
endif()
