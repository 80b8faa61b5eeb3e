import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { status as grpcStatus } from "@grpc/grpc-js";
import {
  BadRequestSchema,
  ControlPlaneService,
  Health,
  ApprovalService,
  CatalogService,
  MemoryService,
  ServerReflection,
  ServerReflectionResponseSchema,
  StatusSchema,
  UsageService,
  type ServerReflectionRequest,
} from "@steward/protocol/grpc";
import { FileIndex, type FileDescriptors } from "./file-index.js";
import { pathOf, type MethodRegistry } from "../method-registry.js";

const SERVICES = [
  ControlPlaneService,
  ApprovalService,
  CatalogService,
  MemoryService,
  UsageService,
  Health,
  ServerReflection,
];

/** The files of the services and of the error details. */
const FILES = [...SERVICES, BadRequestSchema, StatusSchema].map(({ file }) => file);

/**
 * Server reflection, by which clients learn the services without the .proto files. Older clients
 * use v1alpha, which has the same messages under another name.
 */
export function addReflection(methods: MethodRegistry): void {
  const index = new FileIndex(FILES);
  const method = ServerReflection.method.serverReflectionInfo;
  const v1 = pathOf(method);
  for (const path of [v1, v1.replace(".v1.", ".v1alpha.")]) {
    methods.conversation(method, path, (request) =>
      create(ServerReflectionResponseSchema, {
        validHost: request.host,
        originalRequest: request,
        messageResponse: answerTo(request, index),
      }),
    );
  }
}

type Answer = NonNullable<
  MessageInitShape<typeof ServerReflectionResponseSchema>["messageResponse"]
>;

function answerTo({ messageRequest }: ServerReflectionRequest, index: FileIndex): Answer {
  switch (messageRequest.case) {
    case "listServices": {
      const service = SERVICES.map(({ typeName }) => ({ name: typeName }));
      return { case: "listServicesResponse", value: { service } };
    }
    case "fileByFilename":
      return filesAnswer(index.byName(messageRequest.value), messageRequest.value);
    case "fileContainingSymbol":
      return filesAnswer(index.bySymbol(messageRequest.value), messageRequest.value);
    case "fileContainingExtension":
    case "allExtensionNumbersOfType":
      return errorAnswer(grpcStatus.NOT_FOUND, "No message of this API has extensions");
    case undefined:
      return errorAnswer(
        grpcStatus.INVALID_ARGUMENT,
        "The request asks for no symbol, file or list",
      );
  }
}

function filesAnswer(files: FileDescriptors | undefined, name: string): Answer {
  if (files === undefined) return errorAnswer(grpcStatus.NOT_FOUND, `Unknown here: ${name}`);
  return { case: "fileDescriptorResponse", value: { fileDescriptorProto: [...files] } };
}

function errorAnswer(errorCode: grpcStatus, errorMessage: string): Answer {
  return { case: "errorResponse", value: { errorCode, errorMessage } };
}
