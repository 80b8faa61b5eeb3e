import { POLICY_VERSIONS_KEPT } from "../../../policies/limits.js";
import type { PolicyStore } from "../../../policies/ports.js";
import type { Database } from "../database.js";
import { PostgresTextVersions } from "./text-versions.js";

export class PostgresPolicyStore extends PostgresTextVersions implements PolicyStore {
  constructor(db: Database) {
    super(db, { table: "policies", column: "text", versionsMax: POLICY_VERSIONS_KEPT });
  }
}
