import { createHash } from "node:crypto";
import { canonicalJson, type JsonValue } from "@steward/kernel/canonical-json.js";

/**
 * SHA-256 of a request, in hexadecimal. It distinguishes a repeated request from a different
 * request with the same idempotency key.
 */
export function requestHash(request: JsonValue): string {
  return createHash("sha256").update(canonicalJson(request)).digest("hex");
}
