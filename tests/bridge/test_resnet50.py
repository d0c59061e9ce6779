"""The documentation's example from one end to the other: ResNet50 on folders of images.

Native Keras reads the folders with its ImageDataGenerator; for the converted model an
input_fn does the same preprocessing.  The images are small: two cores are to do it.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import npu_lab.tf1 as tf
from npu_lab.device import Device

IMAGES = Path(__file__).parents[2] / "data" / "fashion"
SIZE, BATCH, N, STEPS = 32, 8, 5, 10


@pytest.fixture
def folder() -> Iterator[Path]:
    """A checkpoint is about 200 MB: nothing of it is to stay."""
    with tempfile.TemporaryDirectory() as made:
        yield Path(made)


def listed() -> tuple[list[str], list[int]]:
    """The files, and the number of the folder that each one is in."""
    folders = sorted(folder for folder in IMAGES.iterdir() if folder.is_dir())
    found = [(str(f), i) for i, d in enumerate(folders) for f in sorted(d.glob("*"))]
    files, labels = zip(*found, strict=True)
    return list(files), list(labels)


def prepared(name: Any, label: Any) -> tuple[Any, Any]:
    image = tf.image.decode_image(tf.read_file(name), channels=3)
    image.set_shape([None, None, 3])
    image = tf.image.resize_images(tf.cast(image, tf.float32) / 255.0, [SIZE, SIZE])
    return tf.image.random_flip_left_right(image, seed=3), label


def input_fn() -> Any:
    files, labels = listed()
    data = tf.data.Dataset.from_tensor_slices((tf.constant(files), tf.constant(labels)))
    data = data.shuffle(len(files), seed=2).repeat().map(prepared)
    return data.batch(BATCH, drop_remainder=True)


def first_batch() -> tuple[Any, Any]:
    with tf.Graph().as_default(), tf.Session() as session:
        iterator = tf.data.make_initializable_iterator(input_fn())
        batch = iterator.get_next()
        session.run(iterator.initializer)
        images, labels = session.run(batch)
    return images, labels


@pytest.mark.slow
def test_resnet50_from_folders_of_images(
    device: Device, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from npu_bridge.npu_init import NPURunConfig, keras_to_npu

    monkeypatch.setenv("JOB_ID", "1")
    with tf.Graph().as_default(), tf.Session().as_default():
        tf.set_random_seed(1)
        inputs = tf.keras.layers.Input(shape=(SIZE, SIZE, 3))
        model = tf.keras.applications.ResNet50(
            input_tensor=inputs, weights=None, include_top=True, classes=10
        )
        model.compile(optimizer="rmsprop", loss="sparse_categorical_crossentropy")
        generator = tf.keras.preprocessing.image.ImageDataGenerator(
            rescale=1.0 / 255, horizontal_flip=True
        )
        flow = generator.flow_from_directory(
            str(IMAGES), (SIZE, SIZE), batch_size=BATCH, class_mode="sparse", seed=1
        )
        assert (sorted(flow.filepaths), list(flow.labels)) == listed()
        model.fit_generator(flow, steps_per_epoch=2, epochs=1, verbose=0)
        (native,) = device.loops
        assert (native.state, native.calls) == ("not in effect", 2)
        assert "model_to_npu_estimator" in native.mend

        config = NPURunConfig(
            model_dir=str(folder),
            iterations_per_loop=N,
            save_checkpoints_steps=STEPS,
            keep_checkpoint_max=1,
        )
        converted = keras_to_npu.model_to_npu_estimator(
            keras_model=model, config=config
        )
        batch = first_batch()
        results = converted.evaluate(lambda: tf.data.Dataset.from_tensors(batch))
        expected = model.test_on_batch(*batch)
        assert results["loss"] == pytest.approx(expected, rel=1e-5)
        assert results["global_step"] == 0

        converted.train(input_fn=input_fn, max_steps=STEPS)
        before = dict(zip(model.weights, model.get_weights(), strict=True))
    tf.keras.backend.clear_session()

    loops = [verdict for verdict in device.loops if verdict.iteration_op]
    assert {(v.state, v.data) for v in loops} == {("in effect", "fresh")}
    assert sum(v.calls for v in loops) == STEPS // N
    assert device.ledger.device_iterations == STEPS
    assert [f.name for f in sorted(folder.glob("model.ckpt-*.index"))] == [
        f"model.ckpt-{STEPS}.index"
    ]
    for variable, start in before.items():
        value = converted.get_variable_value(variable.op.name)
        assert np.isfinite(value).all()
        if variable.trainable and "bias" not in variable.name:
            assert not np.array_equal(value, start), variable.name
