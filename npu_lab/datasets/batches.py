"""Examples handed out in batches, epoch by epoch, as TensorFlow 1.15's tutorials did.

`DataSet` keeps the arithmetic of `tensorflow.examples.tutorials.mnist.input_data`: same
numpy calls in the same order, so with the same seed the same examples come in the same
order as there.
"""

from __future__ import annotations

import operator
import sys
from typing import Any, SupportsIndex

import numpy as np
import numpy.typing as npt

LARGEST_SEED = 2**31 - 1


def dense_to_one_hot(
    labels_dense: npt.NDArray[Any], num_classes: int
) -> npt.NDArray[np.float64]:
    """Labels 0..num_classes-1 as rows with a single 1: float64 [n, num_classes]."""
    labels = np.asarray(labels_dense).ravel()
    outside = labels[(labels < 0) | (labels >= num_classes)]
    if outside.size:
        raise ValueError(
            f"label {outside[0]} does not fit {num_classes} classes: one-hot rows"
            f" need labels from 0 to {num_classes - 1}; raise num_classes or mend the"
            " labels"
        )
    rows = np.zeros((labels.size, num_classes))
    rows[np.arange(labels.size), labels] = 1
    return rows


class DataSet:
    """Images with their labels, and a place in the current epoch.

    Args:
        images: uint8 [n, rows, columns, depth].
        labels: [n] or one-hot [n, classes].
        fake_data: ignore both; `next_batch(n, fake_data=True)` makes up batches.
        one_hot: whether made-up labels are one-hot; real labels stay as they are.
        dtype: float32 scales the images into 0..1, uint8 keeps the bytes; numpy's or
            TensorFlow's names for them.
        reshape: flatten images (of depth 1) to [n, rows * columns].
        seed: for the shuffling, which uses numpy's *global* generator.

    As in TensorFlow 1.15, making a set seeds that generator with `seed`, or else with
    the seed that `tf.set_random_seed` gave the default graph. With neither, 1.15 seeds
    it afresh, which undoes a `numpy.random.seed` made earlier; here it is left alone,
    so a `numpy.random.seed` before or after the set is made decides the order.
    """

    def __init__(
        self,
        images: npt.ArrayLike,
        labels: npt.ArrayLike,
        fake_data: bool = False,
        one_hot: bool = False,
        dtype: npt.DTypeLike = np.float32,
        reshape: bool = True,
        seed: int | None = None,
    ) -> None:
        _seed_numpy(seed)
        image_type = _image_type(dtype)
        self.one_hot = one_hot
        self._fake = fake_data
        self._images, self._labels = np.asarray(images), np.asarray(labels)
        self._epochs_completed = 0
        self._index_in_epoch = 0
        if fake_data:
            self._num_examples = 10_000
            return
        self._num_examples = len(self._images)
        if len(self._labels) != self._num_examples:
            raise ValueError(
                f"{self._num_examples} images but {len(self._labels)} labels; each"
                " image needs one label"
            )
        if reshape:
            self._images = _flattened(self._images)
        if image_type == np.float32:
            self._images = self._images.astype(np.float32)
            self._images *= np.float32(1.0 / 255.0)

    @property
    def images(self) -> npt.NDArray[Any]:
        """All images, in the order of the current epoch."""
        return self._images

    @property
    def labels(self) -> npt.NDArray[Any]:
        """All labels, in the order of the current epoch."""
        return self._labels

    @property
    def num_examples(self) -> int:
        """How many examples an epoch has."""
        return self._num_examples

    @property
    def epochs_completed(self) -> int:
        """How often `next_batch` has gone past the end of the set."""
        return self._epochs_completed

    def next_batch(
        self, batch_size: SupportsIndex, fake_data: bool = False, shuffle: bool = True
    ) -> tuple[Any, Any]:
        """The next `batch_size` images and their labels.

        The set is shuffled before the first batch and at each later epoch's start.
        Where an epoch ends inside the batch, its last examples come first and are
        followed by the next epoch's first, so no example is left out and no batch is
        short: one larger than the set runs through several epochs (TensorFlow 1.15 cut
        it off in the second). An epoch counts as completed only by the batch that goes
        past its end.

        Raises:
            TypeError: a size that is no whole number.
            ValueError: a negative size, or a set without examples.
        """
        try:
            wanted = operator.index(batch_size)
        except TypeError:
            raise TypeError(
                f"batch_size is {batch_size!r}; it must be a whole number"
            ) from None
        if wanted < 0:
            raise ValueError(f"batch_size is {wanted}; it must not be negative")
        if fake_data:
            return self._made_up(wanted)
        if self._fake:
            raise TypeError(
                "this set was made with fake_data=True and holds no examples; call"
                " next_batch(batch_size, fake_data=True)"
            )
        if wanted and not self._num_examples:
            raise ValueError(
                "the set has no examples to make a batch of; was validation_size chosen"
                " so that this part of the data is empty?"
            )
        if shuffle and self._index_in_epoch == 0 and self._epochs_completed == 0:
            self._shuffle()
        pieces = []
        while wanted > (rest := self._num_examples - self._index_in_epoch):
            pieces.append(self._advance(rest))
            wanted -= rest
            self._epochs_completed += 1
            self._index_in_epoch = 0
            if shuffle:
                self._shuffle()
        pieces.append(self._advance(wanted))
        if len(pieces) == 1:
            return pieces[0]
        images, labels = zip(*pieces, strict=True)
        return np.concatenate(images), np.concatenate(labels)

    def _advance(self, count: int) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        start = self._index_in_epoch
        self._index_in_epoch = end = start + count
        return self._images[start:end], self._labels[start:end]

    def _shuffle(self) -> None:
        # An order that is shuffled, not the data: what 1.15 draws from the generator.
        order = np.arange(self._num_examples)
        np.random.shuffle(order)
        self._images = self._images[order]
        self._labels = self._labels[order]

    def _made_up(self, size: int) -> tuple[list[list[int]], list[Any]]:
        label: Any = [1] + [0] * 9 if self.one_hot else 0
        return [[1] * 784 for _ in range(size)], [label for _ in range(size)]


def _flattened(images: npt.NDArray[Any]) -> npt.NDArray[Any]:
    if images.ndim != 4 or images.shape[3] != 1:
        raise ValueError(
            f"images of shape {images.shape} cannot be flattened; they must be"
            " [n, rows, columns, 1], or pass reshape=False"
        )
    return images.reshape(len(images), images.shape[1] * images.shape[2])


def _image_type(dtype: Any) -> np.dtype[Any]:
    try:
        image_type: np.dtype[Any] = np.dtype(getattr(dtype, "as_numpy_dtype", dtype))
    except TypeError:
        image_type = np.dtype(object)
    if image_type not in (np.uint8, np.float32):
        raise TypeError(f"image dtype is {dtype!r}; it must be uint8 or float32")
    return image_type


def _seed_numpy(seed: int | None) -> None:
    graph_seed = _graph_seed()
    if seed is not None:
        seed %= LARGEST_SEED
        # TensorFlow never hands out the seed pair (0, 0).
        if seed == 0 and graph_seed is not None and graph_seed % LARGEST_SEED == 0:
            seed = LARGEST_SEED
    elif graph_seed is not None:
        seed = graph_seed % LARGEST_SEED
    if seed is not None:
        np.random.seed(seed)


def _graph_seed() -> int | None:
    """The seed set by `tf.set_random_seed`, without importing TensorFlow for it."""
    ops = sys.modules.get("tensorflow.python.framework.ops")
    context = sys.modules.get("tensorflow.python.eager.context")
    if ops is None or context is None:
        return None
    if context.executing_eagerly():
        seed: int | None = context.global_seed()
        return seed
    graph_seed: int | None = ops.get_default_graph().seed
    return graph_seed
