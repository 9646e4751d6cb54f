"""Bytes to arrays and back: both forms are equal, and what is wrong is said in words."""

import json
from typing import Any

import numpy as np
import orjson
import pytest

from tests.serve.making import matrix_body, text_body
from trainer.serve import wire
from trainer.serve.tensors import BYTES, NUMBERS, Spec, datatype, to_bytes
from trainer.serve.wire import Refused

TEXT = (Spec("text", BYTES, (-1,)), Spec("month", "INT64", (-1,), is_optional=True))
MATRIX = (Spec("tickets", "FP32", (-1, 4)),)
OUT = (Spec("scores", "FP32", (-1, 2)),)


def entry(**changes: Any) -> dict[str, Any]:
    return {"inputs": [matrix_body()["inputs"][0] | changes]}


BAD: dict[str, tuple[Any, str]] = {
    "no JSON": (b"{", "bad request"),
    "a list": ([], "must be a JSON object"),
    "no inputs": ({}, "'inputs' is missing"),
    "inputs no list": ({"inputs": 1}, "must be a list"),
    "an input no object": ({"inputs": [1]}, "must be a JSON object"),
    "no such input": (entry(name="nothing"), "unknown or given twice"),
    "a name that is a list": (entry(name=[1]), "bad request"),
    "given twice": ({"inputs": 2 * matrix_body()["inputs"]}, "given twice"),
    "nothing given": ({"inputs": []}, "'tickets' is missing"),
    "another type": (entry(datatype="INT64"), "is FP32, not INT64"),
    "no shape": ({"inputs": [{"name": "tickets", "datatype": "FP32"}]}, "'shape' is missing"),
    "a shape of words": (entry(shape=["a", 4]), "shape must be like"),
    "one size too few": (entry(shape=[4]), "shape must be like"),
    "no rows": (entry(shape=[0, 4]), "shape must be like"),
    "a negative size": (entry(shape=[-1, 4]), "shape must be like"),
    "another width": (entry(shape=[1, 5]), "does not fit"),
    "a huge shape": (entry(shape=[10**15, 4]), "4 elements"),
    "too few numbers": (entry(data=[1, 2, 3]), "3 elements"),
    "words for numbers": (entry(data=["a", "b", "c", "d"]), "is not FP32"),
    "nothing for a number": (entry(data=[1, 2, 3, None]), "is not FP32"),
    "ragged": (entry(data=[[1, 2], [3]]), "bad request"),
    "too large": (entry(data=[1, 2, 3, 1e300]), "number too large"),
    "data no list": (entry(data=7), "data is no list"),
    "nested too deep": (b'{"inputs":' + b"[" * 2000 + b"]" * 2000 + b"}", "bad request"),
    "parameters no object": (matrix_body(parameters=[1]), "must be a JSON object"),
    "a timeout of words": (matrix_body(parameters={"timeout": "soon"}), "microseconds"),
    "a timeout of nothing": (matrix_body(parameters={"timeout": 0}), "microseconds"),
    "binary that is not there": (entry(parameters={"binary_data_size": 16}), "0 bytes are there"),
    "no such output": (matrix_body(outputs=[{"name": "x"}]), "no output 'x'"),
    "outputs no list": (matrix_body(outputs={"name": "x"}), "must be a list"),
    "not UTF-8": (b'{"id": "\xff"}', "bad request"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_body_is_refused_in_words(name: str) -> None:
    body, words = BAD[name]
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    with pytest.raises(Refused, match=words) as refused:
        wire.read(raw, None, MATRIX, OUT)
    assert refused.value.status == 400


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (text_body("a", "b") | {}, ""),
        ({"inputs": [text_body("a")["inputs"][0] | {"data": [1]}]}, "must be a text"),
        ({"inputs": [text_body("a")["inputs"][0] | {"data": [["a"]]}]}, "must be a text"),
    ],
)
def test_a_text_is_a_text(given: dict[str, Any], words: str) -> None:
    raw = json.dumps(given).encode()
    if not words:
        assert wire.read(raw, None, TEXT, OUT).inputs["text"].tolist() == ["a", "b"]
        return
    with pytest.raises(Refused, match=words):
        wire.read(raw, None, TEXT, OUT)


def test_inputs_must_agree_on_their_rows_and_integers_fit_their_type() -> None:
    month = {"name": "month", "shape": [1], "datatype": "INT64", "data": [3]}
    both = {"inputs": [*text_body("a", "b")["inputs"], month]}
    with pytest.raises(Refused, match="different numbers of rows"):
        wire.read(json.dumps(both).encode(), None, TEXT, OUT)
    small = (Spec("x", "INT8", (-1,)),)
    body = {"inputs": [{"name": "x", "shape": [1], "datatype": "INT8", "data": [300]}]}
    with pytest.raises(Refused, match="out of the range of INT8"):
        wire.read(json.dumps(body).encode(), None, small, OUT)


@pytest.mark.parametrize("name", [*NUMBERS, BYTES])
def test_binary_equals_json_for_every_type(name: str) -> None:
    values: Any = ["ü", "", "two words"] if name == BYTES else [1, 0, 1]
    array = np.array(values, object if name == BYTES else NUMBERS[name])
    told = {"name": "x", "shape": [3], "datatype": name}
    spec = (Spec("x", name, (-1,)),)
    blob = to_bytes(array)
    head = orjson.dumps({"inputs": [told | {"parameters": {"binary_data_size": len(blob)}}]})
    binary = wire.read(head + blob, str(len(head)), spec, OUT).inputs["x"]
    plain = json.dumps({"inputs": [told | {"data": array.tolist()}]}).encode()
    assert binary.tolist() == wire.read(plain, None, spec, OUT).inputs["x"].tolist() == values
    assert datatype(array) == name
    for cut in range(len(blob)):
        short = orjson.dumps({"inputs": [told | {"parameters": {"binary_data_size": cut}}]})
        with pytest.raises(Refused):
            wire.read(short + blob[:cut], str(len(short)), spec, OUT)


@pytest.mark.parametrize("length", ["x", "-1", "99999", "10"])
def test_a_wrong_length_of_the_json_is_refused(length: str) -> None:
    with pytest.raises(Refused):
        wire.read(json.dumps(matrix_body()).encode(), length, MATRIX, OUT)


def test_bytes_that_belong_to_nobody_are_refused() -> None:
    raw = json.dumps(matrix_body()).encode()
    with pytest.raises(Refused, match="3 bytes after the JSON belong to no input"):
        wire.read(raw + b"abc", str(len(raw)), MATRIX, OUT)


def test_not_a_number_is_refused_in_binary_form() -> None:
    blob = np.full(4, np.nan, np.float32).tobytes()
    told = matrix_body()["inputs"][0] | {"parameters": {"binary_data_size": 16}}
    head = orjson.dumps({"inputs": [told]})
    with pytest.raises(Refused, match="NaN"):
        wire.read(head + blob, str(len(head)), MATRIX, OUT)
