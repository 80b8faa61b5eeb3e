import type { Clock } from "@steward/kernel/clock.js";
import { targetName, type AuditSink, type ExportTarget } from "../../audit-export/ports.js";
import { FileSink } from "./file-sink.js";
import { HttpSink } from "./http-sink.js";
import { SyslogSink } from "./syslog-sink.js";

/** What all sinks share. */
export interface SinkOptions {
  /** A header for collectors, `Name: value`; never shown. */
  readonly header?: string;
  /** Authorities of the receivers' certificates, as PEM; absent: those of Node.js. */
  readonly ca?: string;
  readonly clock: Clock;
}

/** The sink of a target. It connects when it sends. */
export function openSink(target: ExportTarget, options: SinkOptions): AuditSink {
  const name = targetName(target);
  switch (target.kind) {
    case "file":
      return new FileSink(name, target.path);
    case "syslog":
      return new SyslogSink(name, target, options);
    case "http":
      return new HttpSink(name, target, options);
  }
}
