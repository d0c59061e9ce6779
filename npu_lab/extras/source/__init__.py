"""Reads Python sources and says what their names mean; shared by migrate and check.

Needs libcst (`pip install "npu-lab[migrate]"`).
"""
