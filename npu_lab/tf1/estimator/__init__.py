"""`tf.estimator` of the TF 1.15 view: an Estimator on one machine, and its helpers."""

from __future__ import annotations

from npu_lab._tensorflow import tf
from npu_lab.tf1 import absent
from npu_lab.tf1.estimator import experimental, export, inputs
from npu_lab.tf1.estimator.estimator import Estimator
from npu_lab.tf1.estimator.exporter import (
    BestExporter,
    Exporter,
    FinalExporter,
    LatestExporter,
)
from npu_lab.tf1.estimator.run_config import RunConfig
from npu_lab.tf1.estimator.spec import EstimatorSpec, ModeKeys
from npu_lab.tf1.estimator.training import EvalSpec, TrainSpec, train_and_evaluate
from npu_lab.tf1.estimator.warm_start import VocabInfo, WarmStartSettings

train = tf.compat.v1.train
CheckpointSaverHook = train.CheckpointSaverHook
CheckpointSaverListener = train.CheckpointSaverListener
FeedFnHook = train.FeedFnHook
FinalOpsHook = train.FinalOpsHook
GlobalStepWaiterHook = train.GlobalStepWaiterHook
LoggingTensorHook = train.LoggingTensorHook
NanLossDuringTrainingError = train.NanLossDuringTrainingError
NanTensorHook = train.NanTensorHook
ProfilerHook = train.ProfilerHook
SecondOrStepTimer = train.SecondOrStepTimer
SessionRunArgs = train.SessionRunArgs
SessionRunContext = train.SessionRunContext
SessionRunHook = train.SessionRunHook
SessionRunValues = train.SessionRunValues
StepCounterHook = train.StepCounterHook
StopAtStepHook = train.StopAtStepHook
SummarySaverHook = train.SummarySaverHook

__all__ = [
    "BestExporter",
    "CheckpointSaverHook",
    "CheckpointSaverListener",
    "Estimator",
    "EstimatorSpec",
    "EvalSpec",
    "Exporter",
    "FeedFnHook",
    "FinalExporter",
    "FinalOpsHook",
    "GlobalStepWaiterHook",
    "LatestExporter",
    "LoggingTensorHook",
    "ModeKeys",
    "NanLossDuringTrainingError",
    "NanTensorHook",
    "ProfilerHook",
    "RunConfig",
    "SecondOrStepTimer",
    "SessionRunArgs",
    "SessionRunContext",
    "SessionRunHook",
    "SessionRunValues",
    "StepCounterHook",
    "StopAtStepHook",
    "SummarySaverHook",
    "TrainSpec",
    "VocabInfo",
    "WarmStartSettings",
    "experimental",
    "export",
    "inputs",
    "train_and_evaluate",
]

__getattr__ = absent.teller("estimator")


def __dir__() -> list[str]:
    return __all__
