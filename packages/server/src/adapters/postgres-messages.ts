/** Bytes before a message's content: its type, and its length without the type (manual, §54.7). */
const HEAD_BYTES = 5;
/** The smallest valid length of a message: the length includes its own four bytes. */
const LENGTH_MIN = 4;
/** Bytes of one ErrorResponse or NoticeResponse; PostgreSQL cuts no text, but none is as long. */
const FIELDS_BYTES_MAX = 16 * 1024 * 1024;
const ERROR_RESPONSE = 0x45;
const NOTICE_RESPONSE = 0x4e;

/**
 * Reads along with the driver, one step ahead, for the messages on which the driver never comes back:
 * it looks for the end of an ErrorResponse's or NoticeResponse's fields without looking where the bytes
 * end. All other messages are passed over by their length.
 */
export class MessageCheck {
  #unread: Buffer = Buffer.alloc(0);
  #bytesToSkip = 0;

  /** @throws Error when the driver must not see these bytes. */
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
        if (length > FIELDS_BYTES_MAX) throw malformed();
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

/** Fields are a letter and a text that ends with NUL; another NUL follows the last one. */
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
