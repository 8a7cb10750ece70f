# SPDX-License-Identifier: Apache-2.0
"""What the tests share: types, and arrays that Hypothesis draws."""
import os

import hypothesis
import hypothesis.extra.numpy as npst
import numpy as np
from hypothesis import strategies as st

# The same draws in every run, so that a failure is the change's. ONEPASS_TEST_EXAMPLES=N draws N examples, other ones each time.
EXAMPLES = int(os.environ.get("ONEPASS_TEST_EXAMPLES", "0"))
hypothesis.settings.register_profile("fixed", derandomize=True, max_examples=60, deadline=None)
hypothesis.settings.register_profile("long", max_examples=max(EXAMPLES, 1), deadline=None)
hypothesis.settings.load_profile("long" if EXAMPLES else "fixed")
