"""Runs the commands of README.md by the `sextant` that is on PATH, and calls a wheel of theirs: readme.py README FOLDER

It needs nothing but Python and the two wheels, and is copied to where these are tried.
"""
import pathlib
import re
import shlex
import subprocess
import sys


def main(readme, folder):
    readme, folder = pathlib.Path(readme).read_text(), pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)

    def run(*command, **more):
        print("$", shlex.join(command), flush=True)
        done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, text=True, check=True, **more)
        return done.stdout

    kernels = re.search(r"```python\n(import quadrants.*?)```", readme, re.DOTALL)[1]
    (folder / "kernels.py").write_text(kernels)
    # Compiles as the README does. gfx1100 and Vulkan come with the wheel, CUDA as PTX without a toolkit.
    run("sextant", "compile", "kernels.py", "-o", "app.sxt", "--targets=cpu,gfx1100,compute_75,vulkan,metal")
    commands = re.findall(r"^    (?:\$ )?sextant ([^#\n]*)", readme, re.MULTILINE)
    assert len(commands) >= 6, commands
    for command in commands:
        words = shlex.split(command)
        if "…" in words:  # the README leaves the arguments of its own kernel out
            continue
        if words[0] != "explain" or "--as" not in words:
            out = run("sextant", *words)
        else:  # with the status 1 where nothing runs there
            out = run("sextant", *words[:words.index("--as")], "--as", "gfx1100", "--as", "vulkan")
        if words[0] == "run":
            # iota times 2, and 1 to it: as README prints them.
            assert "y: f32[8] = [1, 3, 5, 7, 9, 11, 13, 15]" in out, out
    # A function of AMD's library, which comes with the wheel.
    (folder / "sine.py").write_text(kernels.replace("a * x[i] + y[i]", "qd.sin(a * x[i])"))
    run("sextant", "compile", "sine.py", "-o", "sine.sxt", "--targets=gfx1100")
    assert (pathlib.Path(run("sextant", "--cmake-dir").strip()) / "SextantConfig.cmake").exists()

    run("sextant", "wheel", "app.sxt", "--version=1.0", "--force", "--name=readme-app")
    run(sys.executable, "-m", "pip", "install", "-q", "--no-index", "--no-deps", "--force-reinstall",
        "readme_app-1.0-py3-none-any.whl")
    call = ("import array, readme_app\n"
            "x, y = array.array('f', range(8)), array.array('f', [1] * 8)\n"
            "readme_app.saxpy(8, 2.0, x, y)\n"
            "readme_app.program().device.synchronize()\n"
            "print(list(y))\n")
    assert run(sys.executable, "-c", call) == f"{[2.0 * i + 1 for i in range(8)]}\n"
    print("all commands of the README ran")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
