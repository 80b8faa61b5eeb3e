import { hash } from "node:crypto";

declare const hashBrand: unique symbol;

/** SHA-256 of a block's bytes, as 64 lower-case hexadecimal digits. */
export type Hash = string & { readonly [hashBrand]: true };

/** The SHA-256 content address of these bytes. */
export function hashOf(bytes: Uint8Array): Hash {
  // The result has the format that defines the type.
  return hash("sha256", bytes, "hex") as Hash;
}

const HASH = /^[0-9a-f]{64}$/;

/** Whether the text has the format of a hash. */
export function isHash(text: string): text is Hash {
  return HASH.test(text);
}

/** Length of a hash in bytes. */
export const HASH_BYTES: number = 32;

/** Reads 32 bytes as a hash. */
export function hashAt(bytes: Buffer, at: number): Hash {
  // Any 32 bytes in hexadecimal have the format of a hash.
  return bytes.toString("hex", at, at + HASH_BYTES) as Hash;
}
