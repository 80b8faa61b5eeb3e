import { POLICY_VERSIONS_KEPT } from "../../../policies/limits.js";
import type { PolicyStore } from "../../../policies/ports.js";
import type { CommitWriter } from "../commit-writer.js";
import type { StoreReads } from "../reads/store-reads.js";
import { SqliteTextVersions } from "./text-versions.js";

export class SqlitePolicyStore extends SqliteTextVersions implements PolicyStore {
  constructor(writer: CommitWriter, db: StoreReads) {
    super(writer, db, { table: "policies", column: "text", versionsMax: POLICY_VERSIONS_KEPT });
  }
}
