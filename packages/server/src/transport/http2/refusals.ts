import { status as grpcStatus } from "@grpc/grpc-js";
import type { ErrorBody } from "@steward/protocol/rest";
import type { StreamListener } from "./stream-listener.js";

/** Refuses what is not gRPC on a port of gRPC alone. */
export const refuseRest: StreamListener = (stream) => {
  const body: ErrorBody = {
    error: "This port serves gRPC only (SERVICE_GRPC_PORT); REST is on SERVICE_PORT",
    code: "INVALID_ARGUMENT",
  };
  stream.on("error", ignore);
  stream.respond({ ":status": 415, "content-type": "application/json; charset=utf-8" });
  stream.end(JSON.stringify(body));
};

/** Refuses gRPC on a port of REST alone, as a gRPC client understands it. */
export const refuseGrpc: StreamListener = (stream) => {
  stream.on("error", ignore);
  stream.respond(
    {
      ":status": 200,
      "content-type": "application/grpc",
      "grpc-status": String(grpcStatus.UNIMPLEMENTED),
      "grpc-message": "This port serves REST only (SERVICE_PORT); gRPC is on SERVICE_GRPC_PORT",
    },
    { endStream: true },
  );
};

/** A client that is gone needs no answer. */
function ignore(): void {}
