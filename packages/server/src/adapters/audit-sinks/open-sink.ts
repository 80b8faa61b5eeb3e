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

/** A target on the network. */
export type RemoteTarget = Exclude<ExportTarget, { readonly kind: "file" }>;

/** The sink of a target. It connects when it sends. */
export function openSink(target: ExportTarget, options: SinkOptions): AuditSink {
  return target.kind === "file"
    ? new FileSink(targetName(target), target.path)
    : openRemoteSink(target, options);
}

/** Opens the sink of a target on the network; the target may be unreachable. */
export function openRemoteSink(target: RemoteTarget, options: SinkOptions): HttpSink | SyslogSink {
  const name = targetName(target);
  return target.kind === "syslog"
    ? new SyslogSink(name, target, options)
    : new HttpSink(name, target, options);
}
