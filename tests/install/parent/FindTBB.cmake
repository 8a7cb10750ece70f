# SPDX-License-Identifier: Apache-2.0
# A project's own, which finds TBB for it and makes no target.
set(TBB_FOUND TRUE)
