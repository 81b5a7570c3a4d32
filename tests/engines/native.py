"""Runs llama.cpp on embedding models in a process of its own, as the engine does."""

import json
import os
import subprocess
import sys

import numpy as np

SCRIPT = """
import json, sys
import llama_cpp
model = llama_cpp.Llama(sys.argv[1], embedding=True, n_ctx=64 * int(sys.argv[2]), n_threads=2,
                        verbose=False)
texts = json.load(sys.stdin)
ids = [model.tokenize(text.encode(), special=False) for text in texts]
vectors = [model.embed(text, normalize=True) for text in texts]
json.dump([ids, vectors], sys.stdout)
model.close()
"""


def tokens_and_vectors(path, texts, context=512):
    """Token ids and unit vectors of texts, exactly as given."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(path), str(context // 64)],
        input=json.dumps(list(texts)),
        capture_output=True,
        text=True,
        env={**os.environ, "OMP_WAIT_POLICY": "passive"},
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    ids, vectors = json.loads(done.stdout)
    return ids, np.array(vectors)
