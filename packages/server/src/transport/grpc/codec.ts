import { fromBinary, toBinary, type DescMessage, type MessageShape } from "@bufbuild/protobuf";
import { AppError } from "@steward/kernel/errors.js";
import { REQUEST_BYTES_MAX, REQUEST_LIST_MAX, REQUEST_VALUES_MAX } from "../limits.js";
import { NUL_DEFECT } from "../../kernel/text-defect.js";
import { hasTooManyFields } from "./message-bounds.js";
import { fieldWithNul } from "./nul-texts.js";
import { REQUEST_TOO_LARGE, type WireStatus } from "../errors.js";

/** Placeholder for a request that could not be decoded. The handler of the call refuses it. */
export class RefusedRequest {
  readonly error: AppError;
  /** Overrides the error's own status. */
  readonly wire: WireStatus | undefined;

  constructor(error: AppError, wire?: WireStatus) {
    this.error = error;
    this.wire = wire;
  }
}

/** A response that has been encoded in turns, because it is large. */
export class EncodedMessage {
  readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }
}

/** Decodes a request, or returns why it cannot. */
export type Decode<Desc extends DescMessage> = (
  bytes: Buffer,
) => MessageShape<Desc> | RefusedRequest;

/**
 * The decoder given to grpc-js: it passes the bytes on unchanged, because requests are decoded only
 * after the caller is authenticated.
 */
export function bytesOf(bytes: Buffer): Buffer {
  return bytes;
}

/** Decodes requests. Strings that are not UTF-8 are refused, as proto3 requires. */
export function decoderOf<Desc extends DescMessage>(schema: Desc): Decode<Desc> {
  return (bytes) => {
    if (bytes.length > REQUEST_BYTES_MAX) return tooLarge();
    try {
      if (hasTooManyFields(schema, bytes)) return tooManyFields();
      const message = fromBinary(schema, bytes);
      // A text can contain a NUL only if the bytes do, which is rare.
      const field = bytes.includes(0) ? fieldWithNul(schema, message) : undefined;
      return field === undefined ? message : unstorable(field);
    } catch (error) {
      return malformed(schema, error);
    }
  };
}

/** Encodes responses. */
export function encoderOf<Desc extends DescMessage>(
  schema: Desc,
): (message: MessageShape<Desc> | EncodedMessage) => Buffer {
  return (message) => {
    if (message instanceof EncodedMessage) return message.bytes;
    const bytes = toBinary(schema, message);
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  };
}

function tooLarge(): RefusedRequest {
  return new RefusedRequest(
    new AppError(
      "LIMIT_EXCEEDED",
      `A request holds at most ${String(REQUEST_BYTES_MAX)} bytes: send several smaller ones`,
    ),
    REQUEST_TOO_LARGE,
  );
}

function tooManyFields(): RefusedRequest {
  const message =
    `A request has at most ${String(REQUEST_VALUES_MAX)} fields, and each list of it at most ` +
    `${String(REQUEST_LIST_MAX)} entries: send several smaller ones`;
  return new RefusedRequest(new AppError("LIMIT_EXCEEDED", message));
}

function unstorable(field: string): RefusedRequest {
  const details = [{ field, reason: NUL_DEFECT }];
  const message = `${field}: ${NUL_DEFECT}`;
  return new RefusedRequest(new AppError("INVALID_ARGUMENT", message, { details }));
}

function malformed(schema: DescMessage, cause: unknown): RefusedRequest {
  const reason = isInvalidUtf8(cause) ? "a string in it is not UTF-8" : "the bytes do not parse";
  return new RefusedRequest(
    new AppError("INVALID_ARGUMENT", `The request is not a ${schema.typeName}: ${reason}`, {
      cause,
    }),
  );
}

/** Whether this is the error of node's TextDecoder. */
function isInvalidUtf8(error: unknown): boolean {
  return (
    error instanceof TypeError &&
    "code" in error &&
    error.code === "ERR_ENCODING_INVALID_ENCODED_DATA"
  );
}
