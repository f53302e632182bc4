"""The environment of a real release on a machine without a GPU: python -m real_sglang.install RELEASE FOLDER.

Everything but torch is pinned with hashes in requirements/sglang-RELEASE.lock. torch has only its version: whoever has
a CPU build (find-links, an index of their own) uses that, whose hash no index knows. Of the kernels' wheel only Python
files are taken: its libraries need a GPU's driver.

A lock is the list of what an environment that works has (`pip freeze --all` without torch and pip), with the hashes
that `uv pip compile --no-deps --generate-hashes --no-annotate --no-header` adds. It has no dependencies followed: the
release asks for a CUDA build of torch and for libraries that only a GPU needs.
"""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
REQUIREMENTS = HERE.parents[1] / "requirements"
TORCH = "torch==2.13.0"
KERNELS = {
    "0.5.9": "sgl-kernel==0.3.21 --hash=sha256:57dfb3a2a3cd759f499c32e2bad5f6489b7c58f7f9a84ee00c53ec92d303aaab"
    " --hash=sha256:bafdcc26e9ce1e9102b99e4186d652fefbafe5c22ea2cbb5ffe07b331e83be1f",
    "0.5.23": "sglang-kernel==0.4.10 --hash=sha256:043cbe4a10e7887ea1b25599b729ff1ce115a0d5217b2c177aff9f9ae5327724"
    " --hash=sha256:2c48d45eb3d6399000fb1d71e792128911f0d906f0dc61724348e96c2aac0429",
}


def install(release: str, folder: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
    pip = [folder / "bin" / "python", "-m", "pip", "--quiet", "--disable-pip-version-check"]
    lock = REQUIREMENTS / f"sglang-{release}.lock"
    subprocess.run([*pip, "install", "--no-deps", "--require-hashes", "-r", lock], check=True)
    # pip now lists what the release asks for and is left out, as an error; it exits 0 all the same
    subprocess.run([*pip, "install", TORCH], check=True)
    paths = sysconfig.get_paths(vars={"base": str(folder), "platbase": str(folder)})
    packages = Path(paths["purelib"])
    with tempfile.TemporaryDirectory() as scratch:
        wanted = Path(scratch, "kernel.txt")
        wanted.write_text(KERNELS[release] + "\n")
        subprocess.run([*pip, "download", "--no-deps", "--require-hashes", "-d", scratch, "-r", wanted], check=True)
        [wheel] = Path(scratch).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            names = [each for each in archive.namelist() if each.startswith("sgl_kernel/") and each.endswith(".py")]
            archive.extractall(packages, names)
    stand_ins(packages)


def stand_ins(packages: Path) -> None:
    library = packages / "sgl_kernel" / "sm100" / "common_ops.py"
    library.parent.mkdir(exist_ok=True)
    library.write_text((HERE / "stand_ins" / "sgl_kernel_ops.py").read_text())
    name = "sgfleet_stand_ins"
    (packages / f"{name}.py").write_text((HERE / "stand_ins" / f"{name}.py").read_text())
    (packages / f"{name}.pth").write_text(f"import {name}\n")


if __name__ == "__main__":
    install(sys.argv[1], Path(sys.argv[2]).absolute())
