import { createHash } from "node:crypto";
import { canonicalJson, type JsonValue } from "@steward/kernel/canonical-json.js";

/** SHA-256 of what was asked for, hex: tells a repeated request from another one under its key. */
export function requestHash(request: JsonValue): string {
  return createHash("sha256").update(canonicalJson(request)).digest("hex");
}
