package io.headrace.kernels.elementwise;

import io.headrace.runtime.expression.Expression;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.RowsCall;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import java.util.List;

/** Cast: conversion between dtypes. */
final class CastOps {
  static final List<Op> OPS =
      List.of(
          Op.define("Cast(x: SrcT) -> y: DstT")
              .attrs("SrcT: type", "DstT: type", "Truncate: bool = false")
              .shape(ShapeFunctions.SAME)
              .remark(
                  "Truncate=true is not supported. float8_e5m2, float8_e4m3fn, int4 and uint4 are"
                      + " cast to and from all numbers and bool, of which TensorFlow has some; the"
                      + " other float8 types, float4, int2 and uint2 are not cast, as in"
                      + " TensorFlow.")
              .scalarWhere(
                  CastOps::isScalar, (in, attrs) -> in.getFirst().convert(attrs.type("DstT")))
              .kernel(CastOps::create));

  private CastOps() {}

  private static boolean isScalar(Attrs attrs) {
    DataType from = attrs.type("SrcT");
    DataType to = attrs.type("DstT");
    return from != to
        && Expression.isConvertible(from)
        && Expression.isConvertible(to)
        && !attrs.bool("Truncate");
  }

  private static Kernel.Sync create(NodeSpec node) {
    DataType from = node.attrs().type("SrcT");
    DataType to = node.attrs().type("DstT");
    if (from == to) {
      return new Same();
    }
    if (node.attrs().bool("Truncate")) {
      throw StatusException.unimplemented(
          "op Cast (node %s): attr Truncate=true is not supported", node.name());
    }
    throw StatusException.unimplemented(
        "Cast %s to %s is not supported (node %s)", from.tfName(), to.tfName(), node.name());
  }

  /** A cast to the input's own dtype: the input is passed on. */
  private static final class Same implements Kernel.Sync {
    @Override
    public void compute(KernelCall call) {
      call.setOutput(0, call.input(0));
    }

    @Override
    public boolean computeRows(RowsCall call) {
      compute(call);
      return true;
    }
  }
}
