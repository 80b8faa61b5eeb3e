/**
 * What Steward and its clients have in common. The gRPC messages are in `@steward/protocol/grpc`,
 * the REST schemas in `@steward/protocol/rest`.
 */
export { ERROR_CODES, type ErrorCode } from "./error-codes.js";
