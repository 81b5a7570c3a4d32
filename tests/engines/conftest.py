"""llama.cpp inside a test gets the short spin that the engine gives its child."""

import os

from webapp.engines.llama_link import SPINS

os.environ.setdefault("GOMP_SPINCOUNT", SPINS)
