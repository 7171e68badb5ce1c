"""Compiled versions of the exact bootstrap, for thousands of intervals or raw arrays.

Nothing here is imported unless a caller asks for ``engine="numba"``. Without numba the same
functions run as plain Python, slowly, which is how they are tested where it is not installed.
"""
