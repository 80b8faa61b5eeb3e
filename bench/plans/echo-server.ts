import { Server, ServerCredentials, type sendUnaryData, type ServerUnaryCall } from "@grpc/grpc-js";
import { ECHO_METHOD } from "./echo-method.js";

/**
 * The lower bound for a gRPC call on this machine: it returns the same bytes without decoding them.
 */
const server = new Server();
server.addService(
  { echo: ECHO_METHOD },
  {
    echo: (call: ServerUnaryCall<Buffer, Buffer>, reply: sendUnaryData<Buffer>) => {
      reply(null, call.request);
    },
  },
);
server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) => {
  if (error !== null) throw error;
  process.send?.({ port });
});
process.on("disconnect", () => {
  server.forceShutdown();
});
