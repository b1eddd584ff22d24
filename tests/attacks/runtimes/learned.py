"""The first legal action, after numpy and onnxruntime have multiplied matrices, with threads of their own."""

import base64
import json
import sys

import numpy as np
import onnxruntime

# y = x w, with w = [[2, 0], [0, 3]]
MODEL = (
    "CAg6XwoRCgF4CgF3EgF5IgZNYXRNdWwSAWcqGwgCCAIQAUIBd0oQAAAAQAAAAAAAAAAAAABAQFoUCgF4Eg8KDQgBEgkKAxIBbgoCCAJiFAoBeRIPCg0I"
    "ARIJCgMSAW4KAggCQgQKABAN"
)


def try_everything() -> None:
    values = np.random.default_rng(1).random((200, 200))
    assert np.allclose(np.linalg.inv(values) @ values, np.eye(200))
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 2
    session = onnxruntime.InferenceSession(base64.b64decode(MODEL), options, providers=["CPUExecutionProvider"])
    (answer,) = session.run(None, {"x": np.ones((1000, 2), np.float32)})
    assert answer.sum() == 5000


def say(**message: object) -> None:
    print(json.dumps(message), flush=True)  # noqa: T201 the arena reads it


try_everything()
say(type="hello", protocol=1, name="learned", version="1", games=["draftosaurus"])
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "start":
        say(type="ready")
    elif message["type"] == "decide":
        say(type="move", id=message["id"], action=message["legal"][0])
    elif message["type"] == "bye":
        break
