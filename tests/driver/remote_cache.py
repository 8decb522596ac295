"""The cache on a server: a real nginx, and servers that are down, slow, lying and full.

remote_cache.py SEXTANT FOLDER
"""

import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from faulty_server import FaultyServer
from nginx import Nginx, free_port

sextant, folder = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
TARGETS = "compute_75,compute_80,compute_90"
JOBS = 12 * 3
WAIT = 1.0  # how long builds may wait for servers that are slow
# Builds may wait for others far longer than they run before they are ended: one that waits in vain fails on any machine,
# and none fails because the machine is busy.
ENOUGH, END = 3600.0, 200.0


def kernels():
    text = "import quadrants as qd\n"
    for number in range(12):
        text += f"""
@qd.kernel
def k{number}(x: qd.types.ndarray(dtype=qd.i32, ndim=1)):
    for i in range(x.shape[0]):
        x[i] = x[i] * {number + 1} + i // ({number + 1} + x[0])
"""
    return text


class Machine:
    """A folder with a cache of its own."""

    def __init__(self, name):
        self.folder = folder / name
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        (self.folder / "k.py").write_text(kernels())

    def compile(self, url, *options, **variables):
        """Compiles; returns (local hits, misses, remote hits, misses, errors, sent)."""
        environment = dict(os.environ, SEXTANT_CACHE_DIR=str(self.folder / "cache"), **variables)
        for name in list(environment):
            if name.lower().endswith("_proxy"):
                del environment[name]
        environment.setdefault("SEXTANT_CACHE_REMOTE_WAIT", str(ENOUGH))
        if url:
            environment["SEXTANT_CACHE_REMOTE"] = url
        began = time.monotonic()
        ran = subprocess.run([sextant, "compile", "k.py", "-t", TARGETS, "-v", *options],
                             cwd=self.folder, env=environment, capture_output=True, text=True, timeout=END)
        self.seconds = time.monotonic() - began
        self.err = ran.stderr
        self.status = ran.returncode
        if self.status:
            return None
        self.module = (self.folder / "k.sxt").read_bytes()
        words = [line.split() for line in self.err.splitlines()]
        own = next(line for line in words if line[:1] == ["cache:"])
        far = next((line for line in words if line[:2] == ["remote", "cache:"]), ["0"] * 10)
        return tuple(int(n) for n in (own[1], own[3], far[2], far[4], far[6], far[8]))

    def forget_failure(self):
        (self.folder / "cache/remote-failed").unlink(missing_ok=True)


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        plain = Machine("plain")
        plain.compile("")
        cls.module = plain.module

    def check(self, machine, use):
        self.assertEqual(machine.status, 0, machine.err)
        self.assertEqual(machine.module, self.module, "another module than without a cache")
        return use

    def warning(self, machine):
        lines = [line for line in machine.err.splitlines() if "warning:" in line]
        self.assertEqual(len(lines), 1, machine.err)
        return lines[0]


class NginxTest(Case):
    """Uses the configuration of nginx that docs/farm.md shows."""

    def setUp(self):
        if not Nginx.program():
            self.skipTest("nginx is not installed (Debian: nginx-light)")
        self.place = folder / "nginx"
        shutil.rmtree(self.place, ignore_errors=True)
        self.start("")

    def start(self, location):
        self.nginx = Nginx(self.place, location)
        self.url = self.nginx.url

    def tearDown(self):
        self.nginx.stop()

    def test_two_machines_share(self):
        first, second = Machine("first"), Machine("second")
        self.assertEqual(self.check(first, first.compile(self.url)), (0, JOBS, 0, JOBS, 0, JOBS))
        self.assertEqual(len(list((self.place / "store/sextant").iterdir())), JOBS)
        # The second machine compiles nothing. Then its own folder has all, and nobody is asked.
        self.assertEqual(self.check(second, second.compile(self.url)),
                         (JOBS, 0, JOBS, 0, 0, 0))
        asked = len((self.place / "access.log").read_text().splitlines())
        self.assertEqual(self.check(second, second.compile(self.url)), (JOBS, 0, 0, 0, 0, 0))
        self.assertEqual(len((self.place / "access.log").read_text().splitlines()), asked)
        # The totals are those of the two runs.
        shown = subprocess.run([sextant, "cache", "--json", "--cache-dir", second.folder / "cache"],
                               capture_output=True, check=True)
        self.assertEqual(json.loads(shown.stdout)["remote"],
                         {"hits": JOBS, "misses": 0, "errors": 0, "sent": 0})
        shown = subprocess.run([sextant, "cache", "--cache-dir", second.folder / "cache"],
                               capture_output=True, check=True, text=True)
        self.assertIn(f"remote   {JOBS} hits, 0 misses, 0 errors, 0 sent\n", shown.stdout)

    def test_damage_on_the_servers_disk(self):
        first, second, third = Machine("first"), Machine("second"), Machine("third")
        first.compile(self.url)
        damaged = sorted((self.place / "store/sextant").iterdir())[0]
        whole = damaged.read_bytes()
        damaged.write_bytes(whole[:-1])
        use = self.check(second, second.compile(self.url))
        self.assertEqual(use, (JOBS - 1, 1, JOBS - 1, 0, 1, 1))
        self.assertEqual(damaged.read_bytes(), whole)  # sent again
        use = self.check(third, third.compile(self.url))
        self.assertEqual(use, (JOBS, 0, JOBS, 0, 0, 0))

    def test_who_may_only_read(self):
        self.nginx.stop()
        self.start("limit_except GET { deny all; }")
        machine = Machine("first")
        use = self.check(machine, machine.compile(self.url))
        self.assertEqual(use[:4], (0, JOBS, 0, JOBS))
        self.assertEqual(use[5], 0)
        self.assertIn("gets nothing more: it refuses PUT (403)", self.warning(machine))
        # Told so, it does not try.
        machine = Machine("second")
        use = self.check(machine, machine.compile(self.url, SEXTANT_CACHE_REMOTE_READONLY="1"))
        self.assertEqual(use, (0, JOBS, 0, JOBS, 0, 0))
        self.assertNotIn("warning", machine.err)

    def test_passwords(self):
        self.nginx.stop()
        (self.place / "users").write_text("ann:{PLAIN}sesame\n")
        self.start(f'auth_basic "cache"; auth_basic_user_file {self.place}/users;')
        machine = Machine("first")
        self.check(machine, machine.compile(self.url))
        self.assertIn("is left alone: it refuses access (401)", self.warning(machine))
        machine = Machine("second")
        url = self.url.replace("//", "//ann:sesame@")
        self.assertEqual(self.check(machine, machine.compile(url)), (0, JOBS, 0, JOBS, 0, JOBS))
        machine = Machine("third")
        self.check(machine, machine.compile(self.url.replace("//", "//ann:wrong@")))
        self.assertIn(f"'{self.url}' is left alone", self.warning(machine))
        self.assertNotIn("wrong", machine.err)  # passwords are not shown
        self.assertNotIn("wrong", (machine.folder / "cache/remote-failed").read_text())
        (machine.folder / ".netrc").write_text("machine 127.0.0.1 login ann password sesame\n")
        machine.forget_failure()
        shutil.rmtree(machine.folder / "cache")
        use = machine.compile(self.url, HOME=str(machine.folder))
        self.assertEqual(self.check(machine, use), (JOBS, 0, JOBS, 0, 0, 0))


class HttpsTest(Case):
    """An authority that no system knows, as a team has one."""

    def start(self, certified):
        if not Nginx.program() or not shutil.which("openssl"):
            self.skipTest("nginx or openssl is not installed (Debian: nginx-light, openssl)")
        place = folder / "https"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        nginx = Nginx(place, certified=certified)
        self.addCleanup(nginx.stop)
        self.log = place / "access.log"
        return nginx.url, {"SEXTANT_CACHE_REMOTE_CA": str(place / "authority.pem")}

    def test_two_machines_share(self):
        url, known = self.start("IP:127.0.0.1")
        first, second = Machine("first"), Machine("second")
        self.assertEqual(self.check(first, first.compile(url, **known)), (0, JOBS, 0, JOBS, 0, JOBS))
        self.assertEqual(self.check(second, second.compile(url, **known)), (JOBS, 0, JOBS, 0, 0, 0))

    def test_a_certificate_that_nobody_knows(self):
        url, _ = self.start("IP:127.0.0.1")
        machine = Machine("machine")
        self.assertEqual(self.check(machine, machine.compile(url))[:3], (0, JOBS, 0))
        self.assertRegex(self.warning(machine), "is left alone: .*(certificate|peer)")
        self.assertEqual(self.log.read_text(), "")  # no request went out

    def test_a_certificate_of_another_host(self):
        url, known = self.start("IP:192.0.2.1")
        machine = Machine("machine")
        self.assertEqual(self.check(machine, machine.compile(url, **known))[:3], (0, JOBS, 0))
        self.assertRegex(self.warning(machine), "is left alone: .*(certificate|peer)")
        self.assertEqual(self.log.read_text(), "")


class FaultTest(Case):
    def setUp(self):
        self.server = FaultyServer()
        self.addCleanup(self.server.stop)
        self.filler = Machine("filler")
        use = self.check(self.filler, self.filler.compile(self.server.url))
        self.assertEqual(use, (0, JOBS, 0, JOBS, 0, JOBS))

    def with_fault(self, fault, *options, **variables):
        self.server.fault = fault
        self.server.requests.clear()
        self.machine = Machine("machine")
        return self.check(self.machine, self.machine.compile(self.server.url, *options, **variables))

    def test_lies_are_found_and_compiled(self):
        for fault in ("flip", "short", "other", "page"):
            with self.subTest(fault):
                use = self.with_fault(fault)
                self.assertEqual(use[:3], (0, JOBS, 0))
                self.assertGreaterEqual(use[4], 3)
                self.assertIn("is left alone: its answers are damaged", self.warning(self.machine))

    def test_transfers_that_break(self):
        use = self.with_fault("cut")
        self.assertEqual(use[:3], (0, JOBS, 0))
        self.assertIn("is left alone: Transferred a partial file", self.warning(self.machine))

    def test_a_body_without_end(self):
        use = self.with_fault("endless")
        self.assertEqual(use[:3], (0, JOBS, 0))
        self.assertIn("is left alone: an answer is longer than any entry", self.warning(self.machine))

    def test_slow_ones(self):
        for fault in ("silent", "drip"):
            with self.subTest(fault):
                use = self.with_fault(fault, SEXTANT_CACHE_REMOTE_WAIT=str(WAIT))
                self.assertEqual(use[:3], (0, JOBS, 0))
                self.assertGreater(self.machine.seconds, WAIT)  # it did wait
                self.assertIn("is left alone: it is slow", self.warning(self.machine))
        # The next build within a minute leaves it alone, and says nothing. On a busy machine the first took longer, and
        # the server still reads what the first sent: the header tells the two apart.
        failed = self.machine.folder / "cache/remote-failed"
        os.utime(failed)
        second = {"SEXTANT_CACHE_REMOTE_HEADER": "X-Token: second"}
        use = self.machine.compile(self.server.url, "-O1", **second)
        self.assertEqual(use, (0, JOBS, 0, 0, 0, 0))
        self.assertEqual([r for r in self.server.requests if r[3] == "second"], [])
        self.assertNotIn("warning", self.machine.err)
        # Another server is another matter; so is the same one a minute later.
        self.server.fault = ""
        os.utime(failed, (time.time() - 61, time.time() - 61))
        self.assertEqual(self.machine.compile(self.server.url, "-O2", **second)[5], JOBS)
        self.assertTrue([r for r in self.server.requests if r[3] == "second"])

    def test_late_answers_are_answers(self):
        self.assertEqual(self.with_fault("late"), (0, JOBS, 0, JOBS, 0, JOBS))

    def test_down(self):
        machine = Machine("machine")
        url = f"http://127.0.0.1:{free_port()}/sextant"
        use = self.check(machine, machine.compile(url))
        self.assertEqual((use[1], use[2], use[5]), (JOBS, 0, 0))
        self.assertIn("is left alone: Couldn't connect to server", self.warning(machine))

    def test_a_connection_that_nobody_takes(self):
        # A queue of one that is full: later connections get no answer at all.
        with socket.socket() as silent:
            silent.bind(("127.0.0.1", 0))
            silent.listen(0)
            fillers = []
            for _ in range(4):
                one = socket.socket()
                one.setblocking(False)
                one.connect_ex(silent.getsockname())
                fillers.append(one)
            machine = Machine("machine")
            use = self.check(machine, machine.compile(f"http://127.0.0.1:{silent.getsockname()[1]}"))
            self.assertEqual((use[1], use[2], use[5]), (JOBS, 0, 0))
            self.assertIn("is left alone", self.warning(machine))
            for one in fillers:
                one.close()

    def test_a_name_that_is_none(self):
        machine = Machine("machine")
        self.check(machine, machine.compile("https://no-such-host.invalid/cache"))
        self.assertIn("is left alone", self.warning(machine))

    def test_full(self):
        self.server.entries.clear()
        use = self.with_fault("put-507")
        self.assertEqual(use[5], 0)
        self.assertIn("gets nothing more: it is full (507)", self.warning(self.machine))
        self.assertFalse((self.machine.folder / "cache/remote-failed").exists())  # it may still give

    def test_errors_of_the_server(self):
        use = self.with_fault("get-500")
        self.assertEqual(use[:3], (0, JOBS, 0))
        self.assertIn("is left alone: it answers GET by 500", self.warning(self.machine))
        self.with_fault("get-403")
        self.assertIn("is left alone: it refuses access (403)", self.warning(self.machine))

    def test_redirects(self):
        use = self.with_fault("redirect")
        self.assertEqual(use, (JOBS, 0, JOBS, 0, 0, 0))
        # Not where a header could go to whoever is there.
        use = self.with_fault("redirect", SEXTANT_CACHE_REMOTE_HEADER="X-Token: sesame")
        self.assertIn("it answers GET by 302", self.warning(self.machine))
        self.assertFalse([r for r in self.server.requests if "/elsewhere/" in r[1]])
        self.with_fault("loop")
        self.assertIn("is left alone: Number of redirects hit maximum amount", self.warning(self.machine))

    def test_a_body_does_not_go_elsewhere(self):
        self.server.entries.clear()
        use = self.with_fault("redirect-put")
        self.assertEqual((use[1], use[5]), (JOBS, 0))
        self.assertIn("gets nothing more: it sends PUT elsewhere (307)", self.warning(self.machine))
        self.assertFalse([r for r in self.server.requests if "/elsewhere/" in r[1]])

    def test_what_stands_in_the_place_of_the_memory(self):
        # A link is replaced, and what it names stays; a pipe is not waited for.
        url = f"http://127.0.0.1:{free_port()}/sextant"
        machine = Machine("machine")
        (machine.folder / "cache").mkdir(mode=0o755)
        memory, precious = machine.folder / "cache/remote-failed", machine.folder / "precious"
        precious.write_text("mine")
        memory.symlink_to(precious)
        self.check(machine, machine.compile(url))
        self.warning(machine)
        self.assertEqual(precious.read_text(), "mine")
        self.assertFalse(memory.is_symlink())
        memory.unlink()
        os.mkfifo(memory)
        for entries in (machine.folder / "cache").glob("??"):  # all: not each one is a job's
            shutil.rmtree(entries)
        self.check(machine, machine.compile(url))
        self.warning(machine)

    def test_headers(self):
        self.with_fault("", SEXTANT_CACHE_REMOTE_HEADER="Authorization: Bearer sesame")
        self.assertEqual({request[2] for request in self.server.requests}, {"Bearer sesame"})
        self.assertNotIn("sesame", self.machine.err)

    def test_secrets(self):
        (folder / "secret").write_bytes(bytes(range(32)))
        (folder / "other").write_bytes(bytes(range(1, 33)))
        self.server.entries.clear()
        self.with_fault("", SEXTANT_CACHE_REMOTE_SECRET=str(folder / "secret"))
        use = self.with_fault("", SEXTANT_CACHE_REMOTE_SECRET=str(folder / "secret"))
        self.assertEqual(use, (JOBS, 0, JOBS, 0, 0, 0))
        for variables in ({}, {"SEXTANT_CACHE_REMOTE_SECRET": str(folder / "other")}):
            use = self.with_fault("", SEXTANT_CACHE_REMOTE_READONLY="1", **variables)
            self.assertEqual(use[:3], (0, JOBS, 0))
            self.assertIn("made with another secret", self.warning(self.machine))

    def test_what_is_no_setting(self):
        machine = Machine("machine")
        for url, variables, message in (
                ("ftp://host/x", {}, "has to be the URL of a folder"),
                ("http://host/x?y", {}, "has to be the URL of a folder"),
                ("http://host", {"SEXTANT_CACHE_REMOTE_HEADER": "token"}, "is not a line `NAME: VALUE`"),
                ("http://host", {"SEXTANT_CACHE_REMOTE_WAIT": "long"}, "'long' is not a time"),
                ("http://host", {"SEXTANT_CACHE_REMOTE_WAIT": "nan"}, "'nan' is not a time"),
                ("http://host", {"SEXTANT_CACHE_REMOTE_SECRET": "k.py.none"}, "cannot read"),
                ("http://host", {"SEXTANT_CACHE_REMOTE_SECRET": "/dev/null"}, "can be guessed"),
                ("http://host", {"SEXTANT_CACHE_REMOTE_CA": "k.py.none"}, "cannot read"),
                ("http://host", {"SEXTANT_CACHE_REMOTE_CA": "k.py"}, "has no certificate in PEM form")):
            machine.compile(url, **variables)
            self.assertEqual(machine.status, 1, url)
            self.assertIn(message, machine.err)
            self.assertFalse((machine.folder / "k.sxt").exists())
        ran = subprocess.run([sextant, "compile", "k.py", "--cache-remote=http://host"], cwd=machine.folder,
                             env={**os.environ, "SEXTANT_CACHE_DIR": ""}, capture_output=True, text=True)
        self.assertIn("a remote cache needs a folder too", ran.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=1)
