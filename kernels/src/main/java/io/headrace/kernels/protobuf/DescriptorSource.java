package io.headrace.kernels.protobuf;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import com.google.protobuf.AnyProto;
import com.google.protobuf.ApiProto;
import com.google.protobuf.ByteString;
import com.google.protobuf.DescriptorProtos;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.DescriptorValidationException;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.DurationProto;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.EmptyProto;
import com.google.protobuf.ExtensionRegistry;
import com.google.protobuf.FieldMaskProto;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.StructProto;
import com.google.protobuf.TimestampProto;
import com.google.protobuf.TypeProto;
import com.google.protobuf.WrappersProto;
import io.headrace.proto.tensorflow.ConfigProto;
import io.headrace.proto.tensorflow.Event;
import io.headrace.proto.tensorflow.Example;
import io.headrace.proto.tensorflow.FunctionDefLibrary;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.proto.tensorflow.ServerDef;
import io.headrace.proto.tensorflow.StructuredValue;
import io.headrace.runtime.file.DataFiles;
import io.headrace.runtime.status.StatusException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The messages that the attr {@code descriptor_source} of an op names: those of this process, for
 * "local://", or those of a FileDescriptorSet, which follows "bytes://" or is in a file. Immutable.
 */
final class DescriptorSource {
  private static final ByteString LOCAL = ByteString.copyFromUtf8("local://");
  private static final ByteString BYTES = ByteString.copyFromUtf8("bytes://");

  private final Map<String, Descriptor> messages = new LinkedHashMap<>();
  private final Map<String, FieldDescriptor> extensions = new LinkedHashMap<>();

  private DescriptorSource(Iterable<FileDescriptor> files) {
    for (FileDescriptor file : files) {
      file.getMessageTypes().forEach(this::add);
      file.getExtensions().forEach(this::add);
    }
  }

  private void add(Descriptor message) {
    messages.put(message.getFullName(), message);
    message.getNestedTypes().forEach(this::add);
    message.getExtensions().forEach(this::add);
  }

  private void add(FieldDescriptor extension) {
    extensions.put(extension.getFullName(), extension);
  }

  /** The messages of this process: protobuf's own, and TensorFlow's. */
  private static final class Local {
    static final DescriptorSource SOURCE = new DescriptorSource(files());

    private static Iterable<FileDescriptor> files() {
      Map<String, FileDescriptor> files = new LinkedHashMap<>();
      for (FileDescriptor file :
          List.of(
              AnyProto.getDescriptor(),
              ApiProto.getDescriptor(),
              DescriptorProtos.getDescriptor(),
              DurationProto.getDescriptor(),
              EmptyProto.getDescriptor(),
              FieldMaskProto.getDescriptor(),
              StructProto.getDescriptor(),
              TimestampProto.getDescriptor(),
              TypeProto.getDescriptor(),
              WrappersProto.getDescriptor(),
              ConfigProto.getDescriptor().getFile(),
              Event.getDescriptor().getFile(),
              Example.getDescriptor().getFile(),
              FunctionDefLibrary.getDescriptor().getFile(),
              GraphDef.getDescriptor().getFile(),
              ServerDef.getDescriptor().getFile(),
              StructuredValue.getDescriptor().getFile())) {
        addWithImports(file, files);
      }
      return files.values();
    }

    private static void addWithImports(FileDescriptor file, Map<String, FileDescriptor> files) {
      if (files.put(file.getFullName(), file) == null) {
        file.getDependencies().forEach(imported -> addWithImports(imported, files));
      }
    }
  }

  /** The messages of {@code source}; INVALID_ARGUMENT if there are none. */
  static DescriptorSource of(ByteString source) {
    if (source.equals(LOCAL)) {
      return Local.SOURCE;
    }
    FileDescriptorSet set = set(source);
    Map<String, FileDescriptor> files = new LinkedHashMap<>();
    for (FileDescriptorProto file : set.getFileList()) {
      files.put(file.getName(), link(file, files));
    }
    return new DescriptorSource(files.values());
  }

  private static FileDescriptorSet set(ByteString source) {
    try {
      return FileDescriptorSet.parseFrom(
          source.startsWith(BYTES)
              ? source.substring(BYTES.size())
              : ByteString.copyFrom(DataFiles.read(source.toStringUtf8())));
    } catch (InvalidProtocolBufferException | StatusException _) {
      throw invalidArgument(
          "Source does not represent serialized file descriptor set proto. This may be due to a"
              + " missing dependency on the file containing REGISTER_DESCRIPTOR_POOL(\"%s\", ...);",
          source.toStringUtf8());
    }
  }

  private static FileDescriptor link(
      FileDescriptorProto file, Map<String, FileDescriptor> earlier) {
    List<FileDescriptor> imports = new ArrayList<>();
    for (String name : file.getDependencyList()) {
      FileDescriptor imported = earlier.get(name);
      if (imported == null) {
        throw failed(file, "it imports " + name + ", which is not before it");
      }
      imports.add(imported);
    }
    try {
      return FileDescriptor.buildFrom(file, imports.toArray(FileDescriptor[]::new));
    } catch (DescriptorValidationException e) {
      throw failed(file, String.valueOf(e.getMessage()));
    }
  }

  private static StatusException failed(FileDescriptorProto file, String why) {
    return invalidArgument("Failed to load FileDescriptorProto: %s: %s", file.getName(), why);
  }

  /** The message with this full name; INVALID_ARGUMENT if there is none. */
  Descriptor message(String name) {
    Descriptor message = messages.get(name);
    if (message == null) {
      throw invalidArgument("No descriptor found for message type %s", name);
    }
    return message;
  }

  /** The extension of {@code message} with this full name. */
  @Nullable FieldDescriptor extension(Descriptor message, String name) {
    FieldDescriptor extension = extensions.get(name);
    return extension != null && extension.getContainingType().equals(message) ? extension : null;
  }

  /** All extensions, to parse messages with. */
  ExtensionRegistry registry() {
    ExtensionRegistry registry = ExtensionRegistry.newInstance();
    for (FieldDescriptor extension : extensions.values()) {
      if (extension.getJavaType() == FieldDescriptor.JavaType.MESSAGE) {
        Message prototype = DynamicMessage.getDefaultInstance(extension.getMessageType());
        registry.add(extension, prototype);
      } else {
        registry.add(extension);
      }
    }
    return registry;
  }
}
