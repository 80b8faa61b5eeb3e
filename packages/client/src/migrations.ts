import type { ClientOf, Migration, migrations as operations } from "@steward/operations";
import type { MigrationProposal, UnchangedSchema } from "@steward/protocol/rest";
import { MIGRATIONS } from "./gen/routes.js";
import type { Http } from "./http.js";
import { callsOf } from "./operations/operation-calls.js";
import type { CallOptions } from "./plans.js";

/**
 * Migrations: the routes under `/api/state/migrations`, for schema admins. Calls reject with a
 * StewardError.
 */
export interface Migrations extends ClientOf<typeof operations, CallOptions> {
  /**
   * Plans and proves a migration to a wanted schema. Not retried automatically. The status
   * `unchanged` means that the database has the wanted schema already; nothing was stored then.
   */
  proposeMigration(
    proposal: MigrationProposal,
    options?: CallOptions,
  ): Promise<Migration | UnchangedSchema>;
}

export function createMigrations(http: Http): Migrations {
  return {
    ...callsOf<typeof operations>(http, MIGRATIONS),
    proposeMigration: (body, { signal } = {}) =>
      http.call({
        ...{ method: "POST", path: "/api/state/migrations", body },
        ...{ idempotent: false, signal },
      }),
  };
}
