"""`npu-lab migrate`: rewrites TensorFlow scripts for the NPU and says what it did.

    python -m npu_lab.extras.migrate -i IN -o OUT -r REPORT

Needs libcst (`pip install "npu-lab[migrate]"`).
"""
