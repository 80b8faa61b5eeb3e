import type { MethodDefinition } from "@grpc/grpc-js";

const identity = (bytes: Buffer): Buffer => bytes;

/** A unary call whose messages are taken as they are. */
export const ECHO_METHOD: MethodDefinition<Buffer, Buffer> = {
  path: "/bench.Echo/Echo",
  requestStream: false,
  responseStream: false,
  requestSerialize: identity,
  requestDeserialize: identity,
  responseSerialize: identity,
  responseDeserialize: identity,
};
