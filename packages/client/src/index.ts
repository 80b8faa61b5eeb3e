export type { ErrorCode } from "@steward/protocol";
