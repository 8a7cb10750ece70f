# SPDX-License-Identifier: Apache-2.0
"""How many examples Hypothesis draws, and which."""
import os

import hypothesis

# JAX would take most of a GPU's memory for each process of `pytest -n`, and leave none to the others.
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

# The same draws in every run, so that a failure is the change's. ONEPASS_TEST_EXAMPLES=N draws N examples, other ones each time.
EXAMPLES = int(os.environ.get("ONEPASS_TEST_EXAMPLES", "0"))
hypothesis.settings.register_profile("fixed", derandomize=True, max_examples=60, deadline=None)
hypothesis.settings.register_profile("long", max_examples=max(EXAMPLES, 1), deadline=None)
hypothesis.settings.load_profile("long" if EXAMPLES else "fixed")
