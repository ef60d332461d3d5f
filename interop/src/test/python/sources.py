"""Pipelines about sources: their inputs, formats, and errors on bad input."""

import numpy as np
import tensorflow as tf

from pipeline import pipeline

Dataset = tf.data.Dataset
NUMBERS = [
    tf.int8, tf.int16, tf.int32, tf.int64, tf.uint8, tf.uint16, tf.uint32, tf.uint64,
    tf.float16, tf.bfloat16, tf.float32, tf.float64, tf.complex64, tf.complex128,
]  # fmt: skip
FEATURES = {
    "id": tf.io.FixedLenFeature([], tf.int64),
    "vector": tf.io.FixedLenFeature([3], tf.float32),
    "optional": tf.io.FixedLenFeature([], tf.float32, default_value=-1.0),
}


@pipeline()
def range_negative_step(_):
    return Dataset.range(20, -7, -3)


@pipeline()
def range_empty(_):
    return Dataset.range(0)


@pipeline()
def range_int32(_):
    return Dataset.range(5, output_type=tf.int32)


@pipeline()
def tensors_of_every_type(_):
    numbers = [tf.cast([[1, 2], [3, 100]], dtype) for dtype in NUMBERS]
    return Dataset.from_tensors((*numbers, [True, False], [b"", b"\x00\xff", b"text"]))


@pipeline()
def tensors_extreme_values(_):
    ints = [np.array([np.iinfo(t).min, np.iinfo(t).max], t) for t in (np.int8, np.int64, np.uint64)]
    floats = np.array([np.inf, -np.inf, -0.0, 1e-45, np.finfo(np.float32).max], np.float32)
    return Dataset.from_tensors((*ints, floats))


@pipeline()
def tensors_without_values(_):
    return Dataset.from_tensors((np.zeros([0, 3], np.float32), np.array([], np.str_), 7)).repeat(2)


@pipeline()
def tensor_slices_nested(_):
    columns = {"z": np.arange(6), "a": (np.arange(12.0).reshape(6, 2), [b"%d" % i for i in range(6)])}
    return Dataset.from_tensor_slices(columns)


@pipeline()
def tensor_slices_sparse(_):
    sparse = tf.sparse.from_dense([[0, 1, 0], [2, 0, 3], [0, 0, 0]])
    return Dataset.from_tensor_slices(sparse)


@pipeline()
def slices_of_a_sparse_tensor(_):
    sparse = tf.SparseTensor([[1, 0, 2], [1, 1, 0], [4, 0, 0]], ["a", "b", "c"], [6, 2, 3])
    return tf.compat.v1.data.Dataset.from_sparse_tensor_slices(sparse)


@pipeline()
def graph_of_8_mib(_):
    values = np.random.RandomState(7).randint(0, 256, 8 << 20).astype(np.uint8)
    return Dataset.from_tensors(values)


@pipeline()
def text_lines(files):
    return Dataset.list_files(files("?.txt"), shuffle=False).flat_map(tf.data.TextLineDataset)


@pipeline()
def text_lines_several(files):
    return tf.data.TextLineDataset([files("a.txt"), files("empty.txt"), files("b.txt")])


@pipeline()
def text_lines_gzip(files):
    return tf.data.TextLineDataset(files("a.txt.gz"), compression_type="GZIP")


@pipeline()
def text_lines_skip_header(files):
    return tf.data.TextLineDataset(files("rows.csv")).skip(1)


@pipeline()
def tfrecord(files):
    return tf.data.TFRecordDataset([files(f"examples-{i}.tfrecord") for i in range(3)])


@pipeline()
def tfrecord_gzip(files):
    return tf.data.TFRecordDataset(files("examples-0.tfrecord.gzip"), compression_type="GZIP")


@pipeline()
def tfrecord_zlib(files):
    return tf.data.TFRecordDataset(files("examples-1.tfrecord.zlib"), compression_type="ZLIB")


@pipeline()
def tfrecord_empty_and_big(files):
    return tf.data.TFRecordDataset([files("empty.tfrecord"), files("big.tfrecord")], buffer_size=1000)


@pipeline()
def tfrecord_parsed(files):
    return tf.data.TFRecordDataset(files("examples-0.tfrecord")).map(
        lambda record: tf.io.parse_single_example(record, FEATURES)
    )


@pipeline()
def tfrecord_parsed_in_batches(files):
    return (
        tf.data.TFRecordDataset(files("examples-1.tfrecord"))
        .batch(5)
        .map(lambda records: tf.io.parse_example(records, FEATURES))
    )


@pipeline()
def tfrecord_parsed_sparse(files):
    features = {
        "id": tf.io.FixedLenFeature([], tf.int64),
        "words": tf.io.VarLenFeature(tf.string),
        "counts": tf.io.VarLenFeature(tf.int64),
    }

    def parse(record):
        row = tf.io.parse_single_example(record, features)
        return row["id"], tf.sparse.to_dense(row["counts"], default_value=-1), row["words"].values

    return tf.data.TFRecordDataset(files("examples-2.tfrecord")).map(parse)


@pipeline()
def fixed_length_records(files):
    dataset = tf.data.FixedLengthRecordDataset(
        files("fixed.bin"), record_bytes=8, header_bytes=4, footer_bytes=8
    )
    return dataset.map(
        lambda row: (
            tf.io.decode_raw(tf.strings.substr(row, 0, 4), tf.int32),
            tf.io.decode_raw(row, tf.uint8)[4:],
        )
    )


@pipeline()
def fixed_length_records_gzip(files):
    return tf.data.FixedLengthRecordDataset(
        files("fixed.bin.gz"), 8, header_bytes=4, footer_bytes=8, compression_type="GZIP"
    ).map(lambda row: tf.io.decode_raw(row, tf.int16))


def sql(files, query, *types):
    return tf.data.experimental.SqlDataset("sqlite", files("rows.sqlite"), query, types)


@pipeline()
def sql_rows(files):
    query = "SELECT id, id * 3, name, weight, data, id % 2 FROM rows ORDER BY weight DESC, id"
    return sql(files, query, tf.int64, tf.uint8, tf.string, tf.float64, tf.string, tf.bool).batch(128)


@pipeline("fails INVALID_ARGUMENT")
def sql_rows_of_more_columns(files):
    return sql(files, "SELECT id, name FROM rows", tf.int64)


@pipeline("fails UNKNOWN")
def sql_of_a_missing_table(files):
    return sql(files, "SELECT id FROM absent", tf.int64)


@pipeline("fails UNKNOWN")
def sql_error_in_a_row(files):
    return sql(files, "SELECT abs((id = 7) * (-9223372036854775807 - 1)) FROM rows", tf.int64)


@pipeline()
def list_files_shuffled(files):
    return Dataset.list_files(files("examples-*.tfrecord*"), seed=5).map(
        lambda name: tf.strings.length(name)
    )


@pipeline()
def read_whole_files(files):
    # Not *.txt: a concurrent test adds a file to the folder.
    return Dataset.list_files(files("[a-e]*.txt"), shuffle=False).map(tf.io.read_file)


@pipeline()
def png_images(files):
    features = {"img": tf.io.FixedLenFeature([], tf.string)}

    def parse(record):
        row = tf.io.parse_single_example(record, features)
        return tf.io.decode_png(row["img"], channels=3)

    return tf.data.TFRecordDataset(files("png-0.tfrecord")).map(parse)


@pipeline(compression=None)
def jpeg_images(files):
    features = {"img": tf.io.FixedLenFeature([], tf.string)}

    def parse(record):
        return tf.io.decode_jpeg(tf.io.parse_single_example(record, features)["img"])

    return tf.data.TFRecordDataset(files("jpeg-1.tfrecord")).map(parse)


@pipeline("fails NOT_FOUND")
def file_missing(files):
    return tf.data.TextLineDataset([files("a.txt"), files("no-such-file.txt")])


@pipeline("fails DATA_LOSS")
def tfrecord_truncated(files):
    return tf.data.TFRecordDataset(files("truncated.tfrecord"))


@pipeline("fails DATA_LOSS")
def tfrecord_corrupt(files):
    return tf.data.TFRecordDataset(files("corrupt.tfrecord"))


@pipeline("fails INVALID_ARGUMENT")
def example_without_a_feature(files):
    features = {"no_such_feature": tf.io.FixedLenFeature([], tf.int64)}
    return tf.data.TFRecordDataset(files("examples-0.tfrecord")).map(
        lambda record: tf.io.parse_single_example(record, features)
    )
