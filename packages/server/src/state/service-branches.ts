import { AppError } from "../kernel/errors.js";

/** The branch that holds the records of migrations. */
export const MIGRATIONS_BRANCH = "migrations";

/** The branch that holds the history of one data source's schema. */
export function schemaBranch(database: string): string {
  return `${SCHEMAS}${database}`;
}

/**
 * Refuses to let a caller write a branch that the service keeps for itself. The service runs what it reads there: a
 * caller who could move `migrations` could exchange the script that an admin is about to apply (Decision §13).
 * Reading them is everybody's.
 * @param ref `heads/<branch>` or `tags/<tag>`.
 * @throws AppError `POLICY_DENIED`, naming the branch.
 */
export function requireCallersRef(ref: string): void {
  const branch = ref.startsWith("heads/") ? ref.slice("heads/".length) : undefined;
  if (branch !== MIGRATIONS_BRANCH && branch?.startsWith(SCHEMAS) !== true) return;
  throw new AppError(
    "POLICY_DENIED",
    `The branch ${JSON.stringify(branch)} is written by migrations and by steps that change a schema only: ` +
      "read it, or give a branch of yours another name",
  );
}

const SCHEMAS = "schemas/";
