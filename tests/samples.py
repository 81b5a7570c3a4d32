"""Where the documents are that are too large for this repository, or not free enough."""

import os
from pathlib import Path

_ROOT = Path(__file__).resolve().parent.parent
LARGER = Path(os.environ.get("STRATA_SAMPLES") or _ROOT.parent / "shared" / "samples")
