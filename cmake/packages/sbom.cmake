# sextant_write_sbom(ROOT NAME PARTS OUT DEPENDENCIES FILES…): writes ROOT/OUT, the SPDX 2.3 list of a
# package: its FILES with checksums, and what its PARTS (see dependencies.cmake) are built with.
# Times come from SOURCE_DATE_EPOCH where that is set, so that the same content has the same bytes.

# The file that dependencies.cmake wrote calls this for each row.
macro(sextant_depends name version license home debian used)
  list(APPEND SEXTANT_DEPENDENCY_NAMES "${name}")
  set(SEXTANT_DEPENDENCY_${name}_version "${version}")
  set(SEXTANT_DEPENDENCY_${name}_license "${license}")
  set(SEXTANT_DEPENDENCY_${name}_home "${home}")
  set(SEXTANT_DEPENDENCY_${name}_debian "${debian}")
  set(SEXTANT_DEPENDENCY_${name}_used "${used}")
endmacro()

# A name in an identifier of SPDX.
function(sextant_spdx_id text result)
  string(REGEX REPLACE "[^A-Za-z0-9.-]" "-" text "${text}")
  set(${result} "SPDXRef-${text}" PARENT_SCOPE)
endfunction()

# The copyright files of the libraries that are inside the portable command. Of Debian's packages; where
# one is missing, that is an error: the archive may not be given away without it.
function(sextant_copy_licenses folder)
  file(MAKE_DIRECTORY "${folder}")
  foreach(name IN LISTS SEXTANT_DEPENDENCY_NAMES)
    if(SEXTANT_DEPENDENCY_${name}_used MATCHES "portable=static")
      set(debian "${SEXTANT_DEPENDENCY_${name}_debian}")
      file(COPY_FILE "/usr/share/doc/${debian}/copyright" "${folder}/${name}.txt")
    endif()
  endforeach()
  foreach(license GPL-3 LGPL-3) # which those of MPFR and GMP refer to
    file(COPY_FILE "/usr/share/common-licenses/${license}" "${folder}/${license}.txt")
  endforeach()
endfunction()

function(sextant_write_sbom root package parts out dependencies)
  cmake_policy(VERSION 3.25) # scripts of CPack and of installing have none
  set(SEXTANT_DEPENDENCY_NAMES "") # also where the caller has read the table
  include("${dependencies}")
  string(TIMESTAMP created "%Y-%m-%dT%H:%M:%SZ" UTC)
  set(packages "")
  set(relations "    {\"spdxElementId\": \"SPDXRef-DOCUMENT\", \"relationshipType\": \"DESCRIBES\", \"relatedSpdxElement\": \"SPDXRef-Package\"}")

  # The dependencies, and how they are used.
  foreach(name IN LISTS SEXTANT_DEPENDENCY_NAMES)
    sextant_spdx_id("Dependency-${name}" id)
    set(ways "")
    foreach(part IN LISTS parts)
      if(SEXTANT_DEPENDENCY_${name}_used MATCHES "(^|,)${part}=([a-z]+)")
        list(APPEND ways ${CMAKE_MATCH_2})
      endif()
    endforeach()
    list(REMOVE_DUPLICATES ways)
    if(NOT ways)
      continue()
    endif()
    set(version "${SEXTANT_DEPENDENCY_${name}_version}")
    set(versionLine "")
    if(NOT version STREQUAL "NOASSERTION")
      set(versionLine "\"versionInfo\": \"${version}\", ")
    endif()
    string(APPEND packages ",
    {\"SPDXID\": \"${id}\", \"name\": \"${name}\", ${versionLine}\"downloadLocation\": \"NOASSERTION\", \"filesAnalyzed\": false,
     \"homepage\": \"${SEXTANT_DEPENDENCY_${name}_home}\", \"copyrightText\": \"NOASSERTION\",
     \"licenseConcluded\": \"${SEXTANT_DEPENDENCY_${name}_license}\", \"licenseDeclared\": \"${SEXTANT_DEPENDENCY_${name}_license}\"}")
    foreach(way IN LISTS ways)
      if(way STREQUAL "runtime")
        set(from ${id})
        set(to SPDXRef-Package)
        set(type RUNTIME_DEPENDENCY_OF)
      else()
        set(from SPDXRef-Package)
        set(to ${id})
        set(type DYNAMIC_LINK)
        if(way STREQUAL "static")
          set(type STATIC_LINK)
        elseif(way STREQUAL "linked")
          set(type DEPENDS_ON)
        endif()
      endif()
      string(APPEND relations ",
    {\"spdxElementId\": \"${from}\", \"relationshipType\": \"${type}\", \"relatedSpdxElement\": \"${to}\"}")
    endforeach()
  endforeach()

  # The files. Links are names of files that are here already, and so is what was listed twice.
  set(files ${ARGN})
  list(REMOVE_DUPLICATES files)
  list(SORT files)
  set(entries "")
  set(sums "")
  set(names "")
  foreach(file IN LISTS files)
    file(RELATIVE_PATH name "${root}" "${file}")
    if(IS_SYMLINK "${file}" OR name STREQUAL out)
      continue()
    endif()
    file(SHA1 "${file}" sha1)
    file(SHA256 "${file}" sha256)
    list(APPEND sums ${sha1})
    string(SHA1 place "${name}")
    set(id "SPDXRef-File-${place}")
    list(APPEND names "\"${id}\"")
    list(APPEND entries "    {\"SPDXID\": \"${id}\", \"fileName\": \"./${name}\", \"copyrightText\": \"NOASSERTION\",
     \"licenseConcluded\": \"NOASSERTION\", \"licenseInfoInFiles\": [\"NOASSERTION\"],
     \"checksums\": [{\"algorithm\": \"SHA1\", \"checksumValue\": \"${sha1}\"}, {\"algorithm\": \"SHA256\", \"checksumValue\": \"${sha256}\"}]}")
  endforeach()
  list(SORT sums)
  list(JOIN sums "" joined)
  string(SHA1 verification "${joined}")
  list(JOIN entries ",\n" entries)
  list(JOIN names ", " names)

  file(WRITE "${root}/${out}" "{
  \"spdxVersion\": \"SPDX-2.3\",
  \"dataLicense\": \"CC0-1.0\",
  \"SPDXID\": \"SPDXRef-DOCUMENT\",
  \"name\": \"${package}-${SEXTANT_RELEASE}\",
  \"documentNamespace\": \"https://sextant.invalid/spdx/${package}-${SEXTANT_RELEASE}-${verification}\",
  \"creationInfo\": {\"created\": \"${created}\", \"creators\": [\"Tool: sextant-${SEXTANT_RELEASE}\"]},
  \"packages\": [
    {\"SPDXID\": \"SPDXRef-Package\", \"name\": \"${package}\", \"versionInfo\": \"${SEXTANT_RELEASE}\", \"downloadLocation\": \"NOASSERTION\",
     \"filesAnalyzed\": true, \"packageVerificationCode\": {\"packageVerificationCodeValue\": \"${verification}\", \"packageVerificationCodeExcludedFiles\": [\"./${out}\"]},
     \"licenseConcluded\": \"Apache-2.0 WITH LLVM-exception\", \"licenseDeclared\": \"Apache-2.0 WITH LLVM-exception\",
     \"licenseInfoFromFiles\": [\"NOASSERTION\"], \"copyrightText\": \"NOASSERTION\",
     \"hasFiles\": [${names}]}${packages}
  ],
  \"files\": [
${entries}
  ],
  \"relationships\": [
${relations}
  ]
}
")
endfunction()
