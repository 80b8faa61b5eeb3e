import { operationTable } from "../operation.js";
import { getAuditRecord } from "./get-audit-record.js";
import { listAuditRecords } from "./list-audit-records.js";
import { listAuditWitnesses } from "./list-audit-witnesses.js";
import { proveAuditConsistency } from "./prove-audit-consistency.js";

/** The audit log (Decision §23), without its files. */
export const audit = operationTable({
  listAuditRecords,
  getAuditRecord,
  proveAuditConsistency,
  listAuditWitnesses,
});
