"""Side-by-side measurements, every figure a ratio within one run: `make bench`.

`experiments` says what is compared with what and what is hoped for, `harness` starts
the contestants and lets them take turns, `worker` is the process of one contestant,
`report` prints the table and writes the JSON.  The contestants are in `graphs`,
`keras_fit`, `calls` and `starting`, what they train in `models`.
"""
