"""Run the notebooks, or those that are named, and keep their outputs: `python -m tests.notebooks 1_environment`."""

import sys

import nbformat

from tests.notebooks.running import FOLDER, NAMES, execute, read
from unoflip_env.files import write_text

if __name__ == "__main__":
    for name in sys.argv[1:] or NAMES:
        print(f"{name} ...", flush=True)
        write_text(FOLDER / f"{name}.ipynb", nbformat.writes(execute(read(name))) + "\n")
