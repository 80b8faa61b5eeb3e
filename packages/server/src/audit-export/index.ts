/**
 * Export of the audit log for security teams: its records as events of the Open Cybersecurity
 * Schema Framework (OCSF), sent to files, syslog receivers and HTTP collectors.
 *
 * - target: a receiver that the operator has named
 * - sink: what sends events to a target
 * - position: the index of the next record to send to a sink; it is stored after the sink has
 *   acknowledged the records before it, so that each record arrives at least once
 *
 * Read first: ocsf/ocsf-event.ts, ocsf/event-kinds.ts, audit-exporter.ts, export-target.ts, ports.ts.
 */
export { AuditExporter, type AuditExporterParts } from "./audit-exporter.js";
export { ocsfEventOf, type OcsfSource } from "./ocsf/ocsf-event.js";
