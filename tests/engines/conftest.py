"""llama.cpp inside a test gets the short spin that the engine gives its child."""

import os

os.environ.setdefault("GOMP_SPINCOUNT", "1000")
