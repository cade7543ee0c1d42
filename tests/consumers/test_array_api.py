"""Each sentence of the array-API standard has its test, or the reason why it has none."""

import test_array_api_consumer
import test_array_api_producer
from array_api import SENTENCES, Consumer, Nothing, Producer


def names_of(module: object) -> set[str]:
    return {name for name in dir(module) if name.startswith("test_")}


def test_each_sentence_has_a_test_and_each_test_a_sentence() -> None:
    of_producers = {sentence.test for sentence in SENTENCES if isinstance(sentence, Producer)}
    of_consumers = {sentence.test for sentence in SENTENCES if isinstance(sentence, Consumer)}
    assert of_producers == names_of(test_array_api_producer)
    assert of_consumers == names_of(test_array_api_consumer)


def test_a_sentence_that_has_no_test_has_a_reason() -> None:
    assert [
        sentence.says for sentence in SENTENCES if isinstance(sentence, Nothing) and not sentence.reason
    ] == []
    assert len({sentence.says for sentence in SENTENCES}) == len(SENTENCES)
