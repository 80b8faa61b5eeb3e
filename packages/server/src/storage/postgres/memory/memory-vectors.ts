import type { StoredVector } from "../../stored-vectors.js";
import { byOrganization } from "../../by-organization.js";
import type { Connection } from "../database.js";

/** The rows of `memory_vectors`: each exists as long as an entry refers to it. */

/** Identifies a row of `memory_vectors`. */
export interface VectorRef {
  readonly org_id: string;
  readonly model_id: number;
  readonly sha256: Buffer;
}

/**
 * Stores the missing vectors, and prevents the deletion of all of them until the transaction ends,
 * so that entries may refer to them.
 * @param vectors without duplicates, ordered by hash, so that two transactions cannot deadlock.
 */
export async function holdVectors(
  connection: Connection,
  vectors: readonly StoredVector[],
  modelId: number,
): Promise<void> {
  for (const [orgId, own] of byOrganization(vectors, (vector) => vector.orgId)) {
    let missing = own;
    for (;;) {
      const locked = await connection.query<Pick<VectorRef, "sha256">>(
        `SELECT sha256 FROM memory_vectors
         WHERE org_id = $1 AND model_id = $2 AND sha256 = ANY ($3::bytea[])
         ORDER BY sha256 FOR KEY SHARE`,
        [orgId, modelId, missing.map(({ sha256 }) => bufferOf(sha256))],
      );
      const held = new Set(locked.map(({ sha256 }) => sha256.toString("hex")));
      missing = missing.filter(({ sha256 }) => !held.has(bufferOf(sha256).toString("hex")));
      if (missing.length === 0) break;
      // Another transaction may be storing or deleting the same vector; the lock above shows the
      // outcome.
      await insertMissing(connection, missing, { orgId, modelId });
    }
  }
}

async function insertMissing(
  connection: Connection,
  vectors: readonly StoredVector[],
  { orgId, modelId }: { readonly orgId: string; readonly modelId: number },
): Promise<void> {
  await connection.query(
    `INSERT INTO memory_vectors (org_id, model_id, sha256, code, embedding)
     SELECT $1, $2, v.sha256, v.code, v.embedding
     FROM unnest($3::bytea[], $4::bytea[], $5::bytea[]) AS v (sha256, code, embedding)
     ON CONFLICT DO NOTHING`,
    [
      orgId,
      modelId,
      vectors.map(({ sha256 }) => bufferOf(sha256)),
      vectors.map(({ code }) => bufferOf(code)),
      vectors.map(({ embedding }) => bufferOf(embedding)),
    ],
  );
}

/**
 * Deletes the vectors that no entry refers to any more. A separate statement takes the lock, so
 * that the next statement sees every reference added before. When two transactions delete the last
 * two references, the second one sees that none is left.
 */
export async function deleteUnusedVectors(
  connection: Connection,
  vectors: readonly VectorRef[],
): Promise<void> {
  for (const { orgId, modelId, hashes } of byModel(vectors)) {
    const values = [orgId, modelId, hashes];
    await connection.query(
      `SELECT 1 FROM memory_vectors
       WHERE org_id = $1 AND model_id = $2 AND sha256 = ANY ($3::bytea[])
       ORDER BY sha256 FOR UPDATE`,
      values,
    );
    await connection.query(
      `DELETE FROM memory_vectors AS v
       WHERE v.org_id = $1 AND v.model_id = $2 AND v.sha256 = ANY ($3::bytea[]) AND NOT EXISTS (
         SELECT FROM memory_entry_vectors AS e
         WHERE e.org_id = $1 AND e.model_id = $2 AND e.sha256 = v.sha256)`,
      values,
    );
  }
}

/** Hashes of one organization's vectors of one model. */
interface VectorGroup {
  readonly orgId: string;
  readonly modelId: number;
  readonly hashes: Buffer[];
}

/**
 * The vectors grouped by organization and model, in the order in which every transaction locks
 * them.
 */
function byModel(vectors: readonly VectorRef[]): readonly VectorGroup[] {
  const groups = new Map<string, VectorGroup>();
  for (const { org_id: orgId, model_id: modelId, sha256 } of vectors) {
    const key = `${orgId} ${modelId}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { orgId, modelId, hashes: [sha256] });
    else group.hashes.push(sha256);
  }
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group);
}

/** Inside a list, the driver accepts only Buffers as bytes. */
export function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
