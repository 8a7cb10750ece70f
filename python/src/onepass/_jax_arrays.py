# SPDX-License-Identifier: Apache-2.0
"""JAX's arrays, also while JAX traces a function: calls on them are onepass.jax's. JAX is not imported here."""
from __future__ import annotations

import importlib
from typing import Any, NoReturn

from ._arrays import wrong_type


class JaxArrays:
    @property
    def functions(self) -> Any:
        """onepass.jax, which is imported when it is needed."""
        return importlib.import_module("onepass.jax")  # waits where another thread is importing it

    @staticmethod
    def is_plain(x: Any) -> bool:
        return False

    @staticmethod
    def is_traced(*given: Any) -> bool:
        return False

    @staticmethod
    def array(function: str, argument: str, x: Any) -> NoReturn:
        """For functions that onepass.jax does not have."""
        wrong_type(function, argument, "is a JAX array, which this function does not take")


JAX = JaxArrays()
