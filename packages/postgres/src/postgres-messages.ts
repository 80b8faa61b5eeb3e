import { POSTGRES_REPORT_BYTES_MAX } from "./limits.js";

/** Size of a message's header: its type and its length (manual, §54.7). */
const HEAD_BYTES = 5;
/** The smallest valid length of a message, which includes the length field itself. */
const LENGTH_MIN = 4;
const ERROR_RESPONSE = 0x45;
const NOTICE_RESPONSE = 0x4e;

/** An error or a notice of the server is longer than its limit. Its text was not read. */
export class ReportTooLong extends Error {
  override readonly name = "ReportTooLong";

  constructor() {
    super("the PostgreSQL server sent an error or a notice that is too long");
  }
}

/**
 * Validates messages before the driver parses them. The driver searches for the end of the fields
 * of an ErrorResponse or NoticeResponse without checking the end of the message, and would loop for
 * ever on a malformed one. All other messages are skipped by their length.
 */
export class MessageCheck {
  #unread: Buffer = Buffer.alloc(0);
  #bytesToSkip = 0;

  /** @throws Error when the bytes must not be passed to the driver. */
  push(chunk: Buffer): void {
    let rest = this.#unread.length === 0 ? chunk : Buffer.concat([this.#unread, chunk]);
    for (;;) {
      const skipped = Math.min(this.#bytesToSkip, rest.length);
      this.#bytesToSkip -= skipped;
      rest = rest.subarray(skipped);
      if (rest.length < HEAD_BYTES) break;
      const length = rest.readUInt32BE(1);
      if (length < LENGTH_MIN) throw malformed();
      if (hasFields(rest[0])) {
        if (length > POSTGRES_REPORT_BYTES_MAX) throw new ReportTooLong();
        if (rest.length < 1 + length) break;
        checkFields(rest.subarray(HEAD_BYTES, 1 + length));
      }
      this.#bytesToSkip = 1 + length;
    }
    this.#unread = rest;
  }
}

function hasFields(type: number | undefined): boolean {
  return type === ERROR_RESPONSE || type === NOTICE_RESPONSE;
}

/** Each field is a letter and a NUL-terminated text; a further NUL ends the list. */
function checkFields(content: Buffer): void {
  let at = 0;
  while (content[at] !== 0) {
    const end = content.indexOf(0, at + 1);
    if (at >= content.length || end < 0) throw malformed();
    at = end + 1;
  }
}

function malformed(): Error {
  return new Error("the PostgreSQL server sent a malformed message");
}
