package io.headrace.dataset;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.headrace.proto.tensorflow.DictValue;
import io.headrace.proto.tensorflow.StructuredValue;
import io.headrace.proto.tensorflow.TensorSpecProto;
import io.headrace.proto.tensorflow.TupleValue;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.TensorProtos;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The encoding of element structures beside a dataset that is distributed or saved: TensorFlow's
 * StructuredValue.
 */
public final class ElementSpecs {
  private ElementSpecs() {}

  /** The encoded {@code structure}; UNIMPLEMENTED if it holds datasets. */
  public static ByteString write(Structure structure) {
    return value(structure).toByteString();
  }

  private static StructuredValue value(Structure structure) {
    StructuredValue.Builder value = StructuredValue.newBuilder();
    switch (structure) {
      case Structure.Component c ->
          value.setTensorSpecValue(
              TensorSpecProto.newBuilder()
                  .setDtypeValue(c.dtype().number())
                  .setShape(TensorProtos.shape(c.shape())));
      case Structure.Tuple t -> {
        TupleValue.Builder tuple = TupleValue.newBuilder();
        t.parts().forEach(part -> tuple.addValues(value(part)));
        value.setTupleValue(tuple);
      }
      case Structure.Dict d -> {
        DictValue.Builder dict = DictValue.newBuilder();
        d.parts().forEach((key, part) -> dict.putFields(key, value(part)));
        value.setDictValue(dict);
      }
      case Structure.Nested _ ->
          throw StatusException.unimplemented(
              "a dataset whose elements hold datasets can be neither distributed nor saved");
    }
    return value.build();
  }

  /**
   * The structure that {@code bytes} encode; {@code dataset} names theirs in messages.
   * INVALID_ARGUMENT if they encode none, UNIMPLEMENTED for sparse and ragged tensors.
   */
  public static Structure read(String dataset, ByteString bytes) {
    try {
      return structure(StructuredValue.parseFrom(bytes));
    } catch (InvalidProtocolBufferException e) {
      throw new StatusException(
          StatusCode.INVALID_ARGUMENT, "Failed to parse element_spec for dataset " + dataset, e);
    }
  }

  private static Structure structure(StructuredValue value) {
    return switch (value.getKindCase()) {
      case TENSOR_SPEC_VALUE ->
          new Structure.Component(
              DataType.ofNumber(value.getTensorSpecValue().getDtypeValue()),
              TensorProtos.shape(value.getTensorSpecValue().getShape()));
      case TUPLE_VALUE -> tuple(value.getTupleValue().getValuesList());
      case LIST_VALUE -> tuple(value.getListValue().getValuesList());
      case DICT_VALUE ->
          new Structure.Dict(
              value.getDictValue().getFieldsMap().entrySet().stream()
                  .collect(Collectors.toMap(Map.Entry::getKey, e -> structure(e.getValue()))));
      default ->
          throw StatusException.unimplemented(
              "element specs with %s are not supported", value.getKindCase());
    };
  }

  private static Structure tuple(List<StructuredValue> values) {
    return new Structure.Tuple(values.stream().map(ElementSpecs::structure).toList());
  }
}
