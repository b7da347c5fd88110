"""Writes what commands print now into the consoles beside this file, or into those named:

    python tests/commands/consoles explore.txt

Read the difference before you commit it.
"""

import os
import shutil
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
sys.path[0] = str(HERE.parents[1])

from fuzzing.world import build, replaced_parts  # noqa: E402
from support.consoles import printed_by  # noqa: E402

with tempfile.TemporaryDirectory() as directory:
    build(Path(directory, "world"))
    for path in [HERE / name for name in sys.argv[1:]] or sorted(HERE.glob("*.txt")):
        copy = Path(directory, path.stem)
        shutil.copytree(Path(directory, "world"), copy, symlinks=True, copy_function=os.link)
        os.chdir(copy)
        os.environ["XDG_CONFIG_HOME"] = f"{copy}_configuration"
        with replaced_parts():
            text, differences = printed_by(path)
        path.write_text(text, encoding="utf-8")
        print(path.name, "changed" if differences else "is as it was")
