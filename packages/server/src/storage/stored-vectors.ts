import { createHash } from "node:crypto";
import type { EmbeddedEntry } from "../memory/ports.js";
import { vectorBlob } from "./vector-blob.js";

/**
 * A stored vector. It is stored once for each organization and model, for any number of entries.
 */
export interface StoredVector {
  readonly orgId: string;
  /** SHA-256 of `embedding`, 32 bytes. */
  readonly sha256: Uint8Array;
  /** The vector in the format of {@link vectorBlob}. */
  readonly embedding: Uint8Array;
  readonly code: Uint8Array;
}

/** The vectors of one batch of entries. */
export interface StoredVectors {
  /**
   * The distinct vectors, ordered by organization and hash: concurrent writers lock rows in this
   * order.
   */
  readonly distinct: readonly StoredVector[];
  /** The vector of each entry, in the order of the entries. */
  readonly ofEntries: readonly StoredVector[];
}

/** Finds the entries of a batch that share a vector. */
export function storedVectors(entries: readonly EmbeddedEntry[]): StoredVectors {
  const bytesOf = new Map<Float32Array, Pick<StoredVector, "sha256" | "embedding">>();
  const byKey = new Map<string, StoredVector>();
  const ofEntries = entries.map(({ entry: { orgId }, vector, code }) => {
    const bytes = bytesOf.get(vector) ?? hashed(vector);
    bytesOf.set(vector, bytes);
    const key = `${orgId} ${Buffer.from(bytes.sha256).toString("hex")}`;
    const stored = byKey.get(key) ?? { orgId, ...bytes, code };
    byKey.set(key, stored);
    return stored;
  });
  const distinct = [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, stored]) => stored);
  return { distinct, ofEntries };
}

function hashed(vector: Float32Array): Pick<StoredVector, "sha256" | "embedding"> {
  const embedding = vectorBlob(vector);
  return { embedding, sha256: createHash("sha256").update(embedding).digest() };
}
