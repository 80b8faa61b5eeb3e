/**
 * Types shared by the server and its clients. The gRPC messages are in `@steward/protocol/grpc`,
 * the REST schemas in `@steward/protocol/rest`.
 */
export { ERROR_CODES, type ErrorCode } from "./error-codes.js";
