import { createHash } from "node:crypto";
import { canonicalJson, type JsonValue } from "@steward/kernel/canonical-json.js";
import { type Caller, isVouchedFor } from "@steward/kernel/caller.js";
import { AppError, invalidField } from "@steward/kernel/errors.js";
import type { Migration } from "./migration.js";
import type { ScriptText } from "../ports.js";

/** The fields of a migration that determine what a run does; its digest covers these fields. */
export type DigestedMigration = Pick<
  Migration,
  "id" | "database" | "baseRoot" | "targetRoot" | "up" | "down"
>;

/**
 * The digest by which a reviewer identifies a migration: SHA-256, in hexadecimal, of the canonical
 * JSON of its id, data source, roots and statements. The JSON uses REST's field names, so that a
 * reviewer can compute the digest (Decision §15). The status is left out because a migration may be
 * applied and reverted repeatedly.
 */
export function migrationDigest(migration: DigestedMigration): string {
  const { id, database, baseRoot, targetRoot, up, down } = migration;
  const reviewed = {
    migration_id: id,
    database,
    base_root: baseRoot,
    target_root: targetRoot,
    up: phasesOf(up),
    down: phasesOf(down),
  };
  return createHash("sha256").update(canonicalJson(reviewed)).digest("hex");
}

/** Whether a text has the format of a digest. */
export function isMigrationDigest(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

/**
 * Requires that the migration is the reviewed one. An unauthenticated caller may omit the digest.
 * @throws AppError `STATE_CONFLICT` when the digest is another migration's; `INVALID_ARGUMENT` when
 * it is missing.
 */
export function requireReviewed(
  caller: Caller,
  migration: DigestedMigration,
  digest: string | undefined,
): void {
  if (digest === undefined) {
    if (!isVouchedFor(caller)) return;
    throw invalidField(
      "digest",
      "is missing: read the migration, review its statements, and name its digest to run it",
    );
  }
  if (digest === migrationDigest(migration)) return;
  throw new AppError(
    "STATE_CONFLICT",
    "The digest is not that of this migration: it is not the one that was reviewed. Read it, review it, and name its digest",
  );
}

function phasesOf(script: ScriptText): JsonValue {
  return script.map(({ isAtomic, statements }) => ({ atomic: isAtomic, statements }));
}
