"""docs/examples/farm: a module of shards is the module of one call. farm_test.py SEXTANT EXAMPLES FOLDER

Dask runs here with two workers. The commands of the CI matrix run here one after the other, as its runners
would, each in a folder of its own. Both share one cache, on an nginx.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "driver"))
from nginx import Nginx, free_port

try:
    import distributed
    import yaml
except ImportError as missing:
    print(f"skipped: {missing} (./dev setup installs it into build/venv)")
    sys.exit(77)

sextant, examples, folder = (pathlib.Path(text).resolve() for text in sys.argv[1:4])
TARGETS = "x86-64-v3/wave8,compute_80,compute_90,gfx1100/wave32,vulkan/wave32,metal:3.0"


class FarmTest(unittest.TestCase):
    def setUp(self):
        self.place = folder / self._testMethodName
        shutil.rmtree(self.place, ignore_errors=True)
        self.place.mkdir(parents=True)
        shutil.copy(examples / "saxpy.py", self.place / "kernels.py")
        self.environment = {**os.environ, "PATH": f"{sextant.parent}:{os.environ['PATH']}"}
        self.run_here([sextant, "compile", "kernels.py", "-t", TARGETS, "-o", "whole.sxt"])
        if Nginx.program():
            nginx = Nginx(self.place / "nginx")
            self.addCleanup(nginx.stop)
            self.environment |= {"SEXTANT_CACHE_REMOTE": nginx.url, "SEXTANT_CACHE_REMOTE_WAIT": "60"}

    def run_here(self, command, where="", **variables):
        return subprocess.run(command, cwd=self.place / where, env={**self.environment, **variables}, check=True,
                              capture_output=True, text=True)

    def expect_the_module(self, path):
        self.assertEqual((self.place / path).read_bytes(), (self.place / "whole.sxt").read_bytes())

    def start(self, *command, **variables):
        process = subprocess.Popen([sys.executable, "-m", *command], cwd=self.place, env={**self.environment, **variables},
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.terminate)

    def test_dask(self):
        address = f"tcp://127.0.0.1:{free_port()}"
        self.start("distributed.cli.dask_scheduler", "--host", address, "--no-dashboard")
        for worker in ("one", "two"):
            self.start("distributed.cli.dask_worker", address, "--no-dashboard", "--no-nanny", "--nthreads=1", f"--name={worker}",
                       SEXTANT_CACHE_DIR=str(self.place / worker))
        with distributed.Client(address, timeout=60) as client:
            client.wait_for_workers(2, timeout=60)
        self.run_here([sys.executable, examples / "farm/dask_build.py", address, "kernels.py", "-t", TARGETS,
                       "--shards=6", "-o", "app.sxt"])
        self.expect_the_module("app.sxt")
        for worker in ("one", "two"):  # both had a part of it
            self.assertTrue((self.place / worker / "totals").exists(), worker)
        # An error of a shard is the error of the build.
        (self.place / "kernels.py").write_text("def f(:\n")
        with self.assertRaises(subprocess.CalledProcessError) as failed:
            self.run_here([sys.executable, examples / "farm/dask_build.py", address, "kernels.py", "-t", TARGETS, "-o", "b.sxt"])
        self.assertIn("kernels.py:1:", failed.exception.stderr)
        self.assertFalse((self.place / "b.sxt").exists())

    def test_matrix(self):
        workflow = yaml.safe_load((examples / "farm/github_matrix.yml").read_text())
        variables = {**{name: str(value) for name, value in workflow["env"].items()}, "TARGETS": TARGETS}
        shards = workflow["jobs"]["compile"]["strategy"]["matrix"]["shard"]
        self.assertEqual([str(shard) for shard in shards], [str(n + 1) for n in range(int(variables["SHARDS"]))])

        def step(job, name):
            return next(one["run"] for one in workflow["jobs"][job]["steps"] if one.get("name") == name)

        (self.place / "merge").mkdir()
        for again in ("", "again"):  # new runners, which take all from the server
            for shard in shards:
                runner = f"runner{shard}{again}"
                (self.place / runner).mkdir()
                shutil.copy(self.place / "kernels.py", self.place / runner)
                command = re.sub(r"\$\{\{ matrix.shard \}\}", str(shard), step("compile", "compile"))
                self.assertNotIn("${{", command)
                ran = self.run_here(["bash", "-e", "-c", command], runner, **variables,
                                    SEXTANT_CACHE_DIR=str(self.place / runner / "cache"))
                if again and Nginx.program():
                    self.assertIn(" 0 misses in ", ran.stderr)
                shutil.copy(self.place / runner / f"shard.{shard}.sxt", self.place / "merge")
            self.run_here(["bash", "-e", "-c", step("merge", "merge")], "merge", **variables)
            self.expect_the_module("merge/app.sxt")
            (self.place / "merge/app.sxt").unlink()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
