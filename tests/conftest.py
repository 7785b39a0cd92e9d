"""Small nets on shared cores: several threads would spend their time waiting for each other."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
pytest_plugins = ("tests.browser",)
