"""What pyproject.toml cannot say of the package.

In a clone the data lies beside the package, where people look for it; in a wheel it is
`npu_lab.data`. And an editable install puts the data files of pyproject.toml in place
only when the distribution answers a question that setuptools itself never does.
"""

from setuptools import Distribution, find_packages, setup


class DistributionWithData(Distribution):
    """Has its data files installed also when the package is editable."""

    has_data = Distribution.has_data_files


setup(
    distclass=DistributionWithData,
    packages=[*find_packages(include=["npu_lab", "npu_lab.*"]), "npu_lab.data"],
    package_dir={"npu_lab.data": "data"},
)
