import type { MethodDefinition } from "@grpc/grpc-js";

const identity = (bytes: Buffer): Buffer => bytes;

/** A unary call that passes its bytes on unchanged. */
export const ECHO_METHOD: MethodDefinition<Buffer, Buffer> = {
  path: "/bench.Echo/Echo",
  requestStream: false,
  responseStream: false,
  requestSerialize: identity,
  requestDeserialize: identity,
  responseSerialize: identity,
  responseDeserialize: identity,
};
