import { createHash } from "node:crypto";
import { canonicalJson, type JsonValue } from "../kernel/canonical-json.js";
import { type Caller, isVouchedFor } from "../kernel/caller.js";
import { AppError, invalidField } from "../kernel/errors.js";
import type { Migration } from "./migration.js";
import type { Script } from "./ports.js";

/** The parts of a migration that its digest is about: everything that decides what a run of it does. */
export type DigestedMigration = Pick<
  Migration,
  "id" | "database" | "baseRoot" | "targetRoot" | "up" | "down"
>;

/**
 * What a migration is known by to whoever reviews it: SHA-256, in hexadecimal, of the canonical JSON of its id, data
 * source, roots and statements, under the names that REST shows them by, so that a reviewer can compute it (Decision
 * §15). Its status is left out: a migration may be applied and reverted over and over.
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

/** Whether a text can be a digest. */
export function isMigrationDigest(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

/**
 * Lets a migration run that is the one which was reviewed. Where nobody vouches for who the caller is, the digest may
 * be left out.
 * @throws AppError `STATE_CONFLICT` for another migration, `INVALID_ARGUMENT` for a digest that is missing.
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

function phasesOf(script: Script): JsonValue {
  return script.map(({ isAtomic, statements }) => ({ atomic: isAtomic, statements }));
}
