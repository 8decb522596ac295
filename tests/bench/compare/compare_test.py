"""bench-compare and measure.py on rows whose times are made up, and what compare.sh says of commits that there are not.

    compare_test.py BENCH_COMPARE STUB_ROWS COMPARE_SH
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

RUNNER, STUB, SCRIPT = sys.argv[1:4]
MEASURE = pathlib.Path(__file__).with_name("measure.py")


class Compare(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        for side in ("old", "new"):
            (self.folder / side).mkdir()
            shutil.copy(STUB, self.folder / side / "stub.so")
            (self.folder / side / "commit").write_text(f"the {side} commit\n")

    def rows(self, side, **times):
        (self.folder / side / "rows").write_text("".join(f"{name} {time}\n" for name, time in times.items()))

    def run_rows(self, *status, first="old", **settings):
        """The lines that one process of the runner writes, what it says, its status, and whose rows it calls in turn."""
        calls, results = self.folder / "calls", self.folder / "results.tsv"
        calls.unlink(missing_ok=True)
        command = [RUNNER, results, self.folder / "old", self.folder / "new", f"first={first}", "stub", "@/rows", calls]
        environment = dict(os.environ, **{f"SEXTANT_COMPARE_{name.upper()}": text for name, text in settings.items()})
        done = subprocess.run([*command, *status], env=environment, capture_output=True, text=True)
        lines = [line.split("\t") for line in results.read_text().splitlines()]
        order = [pathlib.Path(line.split()[0]).parent.name for line in calls.read_text().splitlines()]
        return lines, done.stderr, done.returncode, order

    def measure(self, *arguments):
        command = [sys.executable, "-B", MEASURE, self.folder / "old", self.folder / "new", "--runner", RUNNER]
        page = self.folder / "page.md"
        command += ["--machine", "a machine", "--page", page, *arguments]
        command.append(f"stub @/rows {self.folder}/calls")
        done = subprocess.run(command, capture_output=True, text=True)
        return done.stdout.splitlines(), done.returncode, page.read_text()

    def test_both_alternate(self):
        self.rows("old", sum=10)
        self.rows("new", sum=15)
        lines, _, status, order = self.run_rows()
        self.assertEqual(lines, [["sum", "10.000", "15.000", "1.5000"]])
        self.assertEqual(status, 0)
        self.assertEqual(order[:10], ["old", "new"] + ["old", "new", "new", "old"] * 2)

    def test_who_is_first_changes_no_side(self):
        self.rows("old", sum=10)
        self.rows("new", sum=15)
        self.assertEqual(self.run_rows(first="new")[0], self.run_rows()[0])

    def test_rounds_end_when_enough_is_known(self):
        def rounds(new, **limit):
            self.rows("old", sum=10)
            self.rows("new", sum=new)
            return (len(self.run_rows(**limit)[3]) - 2) // 2

        fewest, most = 15, 301
        self.assertEqual(rounds("10"), fewest)
        self.assertEqual(rounds("8/10.2"), most)
        self.assertEqual(rounds("8/10.2", limit="1.03"), fewest)
        self.assertEqual(rounds("8/10.4", limit="1.03"), most)
        self.assertEqual(rounds("10.4/10.5", limit="1.03"), fewest)

    def test_programs_end_after_the_last_row_that_is_named(self):
        self.rows("old", sum=10, scan=4, sort=8, copy=2)
        self.rows("new", sum=10, scan=4, sort=8, copy=2)
        lines, _, status, _ = self.run_rows("5", rows="scan\nsort")
        self.assertEqual([line[0] for line in lines], ["scan", "sort"])
        self.assertEqual(status, 0)
        self.assertEqual(self.run_rows("5")[2], 1)

    def test_each_row_meets_its_own(self):
        self.rows("old", sum=10, scan=4)
        self.rows("new", sum=10, sort=4)
        lines, said, status, _ = self.run_rows()
        self.assertEqual([line[0] for line in lines], ["sum"])
        self.assertIn("'scan' and 'sort'", said)
        self.assertEqual(status, 2)

    def test_an_early_end_is_told(self):
        self.rows("new", sum=10, scan=4)
        self.rows("old", sum=10)
        lines, said, status, _ = self.run_rows()
        self.assertEqual([line[0] for line in lines], ["sum"])
        self.assertIn("before scan", said)
        self.assertEqual(status, 3)
        self.rows("old", sum=10, scan=4)
        self.rows("new", sum=10)
        self.assertEqual(self.run_rows()[2], 1)
        self.rows("new", sum=10, scan=4)
        self.assertEqual(self.run_rows("5")[2], 1)

    def test_a_missing_library_is_told(self):
        self.rows("old", sum=10)
        self.rows("new", sum=10)
        (self.folder / "new" / "stub.so").unlink()
        lines, status, _ = self.measure()
        self.assertIn("stub.so", lines[0])
        self.assertEqual(status, 2)

    def test_a_commit_beside_itself_loses_nothing(self):
        self.rows("old", sum=10, scan=4)
        self.rows("new", sum=10, scan=4)
        lines, status, page = self.measure()
        self.assertEqual(lines, ["2 rows, 0 lost more than 3 %; 0 differ by chance by more than 3 %"])
        self.assertEqual(status, 0)
        for text in ("a machine", "the old commit", "the new commit", "| scan | 4 | 4 | 1.000 | ± 0.0 % | as before |"):
            self.assertIn(text, page)

    def test_a_slower_row_is_lost(self):
        self.rows("old", sum=10, scan=4, sort=8, copy=100)
        self.rows("new", sum=10.2, scan=5, sort=6, copy=104)
        lines, status, page = self.measure()
        program = f"stub rows {self.folder}/calls"
        self.assertEqual(
            lines,
            [
                f"lost: {program}: scan: 4 -> 5 µs, 1.250 times (± 0.0 %)",
                f"lost: {program}: copy: 100 -> 104 µs, 1.040 times (± 0.0 %)",
                "4 rows, 2 lost more than 3 %; 0 differ by chance by more than 3 %",
            ],
        )
        self.assertEqual(status, 1)
        self.assertIn("| sort | 8 | 6 | 0.750 | ± 0.0 % | gained |", page)

    def test_counts_are_rows(self):
        self.rows("old", sum=10)
        self.rows("new", sum=10)
        counts = self.folder / "counts.tsv"
        counts.write_text("gfx942: softmax\t1000\t1031\ngfx942: stencil\t1000\t1030\n")
        lines, status, _ = self.measure("--counts", counts)
        self.assertEqual(lines[0], "lost: instructions: gfx942: softmax: 1000 -> 1031 of waves, 1.031 times (± 0.0 %)")
        self.assertEqual((len(lines), status), (2, 1))

    def measure_ratios(self, *ratios):
        """The same by a runner whose processes find these ratios of its row in turn, and from then on the last."""
        runner = self.folder / "runner"
        runner.write_text(
            f'#!/bin/sh\nset -- "$1" {" ".join(map(str, ratios))}\nn=$(cat "$0.runs" 2>/dev/null || echo 0)\n'
            'echo $((n + 1)) >"$0.runs"\nresults=$1\nshift\nwhile [ $n -gt 0 ] && [ $# -gt 1 ]; do shift; n=$((n - 1)); done\n'
            'printf "sum\\t10\\t12\\t$1\\n" >"$results"\n'
        )
        runner.chmod(0o755)
        lines, status, page = self.measure("--runner", runner)
        return lines, status, page, int((self.folder / "runner.runs").read_text())

    def test_what_chance_does_is_no_loss(self):
        lines, status, page, runs = self.measure_ratios(1.2, 1.2, 0.99)
        self.assertEqual(lines, ["1 rows, 0 lost more than 3 %; 1 differ by chance by more than 3 %"])
        self.assertEqual((status, runs), (0, 4))
        self.assertIn("noise", page)

    def test_a_loss_that_a_pair_denies_is_noise(self):
        self.assertIn("| 1.035 | ± 2.4 % | noise |", self.measure_ratios(1.06, 1.06, 1.01)[2])

    def test_one_good_pair_of_many_is_no_loss(self):
        lines, status, page, runs = self.measure_ratios(*[1.4] * 14, 1.01)
        self.assertEqual(lines, ["1 rows, 0 lost more than 3 %; 1 differ by chance by more than 3 %"])
        self.assertEqual((status, runs), (0, 16))
        self.assertIn("| 1.400 | ± 27.9 % | noise |", page)

    def test_a_gain_is_one_in_each_process(self):
        self.assertIn("| 0.548 | ± 9.5 % | gained |", self.measure_ratios(0.5, 0.6)[2])
        (self.folder / "runner.runs").unlink()
        self.assertIn("| 0.949 | ± 5.4 % | noise |", self.measure_ratios(0.9, 1.0)[2])

    def test_a_loss_shows_each_time(self):
        lines, status, _, runs = self.measure_ratios(1.2)
        self.assertIn("1.200 times", lines[0])
        self.assertEqual((status, runs), (1, 16))

    def test_who_is_first_neither_hides_nor_makes_a_loss(self):
        lines, status, page, _ = self.measure_ratios(*[0.8, 1.25] * 8)
        self.assertEqual(status, 0)
        self.assertIn("| 1.000 | ± 25.0 % | noise |", page)
        (self.folder / "runner.runs").unlink()
        lines, status, _, _ = self.measure_ratios(*[0.88, 1.375] * 8)
        self.assertIn("1.100 times", lines[0])
        self.assertEqual(status, 1)

    def test_commits_that_there_are_not(self):
        for commit, said in (("no-such-commit", "'no-such-commit' names no commit"), ("--all", "'--all' names no commit"),
                             ("", "name a commit")):
            done = subprocess.run([SCRIPT, commit], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(said, done.stderr)
        done = subprocess.run([SCRIPT, "HEAD", "rowz"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("no program 'rowz'", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
