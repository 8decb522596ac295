"""How long a build of many kernels for many targets takes: measure.py SEXTANT FOLDER KERNELS TARGETS SHARDS [BUILDS]

TARGETS is a number of targets, or a list; BUILDS is `none,cold,warm`, or some of these. Three builds, shard by shard: without a cache, into an empty
remote cache (an nginx on this machine), and by a second machine out of it. Then the shards are merged.
Prints a table; all modules have to be the same.
"""

import os
import pathlib
import resource
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "driver")]
import kernels
from nginx import Nginx

# In the order of a list that grows: six are one of each family.
LIST = ["x86-64-v3", "sm_90", "gfx90a", "gfx1100/wave32", "vulkan/wave32", "metal:3.0",
        "x86-64-v2", "x86-64-v4", "aarch64", "compute_75", "compute_80", "compute_90"]
LIST += [f"x86-64-v3/wave{n}" for n in (4, 8, 16, 64)] + [f"x86-64-v4/wave{n}" for n in (8, 16)]
LIST += ["sm_75", "sm_80", "sm_86", "sm_87", "sm_89", "sm_100", "sm_103", "sm_120", "metal:2.3", "metal:3.2"]
LIST += ["gfx900", "gfx906", "gfx908", "gfx940", "gfx942"]
LIST += [f"gfx{n}/wave{w}" for n in (1010, 1030, 1031, 1032, 1101, 1102, 1103, 1150, 1151, 1200, 1201) for w in (32, 64)]
LIST += ["vulkan/wave4", "vulkan/wave8", "vulkan/wave16", "vulkan/wave64", "gfx1100/wave64"]


class Ran:
    def __init__(self, command, **variables):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        began = time.monotonic()
        report = subprocess.run(["/usr/bin/env", "python3", "-c", CHILD, *map(str, command)], check=True,
                                env={**os.environ, **variables}, stdout=subprocess.PIPE, text=True).stdout
        self.wall = time.monotonic() - began
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        self.peak = int(report.split()[-1]) / 1024


# The largest child of a process is known only to that process.
CHILD = """import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"""


def main(sextant, folder, count, targets, shards, wanted="none,cold,warm"):
    sextant, folder = pathlib.Path(sextant).resolve(), pathlib.Path(folder).resolve()
    names = LIST[: int(targets)] if targets.isdigit() else targets.split(",")
    shutil.rmtree(folder, ignore_errors=True)
    kernels.main(folder / "k", count)
    sources = sorted((folder / "k").glob("*.py"))
    nginx = Nginx(folder / "nginx")
    remote = {"SEXTANT_CACHE_REMOTE": nginx.url, "SEXTANT_CACHE_REMOTE_WAIT": "600"}
    builds = {"none": {}, "cold": {"SEXTANT_CACHE_DIR": str(folder / "first"), **remote},
              "warm": {"SEXTANT_CACHE_DIR": str(folder / "second"), **remote}}
    modules, merge = [], None
    print(f"{count} kernels, {len(names)} targets, {shards} shards\n")
    print("| | wall | processor | peak memory |\n|---|---|---|---|")
    try:
        for name in wanted.split(","):
            variables = builds[name]
            wall = cpu = peak = 0
            parts = []
            for shard in range(1, shards + 1):
                parts.append(folder / f"{name}.{shard}.sxt")
                ran = Ran([sextant, "compile", "--source-root", folder, *sources, "-t", ",".join(names),
                           f"--shard={shard}/{shards}", "-o", parts[-1], "-q"], **variables)
                wall, cpu, peak = wall + ran.wall, cpu + ran.cpu, max(peak, ran.peak)
            print(f"| all shards, cache: {name} | {wall:.1f} s | {cpu:.1f} s | {peak:.0f} MiB |", flush=True)
            module = folder / f"{name}.sxt"
            ran = Ran([sextant, "merge", *parts, "-o", module, "-t", ",".join(names)])
            modules.append(module)
            if not merge:
                merge, bytes_of_parts = ran, sum(part.stat().st_size for part in parts)
    finally:
        nginx.stop()
    print(f"| merge | {merge.wall:.1f} s | {merge.cpu:.1f} s | {merge.peak:.0f} MiB |")
    assert len({module.read_bytes() for module in modules}) == 1, "modules differ"
    entries = [file.stat().st_size for file in (folder / "nginx/store/sextant").iterdir()]
    requests = (folder / "nginx/access.log").read_text().splitlines()
    gets = sum('"GET ' in line for line in requests)
    print(f"\nentries {len(entries)}, {sum(entries)} bytes; {gets} GET, {len(requests) - gets} PUT")
    print(f"shards {bytes_of_parts} bytes, module {modules[0].stat().st_size} bytes")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4], int(sys.argv[5]), *sys.argv[6:])
