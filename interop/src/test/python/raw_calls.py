"""Calls a server's services at the wire level, including requests that stock clients never send.

TensorFlow's wheel lacks the messages of these services, so they are read from the .proto files of this source tree.
"""

import pathlib
import re

import grpc
import tensorflow as tf  # registers the messages that the files import
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from tensorflow.core.framework import device_attributes_pb2, graph_pb2, step_stats_pb2, tensor_pb2
from tensorflow.core.protobuf import config_pb2, debug_pb2, named_tensor_pb2, tensorflow_server_pb2

PROTOS = pathlib.Path(__file__).parents[4] / "proto/src/main/proto"
TYPES = descriptor_pb2.FieldDescriptorProto
MESSAGE = re.compile(r"^message (\w+) \{(.*?)^\}", re.MULTILINE | re.DOTALL)
FIELD = re.compile(r"^\s*(repeated\s+)?([.\w]+)\s+(\w+)\s*=\s*(\d+)", re.MULTILINE)
METHOD = re.compile(r"rpc (\w+)\s*\(\s*\.?([.\w]+)\s*\)\s*returns\s*\(\s*\.?([.\w]+)\s*\)")


def load(name):
    """Registers the messages of a .proto file."""
    text = (PROTOS / name).read_text()
    file = descriptor_pb2.FileDescriptorProto(name=name, package="tensorflow", syntax="proto3")
    file.dependency.extend(re.findall(r'^import "(.*)";', text, re.MULTILINE))
    for message, body in MESSAGE.findall(text):
        added = file.message_type.add(name=message)
        for repeated, kind, field, number in FIELD.findall(body):
            label = TYPES.LABEL_REPEATED if repeated else TYPES.LABEL_OPTIONAL
            declared = added.field.add(name=field, number=int(number), label=label)
            if kind.startswith("."):
                declared.type_name = kind
            else:
                declared.type = TYPES.Type.Value("TYPE_" + kind.upper())
    descriptor_pool.Default().Add(file)


def message(name):
    return message_factory.GetMessageClass(descriptor_pool.Default().FindMessageTypeByName(name))


class Method:
    """An RPC method, called with the fields of its request."""

    def __init__(self, call):
        self.call = call

    def __call__(self, timeout=60, **fields):
        return self.call(fields, timeout=timeout)

    def future(self, timeout=60, **fields):
        return self.call.future(fields, timeout=timeout)


class Service:
    """A service of a server, with its methods as attributes."""

    def __init__(self, channel, name, file):
        for method, request, response in METHOD.findall((PROTOS / file).read_text()):
            call = channel.unary_unary(
                f"/tensorflow.{name}/{method}",
                lambda fields, kind=message(request): kind(**fields).SerializeToString(),
                message(response).FromString)
            setattr(self, method, Method(call))


load("tensorflow/core/protobuf/master.proto")
load("tensorflow/core/protobuf/worker.proto")


def open_channel(address):
    return grpc.insecure_channel(address, options=[("grpc.max_receive_message_length", -1)])


def master(channel):
    return Service(channel, "MasterService", "tensorflow/core/protobuf/master_service.proto")


def worker(channel):
    return Service(channel, "WorkerService", "tensorflow/core/protobuf/worker_service.proto")
