import { POLICY_VERSIONS_KEPT } from "../../../policies/limits.js";
import type { OrganizationPolicies, PolicyStore } from "../../../policies/ports.js";
import { WriteConflict, type CommitWriter } from "../commit-writer.js";
import { read, type StatementCache } from "../connection.js";

export class SqlitePolicyStore implements PolicyStore {
  readonly #writer: CommitWriter;
  readonly #db: StatementCache;

  constructor(writer: CommitWriter, db: StatementCache) {
    this.#writer = writer;
    this.#db = db;
  }

  latest(orgId: string): Promise<OrganizationPolicies | undefined> {
    return read(() => {
      const row = this.#db.get(
        `SELECT version, text, changed_by, changed_at_ms FROM policies
         WHERE org_id = ? ORDER BY version DESC LIMIT 1`,
        orgId,
      );
      if (row === undefined) return undefined;
      return {
        orgId,
        version: Number(row["version"]),
        text: String(row["text"]),
        changedBy: String(row["changed_by"]),
        changedAtMs: Number(row["changed_at_ms"]),
      };
    });
  }

  async put(policies: OrganizationPolicies): Promise<boolean> {
    const { orgId, version, text, changedBy, changedAtMs } = policies;
    try {
      await this.#writer.commit([
        {
          sql: `INSERT INTO policies (org_id, version, text, changed_by, changed_at_ms)
                SELECT ?1, ?2, ?3, ?4, ?5
                WHERE ?2 = (SELECT coalesce(max(version), 0) + 1 FROM policies WHERE org_id = ?1)`,
          params: [orgId, version, text, changedBy, changedAtMs],
          expect: 1,
        },
        {
          sql: "DELETE FROM policies WHERE org_id = ? AND version <= ?",
          params: [orgId, version - POLICY_VERSIONS_KEPT],
        },
      ]);
      return true;
    } catch (error) {
      if (error instanceof WriteConflict) return false;
      throw error;
    }
  }
}
