"""Compiles the shards of a module on the workers of a Dask cluster, and merges them here.

    python dask_build.py tcp://scheduler:8786 kernels.py -t cpu,sm_90,vulkan -o app.sxt

Workers need the same sextant (`pip install` of one version, or one container image), and the kernel
files at the same paths. SEXTANT_CACHE_REMOTE in their environment gives them one cache.
"""

import argparse
import os
import subprocess
import tempfile

from distributed import Client


def compile_shard(folder, sextant, arguments, shard):
    """Runs on a worker. Returns the module's bytes: workers share no files with us."""
    ran = subprocess.run([sextant, "compile", *arguments, f"--shard={shard}", "-j1", "-o", "-"],
                         cwd=folder, capture_output=True)
    if ran.returncode:
        raise RuntimeError(f"shard {shard}: {ran.stderr.decode()}")
    return ran.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("scheduler", help="the address of the cluster's scheduler")
    parser.add_argument("-t", "--targets", required=True)
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("--shards", type=int, help="default: four for each worker's thread")
    parser.add_argument("--sextant", default="sextant", help="the command on the workers")
    options, arguments = parser.parse_known_args()
    arguments += ["--targets", options.targets]

    client = Client(options.scheduler)
    threads = sum(client.nthreads().values())
    shards = min(options.shards or 4 * threads, 1000)
    names = [f"{index}/{shards}" for index in range(1, shards + 1)]
    # Dask repeats a task whose worker is lost: a shard has the same bytes each time.
    jobs = [client.submit(compile_shard, os.getcwd(), options.sextant, arguments, name, pure=False)
            for name in names]
    with tempfile.TemporaryDirectory() as folder:
        parts = []
        for index, bytes_of_shard in enumerate(client.gather(jobs)):
            parts.append(os.path.join(folder, f"{index}.sxt"))
            with open(parts[-1], "wb") as file:
                file.write(bytes_of_shard)
        subprocess.run([options.sextant, "merge", *parts, "-t", options.targets, "-o", options.output],
                       check=True)


if __name__ == "__main__":
    main()
