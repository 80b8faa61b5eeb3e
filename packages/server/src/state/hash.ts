import { hash } from "node:crypto";

declare const hashBrand: unique symbol;

/** SHA-256 of a block's bytes, as 64 lower-case hexadecimal digits. */
export type Hash = string & { readonly [hashBrand]: true };

/** The content address of these bytes. */
export function hashOf(bytes: Uint8Array): Hash {
  // The digest of the function that defines the type.
  return hash("sha256", bytes, "hex") as Hash;
}

const HASH = /^[0-9a-f]{64}$/;

/** Whether the text has the shape of a hash. */
export function isHash(text: string): text is Hash {
  return HASH.test(text);
}

/** Length of a hash in bytes. */
export const HASH_BYTES: number = 32;

/** Reads the hash whose 32 bytes stand here. */
export function hashAt(bytes: Buffer, at: number): Hash {
  // Any 32 bytes written in hexadecimal have the shape of a hash.
  return bytes.toString("hex", at, at + HASH_BYTES) as Hash;
}
