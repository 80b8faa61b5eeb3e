import { POLICY_VERSIONS_KEPT } from "../../../policies/limits.js";
import type { PolicyStore } from "../../../policies/ports.js";
import type { CommitWriter } from "../commit-writer.js";
import type { StatementCache } from "../connection.js";
import { SqliteTextVersions } from "./text-versions.js";

export class SqlitePolicyStore extends SqliteTextVersions implements PolicyStore {
  constructor(writer: CommitWriter, db: StatementCache) {
    super(writer, db, { table: "policies", column: "text", versionsMax: POLICY_VERSIONS_KEPT });
  }
}
