import type { MeteredTable } from "../../metered-tables.js";

/**
 * The tables of the audit log whose rows are measured. Of a record that is packed, the bytes of a row
 * and of these columns are about its share of the block.
 */
export const PACKED_TABLES: readonly MeteredTable[] = [
  {
    ...{ name: "audit_records", kind: "audit" },
    ...{ key: { record_index: "bigint" }, sized: ["kind", "subject"] },
  },
  { name: "audit_entries", kind: "audit", key: { record_index: "bigint" }, sized: ["entry"] },
];
