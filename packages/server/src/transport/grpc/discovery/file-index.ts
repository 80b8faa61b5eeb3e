import { toBinary, type DescFile } from "@bufbuild/protobuf";
import { nestedTypes } from "@bufbuild/protobuf/reflect";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";

/** A proto file and everything it imports, each as the bytes of a google.protobuf.FileDescriptorProto. */
export type FileDescriptors = readonly Uint8Array[];

/** Finds proto files by their names and by the symbols that they define. */
export class FileIndex {
  readonly #filesByName = new Map<string, DescFile>();
  readonly #filesBySymbol = new Map<string, DescFile>();

  /** @param files The files to index; their imports are added. */
  constructor(files: readonly DescFile[]) {
    for (const file of files.flatMap(withImports)) {
      this.#filesByName.set(file.proto.name, file);
      for (const symbol of symbolsOf(file)) this.#filesBySymbol.set(symbol, file);
    }
  }

  /** The file of this name, such as `controlplane/v1/control_plane.proto`. */
  byName(name: string): FileDescriptors | undefined {
    return descriptorsOf(this.#filesByName.get(name));
  }

  /** The file that defines this full name: a message, field, enum, value, service or method. */
  bySymbol(symbol: string): FileDescriptors | undefined {
    return descriptorsOf(this.#filesBySymbol.get(symbol));
  }
}

function descriptorsOf(file: DescFile | undefined): FileDescriptors | undefined {
  if (file === undefined) return undefined;
  return withImports(file).map(({ proto }) => toBinary(FileDescriptorProtoSchema, proto));
}

/** A file and its direct and indirect imports, without duplicates. */
function withImports(file: DescFile): readonly DescFile[] {
  return [...new Set([file, ...file.dependencies.flatMap(withImports)])];
}

function* symbolsOf(file: DescFile): Iterable<string> {
  for (const type of nestedTypes(file)) {
    yield type.typeName;
    switch (type.kind) {
      case "message":
        for (const member of [...type.fields, ...type.oneofs]) {
          yield `${type.typeName}.${member.name}`;
        }
        break;
      case "enum":
        // The scope of an enum value is the scope of the enum, not the enum itself.
        for (const value of type.values) {
          yield type.typeName.replace(/[^.]*$/, value.name);
        }
        break;
      case "service":
        for (const method of type.methods) yield `${type.typeName}.${method.name}`;
        break;
      case "extension":
        break;
    }
  }
}
