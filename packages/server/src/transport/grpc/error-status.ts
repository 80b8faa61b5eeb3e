import { create, toBinary, type DescMessage, type MessageInitShape } from "@bufbuild/protobuf";
import { anyPack, durationFromMs, type Any } from "@bufbuild/protobuf/wkt";
import { Metadata, status as grpcStatus } from "@grpc/grpc-js";
import {
  BadRequestSchema,
  ErrorInfoSchema,
  RetryInfoSchema,
  StatusSchema,
} from "@steward/protocol/grpc";
import { AppError, type FieldViolation } from "@steward/kernel/errors.js";
import { WIRE_STATUS, type WireStatus } from "../errors.js";

/** The trailing status of a failed gRPC call. */
export interface ErrorStatus {
  readonly code: grpcStatus;
  /** The message for people: the trailer `grpc-message`. */
  readonly details: string;
  /** `grpc-status-details-bin`: the bytes of a google.rpc.Status. */
  readonly metadata: Metadata;
}

/**
 * In bytes of UTF-8. Clients refuse trailers of more than 8 KiB, gRPC's default. On the wire the
 * message takes up to three times its bytes, and the details a third more than theirs.
 */
const MESSAGE_BYTES_MAX = 1024;
const VIOLATIONS_BYTES_MAX = 2048;
const VIOLATION_BYTES_MAX = 512;

/**
 * Converts anything thrown to a gRPC status (Decision §9): ErrorInfo with the code as its reason,
 * BadRequest with the invalid fields, RetryInfo where a retry can help. An error that is not an
 * AppError becomes `INTERNAL` without details. Long texts are shortened.
 * @param wire Overrides the table's status: `REQUEST_TOO_LARGE`.
 */
export function errorStatusOf(thrown: unknown, wire?: WireStatus): ErrorStatus {
  const error = AppError.from(thrown);
  const code = grpcStatus[(wire ?? WIRE_STATUS[error.code]).grpc];
  const message = cut(error.message, MESSAGE_BYTES_MAX);
  const status = create(StatusSchema, { code, message, details: detailsOf(error) });
  const metadata = new Metadata();
  metadata.set("grpc-status-details-bin", Buffer.from(toBinary(StatusSchema, status)));
  return { code, details: message, metadata };
}

function detailsOf(error: AppError): Any[] {
  const details = [packed(ErrorInfoSchema, { reason: error.code, domain: "steward" })];
  if (error.details.length > 0) {
    details.push(packed(BadRequestSchema, { fieldViolations: violationsOf(error.details) }));
  }
  if (error.retryAfterMs !== undefined) {
    details.push(packed(RetryInfoSchema, { retryDelay: durationFromMs(error.retryAfterMs) }));
  }
  return details;
}

function packed<Desc extends DescMessage>(schema: Desc, init: MessageInitShape<Desc>): Any {
  return anyPack(schema, create(schema, init));
}

/** The violations that fit into the size limit, then the number of the remaining ones. */
function violationsOf(
  all: readonly FieldViolation[],
): { readonly field: string; readonly description: string }[] {
  const told = [];
  let bytesLeft = VIOLATIONS_BYTES_MAX;
  for (const violation of all) {
    const field = cut(violation.field, VIOLATION_BYTES_MAX);
    const description = cut(violation.reason, VIOLATION_BYTES_MAX);
    bytesLeft -= Buffer.byteLength(field) + Buffer.byteLength(description);
    if (bytesLeft < 0) break;
    told.push({ field, description });
  }
  const untold = all.length - told.length;
  if (untold > 0) told.push({ field: "", description: `and ${String(untold)} more` });
  return told;
}

/**
 * The text shortened to this many bytes of well-formed UTF-8, because gRPC cannot send a lone
 * surrogate.
 */
function cut(text: string, bytesMax: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= bytesMax) return bytes.toString();
  const ellipsis = "…";
  let end = bytesMax - Buffer.byteLength(ellipsis);
  while (isContinuationByte(bytes[end])) end -= 1;
  return bytes.toString("utf8", 0, end) + ellipsis;
}

function isContinuationByte(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
