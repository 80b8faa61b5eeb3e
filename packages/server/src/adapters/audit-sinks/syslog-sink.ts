import { hostname } from "node:os";
import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { AuditSink, ExportedEvent, ExportTarget } from "../../audit-export/ports.js";
import type { SinkOptions } from "./open-sink.js";
import { syslogFrame } from "./syslog-message.js";

type SyslogTarget = Extract<ExportTarget, { kind: "syslog" }>;

/**
 * Sends events to a syslog receiver (RFC 5424), over TLS (RFC 5425) with octet counting. Syslog has
 * no acknowledgement: what TCP has accepted may be lost when the receiver ends. Therefore each batch
 * has its own connection, and is acknowledged when the receiver, after it has read everything up to
 * the end, closes the connection too (RFC 5425 §4.4).
 */
export class SyslogSink implements AuditSink {
  readonly name: string;
  readonly #target: SyslogTarget;
  readonly #ca: string | undefined;

  constructor(name: string, target: SyslogTarget, { ca }: SinkOptions) {
    this.name = name;
    this.#target = target;
    this.#ca = ca;
  }

  send(events: readonly ExportedEvent[], signal: AbortSignal): Promise<void> {
    const from = { host: hostname(), processId: process.pid };
    const frames = Buffer.concat(events.map((event) => syslogFrame(event, from)));
    return new Promise<void>((resolve, reject) => {
      const socket = this.#connect();
      let isSent = false;
      const abort = (): void => {
        socket.destroy(new Error("no end of the connection within the time limit"));
      };
      signal.addEventListener("abort", abort, { once: true });
      if (signal.aborted) abort();
      socket.once("finish", () => {
        isSent = true;
      });
      let isEnded = false;
      socket.once("end", () => {
        // An end before ours means that the receiver has not read everything.
        isEnded = isSent;
      });
      socket.once("error", (error) => {
        reject(new Error(`the syslog receiver failed (${reasonOf(error)})`, { cause: error }));
      });
      socket.once("close", () => {
        signal.removeEventListener("abort", abort);
        if (isEnded) resolve();
        else reject(new Error("the syslog receiver closed the connection early"));
      });
      // What a receiver sends is read and thrown away, so that its end is noticed.
      socket.resume();
      socket.once(this.#target.tls ? "secureConnect" : "connect", () => socket.end(frames));
    });
  }

  /** Resolves when the receiver reads to the end of a connection; sends it nothing. */
  reach(signal: AbortSignal): Promise<void> {
    return this.send([], signal);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve();
  }

  #connect(): Socket {
    const { host, port, tls } = this.#target;
    if (!tls) return connectTcp({ host, port, allowHalfOpen: true });
    const ca = this.#ca === undefined ? {} : { ca: this.#ca };
    return connectTls({ host, port, ...serverName(host), ...ca, minVersion: "TLSv1.2" });
  }
}

/** TLS names a server by its host name, never by an address. */
function serverName(host: string): { readonly servername?: string } {
  return /^[\d.]+$|:/.test(host) ? {} : { servername: host };
}

function reasonOf(error: Error): string {
  return "code" in error && typeof error.code === "string" ? error.code : error.message;
}
