import { POLICY_VERSIONS_KEPT } from "../../policies/limits.js";
import type { OrganizationPolicies, PolicyStore } from "../../policies/ports.js";
import { integer, rowType, text, uuid } from "./row-type.js";
import type { SqlStore } from "./sql-store.js";
import { Versions } from "./versions.js";

export class SqlPolicyStore extends Versions<OrganizationPolicies> implements PolicyStore {
  constructor(db: SqlStore) {
    super(db, { name: "policies", type: POLICIES, versionsMax: POLICY_VERSIONS_KEPT });
  }
}

const POLICIES = rowType<OrganizationPolicies>({
  orgId: uuid,
  version: integer,
  text: text(),
  changedBy: text(),
  changedAtMs: integer,
});
