"""What the array-API standard 2025.12 says of exchanging arrays, and DLPack's own page, to which it points.

A sentence has the name of its test, in `test_array_api_producer` or `test_array_api_consumer`, or the reason
why it asks nothing of us. They stand in the order of the documents.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Producer:
    """Asked of whoever gives."""

    says: str
    test: str


@dataclass(frozen=True)
class Consumer:
    """Asked of whoever takes."""

    says: str
    test: str


@dataclass(frozen=True)
class Nothing:
    """Asks nothing that a test could see."""

    says: str
    reason: str


Sentence = Producer | Consumer | Nothing

DLPACK: list[Sentence] = [
    Producer(
        "parameters are keyword-only and None by default",
        "test_all_parameters_are_keywords_and_none_where_they_are_not_given",
    ),
    Producer("a stream of CUDA or ROCm is a number", "test_of_cuda_and_rocm_a_stream_is_a_number"),
    Producer(
        "the producer makes work on that stream safe",
        "test_what_is_done_on_the_consumer_s_stream_is_safe_or_refused",
    ),
    Producer("the number is -1 or more", "test_a_stream_below_minus_one_is_none"),
    Producer("-1: the producer does not synchronize", "test_minus_one_asks_for_no_synchronization"),
    Nothing("the stream stays the consumer's", "its number is compared, and kept nowhere"),
    Producer("on the CPU only None is a stream", "test_on_the_host_none_is_the_only_stream"),
    Nothing("a producer may take None only", "a permission, which is not made use of"),
    Producer(
        "CUDA: None and 1 are the legacy default stream",
        "test_cuda_s_none_and_one_are_the_legacy_default_stream",
    ),
    Producer("CUDA: 2 is the default stream of the thread", "test_cuda_s_two_is_another_stream_than_one"),
    Producer("CUDA: 0 is not allowed", "test_cuda_s_zero_is_not_allowed"),
    Producer(
        "a stream is one of dl_device, where that is given",
        "test_with_a_device_the_stream_is_one_of_that_device",
    ),
    Producer("to the CPU the stream is None", "test_on_the_host_none_is_the_only_stream"),
    Producer(
        "ROCm: None is the legacy default stream, 0 the default one", "test_rocm_s_zero_is_its_default_stream"
    ),
    Producer("ROCm: 1 and 2 are not supported", "test_rocm_s_one_and_two_are_not_allowed"),
    Nothing("explicit streams are better, None is safe", "advice for users"),
    Producer("max_version is a pair: major, minor", "test_the_version_is_a_pair_of_numbers"),
    Nothing(
        "the version may be another than was asked for", "a permission; which one it is, later sentences say"
    ),
    Consumer("the consumer looks at the version all the same", "test_the_version_of_what_came_is_looked_at"),
    Producer(
        "dl_device None: the array's own device", "test_without_a_device_the_capsule_is_on_the_tensor_s_own"
    ),
    Producer("dl_device has the form of __dlpack_device__", "test_a_device_is_said_as_dlpack_device_says_it"),
    Producer(
        "a device that cannot be served is a BufferError",
        "test_a_device_that_cannot_be_reached_is_a_buffer_error",
    ),
    Producer("there should be a way to host memory", "test_host_memory_is_had_by_asking_for_it"),
    Producer(
        "where that takes a copy, copy=False is a BufferError",
        "test_a_copy_to_the_host_that_must_not_be_is_a_buffer_error",
    ),
    Producer("copy=True always copies, and the producer does", "test_copy_true_always_copies"),
    Producer("copy=False never copies", "test_copy_false_never_copies"),
    Producer("copy=None reuses memory where it can", "test_copy_none_reuses_the_memory"),
    Producer("a copy has the flag of one", "test_a_copy_is_said_to_be_one"),
    Nothing("a copy runs on the stream", "nothing here copies on a device: without a driver it is refused"),
    Producer("what is given is a PyCapsule", "test_what_is_given_is_a_capsule"),
    Producer(
        "data that cannot be exported are a BufferError", "test_what_cannot_be_exported_is_a_buffer_error"
    ),
    Producer("other reasons are other errors", "test_other_failures_are_other_errors"),
    Producer(
        "without max_version a capsule of 0.x",
        "test_who_says_no_version_or_an_older_one_gets_the_older_struct",
    ),
    Producer(
        "our version for consumers of our major version and newer",
        "test_who_knows_our_major_version_or_newer_ones_gets_our_own",
    ),
    Producer(
        "the older struct for consumers of an older major version",
        "test_who_says_no_version_or_an_older_one_gets_the_older_struct",
    ),
    Consumer(
        "a TypeError of max_version: once more without", "test_who_does_not_know_the_version_is_asked_without"
    ),
    Producer("versioned capsules have a name of their own", "test_a_versioned_capsule_has_its_own_name"),
    Consumer("and another one once they are taken", "test_a_capsule_that_was_taken_is_called_used"),
    Consumer("READ_ONLY is no reason to refuse", "test_read_only_memory_is_taken_and_said_to_be_so"),
]

DEVICE: list[Sentence] = [
    Producer(
        "a pair: a member of the enumeration of devices, a number",
        "test_the_device_s_type_is_one_of_the_enumeration",
    ),
]

FROM_DLPACK: list[Sentence] = [
    Consumer("the array is passed by position", "test_the_object_is_passed_by_position_alone"),
    Consumer("device None: the array's own", "test_without_a_device_it_is_the_object_s"),
    Consumer(
        "there should be a way to take it to host memory", "test_host_memory_is_asked_for_by_its_device"
    ),
    Consumer(
        "where there is none it is a BufferError", "test_a_producer_that_stays_on_its_device_is_refused"
    ),
    Consumer(
        "a copy that copy=False forbids is a ValueError, and a BufferError elsewhere in the same standard",
        "test_a_copy_that_must_not_be_and_has_to_be_is_refused",
    ),
    Consumer(
        "copy: True always, False never, None if needed",
        "test_a_copy_is_made_when_it_is_asked_for_and_else_not",
    ),
    Nothing("what comes may be a view or a copy", "a permission; which one it is, copy says"),
    Consumer("exceptions of the array's methods come through", "test_what_the_object_raises_comes_through"),
    Consumer(
        "an object without the methods is an AttributeError",
        "test_an_object_without_the_protocol_is_an_attribute_error",
    ),
]

DATA_INTERCHANGE: list[Sentence] = [
    Producer("no copy where that can be", "test_nothing_is_copied_where_that_can_be"),
    Producer("both arrays stay of use", "test_both_arrays_stay_of_use"),
    Consumer("both arrays stay of use, of the other side", "test_the_object_stays_of_use"),
    Consumer(
        "a device that is not supported may be refused",
        "test_a_device_of_a_strange_type_is_taken_and_not_looked_at",
    ),
    Consumer(
        "the consumer passes the stream that it will use", "test_the_stream_that_will_be_used_is_passed"
    ),
    Producer(
        "a capsule that nobody takes calls the deleter", "test_a_capsule_that_nobody_takes_ends_its_tensor"
    ),
    Producer("one that was taken does not", "test_a_capsule_that_was_taken_ends_nothing"),
    Consumer("a capsule that was taken is renamed", "test_a_capsule_that_was_taken_is_called_used"),
    Consumer("one of another name is nobody's tensor", "test_a_capsule_of_another_name_is_left_alone"),
    Producer("names stay where they are", "test_a_name_is_there_as_long_as_the_process"),
    Producer(
        "a destructor keeps the exception on its way", "test_an_exception_survives_the_end_of_a_capsule"
    ),
    Consumer("a deleter may be missing", "test_a_missing_deleter_is_not_called"),
    Producer("a deleter takes the lock itself", "test_a_deleter_takes_the_lock_itself"),
    Nothing(
        "without Python it leaks", "tests/python ends the process in four ways with tensors that are there"
    ),
    Producer("strides are said since version 1.2", "test_strides_are_always_said"),
    Consumer("NULL was rows before", "test_strides_that_are_not_said_are_those_of_rows_before_version_1_2"),
    Producer("without elements data is NULL", "test_without_elements_there_is_no_memory"),
    Consumer("and may be NULL then alone", "test_memory_that_is_not_there_is_of_no_elements"),
    Consumer("a capsule is taken once", "test_a_capsule_is_taken_once"),
    Nothing("numbers of devices differ between libraries", "they are passed on as they are"),
]

SENTENCES: list[Sentence] = [*DLPACK, *DEVICE, *FROM_DLPACK, *DATA_INTERCHANGE]
