import { AppError } from "@steward/kernel/errors.js";

/** The branch that holds the records of migrations. */
export const MIGRATIONS_BRANCH = "migrations";

/** The branch that holds the history of one data source's schema. */
export function schemaBranch(database: string): string {
  return `${SCHEMAS}${database}`;
}

/**
 * Refuses a caller's write to a branch that is reserved for the service. The service runs scripts
 * from such branches: a caller who could move `migrations` could replace the script that an admin
 * is about to apply (Decision §13). All callers may read these branches.
 * @param ref `heads/<branch>` or `tags/<tag>`.
 * @throws AppError `POLICY_DENIED`, naming the branch.
 */
export function requireCallersRef(ref: string): void {
  const branch = ref.startsWith("heads/") ? ref.slice("heads/".length) : undefined;
  if (branch !== MIGRATIONS_BRANCH && branch?.startsWith(SCHEMAS) !== true) return;
  throw new AppError(
    "POLICY_DENIED",
    `The branch ${JSON.stringify(branch)} is written only by migrations and by steps that change a schema: ` +
      "you can read it, or choose another name for your branch",
  );
}

const SCHEMAS = "schemas/";
