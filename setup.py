"""What pyproject.toml cannot say of the package.

In a clone the data and the lessons lie beside the package, where people look for them;
in a wheel they are `npu_lab.data` and `npu_lab.course`. And an editable install puts
the data files of pyproject.toml in place only when the distribution answers a question
that setuptools itself never does.
"""

from setuptools import Distribution, find_packages, setup


class DistributionWithData(Distribution):
    """Has its data files installed also when the package is editable."""

    has_data = Distribution.has_data_files


setup(
    distclass=DistributionWithData,
    packages=[
        *find_packages(include=["npu_lab", "npu_lab.*"]),
        "npu_lab.data",
        "npu_lab.course",
    ],
    package_dir={"npu_lab.data": "data", "npu_lab.course": "notebooks/src"},
)
