import { status as grpcStatus } from "@grpc/grpc-js";
import type { ErrorBody } from "@steward/protocol/rest";
import { HEADER_BYTES_MAX } from "../limits.js";
import type { StreamListener } from "./stream-listener.js";

/** Refuses other requests on a port for gRPC only. */
export const refuseRest: StreamListener = (stream) => {
  const body: ErrorBody = {
    error: "This port serves gRPC only (SERVICE_GRPC_PORT); REST is on SERVICE_PORT",
    code: "INVALID_ARGUMENT",
  };
  stream.on("error", ignore);
  stream.respond({ ":status": 415, "content-type": "application/json; charset=utf-8" });
  stream.end(JSON.stringify(body));
};

/** Refuses gRPC on a port for REST only, in a form that gRPC clients understand. */
export const refuseGrpc: StreamListener = grpcRefusal(
  grpcStatus.UNIMPLEMENTED,
  "This port serves REST only (SERVICE_PORT); gRPC is on SERVICE_GRPC_PORT",
);

/** Refuses a gRPC call whose metadata is too large. */
export const refuseHeaders: StreamListener = grpcRefusal(
  grpcStatus.RESOURCE_EXHAUSTED,
  `The metadata of a call has at most ${String(HEADER_BYTES_MAX)} bytes, names and values`,
);

/** Ends a call before any of it is processed. */
function grpcRefusal(status: grpcStatus, message: string): StreamListener {
  return (stream) => {
    stream.on("error", ignore);
    stream.respond(
      {
        ":status": 200,
        "content-type": "application/grpc",
        "grpc-status": String(status),
        "grpc-message": message,
      },
      { endStream: true },
    );
  };
}

/** A disconnected client needs no answer. */
function ignore(): void {}
