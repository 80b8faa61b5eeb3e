import type { ExportedEvent } from "../../audit-export/ports.js";

/** The facility log audit (RFC 5424 §6.2.1). */
const FACILITY = 13;
/** Syslog's severities, by OCSF's `severity_id`; informational for others. */
const SEVERITIES: Readonly<Record<number, number>> = { 1: 6, 2: 5, 3: 4, 4: 3, 5: 2, 6: 1 };
/** The private enterprise number 32473 is reserved for examples and documentation (RFC 5612). */
const STRUCTURED_DATA_ID = "steward@32473";

/** The sender of messages. */
export interface SyslogSender {
  readonly host: string;
  readonly processId: number;
}

/**
 * A message of syslog (RFC 5424) with its length before it (RFC 5425 §4.3). Its text is the event as
 * JSON in ASCII: text in UTF-8 would have to begin with a byte order mark (§6.4), on which parsers
 * of JSON stumble.
 */
export function syslogFrame(event: ExportedEvent, { host, processId }: SyslogSender): Buffer {
  const priority = FACILITY * 8 + (SEVERITIES[event.severity] ?? 6);
  const time = new Date(event.atMs).toISOString();
  const header = `<${String(priority)}>1 ${time} ${name(host, 255)} steward ${String(processId)} ${name(event.kind, 32)}`;
  const data = `[${STRUCTURED_DATA_ID} index="${String(event.index)}"]`;
  const message = Buffer.from(`${header} ${data} ${asciiJson(event.json)}`);
  return Buffer.concat([Buffer.from(`${String(message.length)} `), message]);
}

function asciiJson(json: string): string {
  return json.replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** A field of the header: visible ASCII, `-` when there is none. */
function name(text: string, lengthMax: number): string {
  return text.replace(/[^\x21-\x7e]/g, "_").slice(0, lengthMax) || "-";
}
