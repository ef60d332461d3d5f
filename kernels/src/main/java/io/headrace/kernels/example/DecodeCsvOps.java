package io.headrace.kernels.example;

import io.headrace.kernels.kit.ByteStrings;
import io.headrace.kernels.text.StringToNumberOps;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.RowsCall;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** DecodeCSV: a tensor for each selected column of a tensor of records. */
final class DecodeCsvOps {
  private DecodeCsvOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("DecodeCSV(records: string, record_defaults: [OUT_TYPE]) -> output: [OUT_TYPE]")
            .attrs(
                "OUT_TYPE: list({float, double, int32, int64, string})",
                "field_delim: string = \",\"",
                "use_quote_delim: bool = true",
                "na_value: string = \"\"",
                "select_cols: list(int) = []")
            .shape(inputs ->
                Collections.nCopies(inputs.attrs().types("OUT_TYPE").size(), inputs.shape(0)))
            .kernel(node -> new DecodeCsv(node.attrs())));
  }

  private static final class DecodeCsv implements Kernel.Sync {
    private final List<DataType> types;
    private final CsvRecord.Format format;
    private final byte[] naValue;

    DecodeCsv(Attrs attrs) {
      this.types = attrs.types("OUT_TYPE");
      this.naValue = ByteStrings.attr(attrs, "na_value");
      byte[] delimiter = ByteStrings.attr(attrs, "field_delim");
      if (delimiter.length != 1) {
        throw StatusException.invalidArgument("field_delim should be only 1 char");
      }
      List<Long> columns = attrs.integers("select_cols");
      if (!columns.isEmpty() && columns.size() != types.size()) {
        throw StatusException.invalidArgument("select_cols should match output size");
      }
      for (int i = 1; i < columns.size(); i++) {
        if (columns.get(i - 1) >= columns.get(i)) {
          throw StatusException.invalidArgument(
              "select_cols should be strictly increasing indices");
        }
      }
      if (!columns.isEmpty() && columns.getFirst() < 0) {
        throw StatusException.invalidArgument("select_cols should be non-negative indices");
      }
      this.format = new CsvRecord.Format(delimiter[0], attrs.bool("use_quote_delim"), columns);
    }

    @Override
    public void compute(KernelCall call) {
      Tensor records = call.input(0);
      for (int f = 0; f < types.size(); f++) {
        if (call.input(1 + f).shape().rank() > 1) {
          throw StatusException.invalidArgument(
              "Each record default should be at most rank 1, and that of field %d is of shape %s",
              f, call.input(1 + f).shape());
        }
        if (call.input(1 + f).elements() > 1) {
          throw StatusException.invalidArgument(
              "There should only be 1 default per field but field %d has %d",
              f, call.input(1 + f).elements());
        }
      }
      Object[] columns = new Object[types.size()];
      for (int f = 0; f < columns.length; f++) {
        columns[f] = TensorLimit.allocate(types.get(f), records.shape());
      }
      for (int i = 0; i < records.elements(); i++) {
        List<byte[]> fields = CsvRecord.split(records.string(i), format);
        if (fields.size() != types.size()) {
          throw StatusException.invalidArgument(
              "Expect %d fields but have %d in record %d", types.size(), fields.size(), i);
        }
        for (int f = 0; f < columns.length; f++) {
          set(columns[f], i, f, fields.get(f), call.input(1 + f));
        }
      }
      for (int f = 0; f < columns.length; f++) {
        call.setOutput(f, Tensor.wrap(types.get(f), records.shape(), columns[f]));
      }
    }

    @Override
    public boolean computeRows(RowsCall call) {
      for (int i = 1; i < call.inputs(); i++) {
        if (call.isRows(i)) {
          return false;
        }
      }
      compute(call);
      return true;
    }

    private void set(Object column, int record, int f, byte[] field, Tensor defaultValue) {
      DataType type = types.get(f);
      if (field.length == 0 || Arrays.equals(field, naValue)) {
        if (defaultValue.elements() != 1) {
          throw StatusException.invalidArgument(
              "Field %d is required but missing in record %d!", f, record);
        }
        type.kind()
            .copy(
                TensorMemory.array(defaultValue),
                TensorMemory.offset(defaultValue),
                column,
                record,
                1);
      } else if (column instanceof byte[][] strings) {
        strings[record] = field;
      } else if (!StringToNumberOps.parse(field, type, column, record)) {
        throw StatusException.invalidArgument(
            "Field %d in record %d is not a valid %s: %s",
            f, record, type.tfName(), ByteStrings.text(field));
      }
    }
  }
}
