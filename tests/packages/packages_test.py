"""The Debian packages and an archive: made by CPack, looked into, unpacked and used.

    packages_test.py BUILD WORK CPACK [FOLDER]

With FOLDER, the packages there are tried instead of made. `./dev package --check` also installs them in a bare
Debian (chroot.sh).
"""
import fnmatch
import hashlib
import json
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SOURCES = HERE.parents[1]
PACKAGES = ("sextant", "libsextant-loader0", "libsextant-loader-dev")
# The text that a field of a package has to have.
FIELDS = {
    "sextant": {"Depends": ["libmlir-19", "libllvm19", "libc6", "libspirv-cross-c-shared0"],
                "Recommends": ["libsextant-loader-dev", "rocm-device-libs"], "Section": ["devel"]},
    "libsextant-loader0": {"Depends": ["libc6", "libstdc++6", "libzstd1"], "Section": ["libs"]},
    "libsextant-loader-dev": {"Depends": ["libsextant-loader0 (= 0.2.0-1)", "libzstd-dev"], "Section": ["libdevel"]},
}


def run(*command, **options):
    done = subprocess.run([str(each) for each in command], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, **options)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: status {done.returncode}\n{done.stdout[-4000:]}")
    return done.stdout


def expected_contents(lib):
    """Returns the patterns of each package."""
    wanted, name = {}, None
    for line in (HERE / "contents.txt").read_text().splitlines():
        if line in PACKAGES:
            name = line
            wanted[name] = []
        elif line and not line.startswith("#"):
            wanted[name].append(line.replace("LIB", lib, 1))
    return wanted


def check_contents(name, files, patterns):
    for pattern in patterns:
        if not fnmatch.filter(files, pattern):
            sys.exit(f"{name} lacks {pattern}")
    for file in files:
        # The module of the algorithms is there if it was built.
        if file != "usr/share/sextant/sextant-algorithms.sxt" and not any(fnmatch.fnmatch(file, each)
                                                                           for each in patterns):
            sys.exit(f"{name} has {file}, of which tests/packages/contents.txt knows nothing")


def check_sbom(root, file):
    """Compares the list of materials with the files that are there, and asks spdx-tools if it is valid."""
    document = json.loads((root / file).read_text())
    sums = {}
    for entry in document["files"]:
        content = (root / entry["fileName"]).read_bytes()
        for checksum in entry["checksums"]:
            found = hashlib.new(checksum["algorithm"].lower(), content).hexdigest()
            if found != checksum["checksumValue"]:
                sys.exit(f"{file}: {checksum['algorithm']} of {entry['fileName']} is {found}")
        sums[entry["fileName"].removeprefix("./")] = entry
    there = {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file() and not path.is_symlink()}
    there -= {file}
    if set(sums) != there:
        sys.exit(f"{file} and the files differ: {sorted(set(sums) ^ there)}")
    code = hashlib.sha1("".join(sorted(entry["checksums"][0]["checksumValue"] for entry in sums.values())).encode())
    package = document["packages"][0]
    if package["packageVerificationCode"]["packageVerificationCodeValue"] != code.hexdigest():
        sys.exit(f"{file}: the verification code is not {code.hexdigest()}")
    unknown = [each["name"] for each in document["packages"][1:]
               if "versionInfo" not in each and each["name"] not in ("Vulkan-Loader", "ROCm-Device-Libs")]
    if unknown:
        sys.exit(f"{file} has no version of {', '.join(unknown)}")
    try:
        from spdx_tools.spdx.parser.parse_anything import parse_file
        from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document
    except ImportError:
        print(f"{file}: {len(sums)} files; skipped: spdx-tools is not in this Python, nothing else validates")
        return document
    messages = validate_full_spdx_document(parse_file(str(root / file)))
    if messages:
        sys.exit(f"{file}: " + "; ".join(each.validation_message for each in messages))
    print(f"{file}: {len(sums)} files, {len(document['packages']) - 1} dependencies, valid SPDX 2.3")
    return document


def related(document, kind):
    """The names of the dependencies with that relationship."""
    names = {each["SPDXID"]: each["name"] for each in document["packages"]}
    return {names[end] for each in document["relationships"] if each["relationshipType"] == kind
            for end in (each["spdxElementId"], each["relatedSpdxElement"]) if end.startswith("SPDXRef-Dependency")}


def check_package(deb, name, work, lib):
    """Looks into one package and unpacks it into work/root."""
    control = run("dpkg-deb", "-f", deb)
    for field, texts in {**FIELDS[name], "Package": [name], "Version": ["0.2.0-1"]}.items():
        line = re.search(rf"^{field}: (.*)$", control, re.M)
        for text in texts:
            if line is None or text not in line[1]:
                sys.exit(f"{name}: {field} has no {text}:\n{control}")
    root = work / name
    run("dpkg-deb", "-x", deb, root)
    files = {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_symlink() or path.is_file()}
    check_contents(name, files, expected_contents(lib)[name])
    sbom = check_sbom(root / "usr", f"share/doc/{name}/{name}.spdx.json")
    run("dpkg-deb", "-x", deb, work / "root")
    return sbom


def check_libsymbols(deb):
    """The package of the library carries its symbols, its shlibs and the trigger."""
    names = run("sh", "-c", f"dpkg-deb --ctrl-tarfile '{deb}' | tar -t")
    for name in ("symbols", "shlibs", "triggers"):
        if f"./{name}\n" not in names:
            sys.exit(f"{deb.name} has no {name}:\n{names}")


def main(build, work, cpack, folder=None):
    build, work = pathlib.Path(build).resolve(), pathlib.Path(work).resolve()
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    made = pathlib.Path(folder).resolve() if folder else work / "packages"
    if not folder:  # gzip packs faster than what is shipped
        run(cpack, "-G", "DEB;TGZ", "-B", made, "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=gzip", cwd=build)
    debs = {name: next(made.glob(f"{name}_*.deb")) for name in PACKAGES}
    lib = next(path for path in run("dpkg-deb", "-c", debs["libsextant-loader0"]).split()
               if path.startswith("./") and path.endswith(".so.0.2.0"))
    lib = lib.removeprefix("./").rpartition("/")[0]
    sboms = {name: check_package(deb, name, work, lib) for name, deb in debs.items()}
    check_libsymbols(debs["libsextant-loader0"])
    # The loader's needs are known by other means: library.sh lists them.
    if related(sboms["libsextant-loader0"], "DYNAMIC_LINK") != {"zstd"} or \
            "libsodium" not in related(sboms["libsextant-loader0"], "RUNTIME_DEPENDENCY_OF") or \
            not {"LLVM", "MLIR", "MPFR"} <= related(sboms["sextant"], "DYNAMIC_LINK"):
        sys.exit("the lists of materials say other things of zstd, libsodium, LLVM, MLIR or MPFR")
    if shutil.which("lintian"):
        # In a test build the libraries lie in usr/lib, where packages of Debian do not have them.
        other = [] if lib != "usr/lib" else ["--suppress-tags", "pkg-config-unavailable-for-cross-compilation,"
                                             "package-has-unnecessary-activation-of-ldconfig-trigger"]
        run("lintian", "--fail-on", "error,warning", *other, *debs.values())
        print("lintian: no error, no warning")
    else:
        print("lintian: skipped, it is not installed")
    print("packages:", run(HERE / "use.sh", work / "root/usr", HERE / "project", work / "use"), end="")

    # The archive is used from a folder that nothing knew of before.
    archive = next(made.glob("sextant-*.tar.gz"))
    run("tar", "xf", archive, "-C", work)
    root = work / "anywhere"
    (work / archive.name.removesuffix(".tar.gz")).rename(root)
    check_sbom(root, "share/sextant/sextant.spdx.json")
    print("archive:", run(HERE / "use.sh", root, HERE / "project", work / "use-archive"), end="")
    for file in sorted(made.glob("*sextant*.*")):
        print(f"{file.name}: {file.stat().st_size} bytes")


if __name__ == "__main__":
    main(*sys.argv[1:])
