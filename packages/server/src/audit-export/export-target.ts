import { createHash } from "node:crypto";

/** A receiver of the exported audit log. */
export type ExportTarget =
  | { readonly kind: "file"; readonly path: string }
  | {
      readonly kind: "syslog";
      readonly host: string;
      readonly port: number;
      /** False on this machine only. */
      readonly tls: boolean;
    }
  | {
      readonly kind: "http";
      /** Never shown: it may hold a secret. */
      readonly url: string;
      /** `lines`: one event in each line; `array`: a JSON array. */
      readonly body: "lines" | "array";
    };

/** The port of syslog over TLS (RFC 5425 §4.1). */
const SYSLOG_TLS_PORT = 6514;
/** The usual port of syslog over plain TCP; RFC 6587 §3.2 assigns none. */
const SYSLOG_TCP_PORT = 514;

/**
 * The target of a text: `file:/path`, `syslog+tls://host:port`, `syslog+tcp://127.0.0.1:port`,
 * `https://…`, or `json+https://…` for a JSON array.
 * @returns `undefined` for any other text, such as one that would send events in clear text.
 */
export function parseExportTarget(text: string): ExportTarget | undefined {
  if (text.startsWith("file:/")) {
    const path = text.slice("file:".length).replace(/^\/\/(?=\/)/, "");
    return path.endsWith("/") ? undefined : { kind: "file", path };
  }
  const scheme = /^([a-z+]+):\/\/./.exec(text)?.[1];
  if (scheme?.startsWith("syslog+")) return syslogTarget(text, scheme);
  const body = scheme?.startsWith("json+") === true ? "array" : "lines";
  const url = text.replace(/^json\+/, "");
  return isSafeUrl(url) ? { kind: "http", url, body } : undefined;
}

/** Identifies a target without its secrets. A URL is reduced to its origin and a digest. */
export function targetName(target: ExportTarget): string {
  switch (target.kind) {
    case "file":
      return `file:${target.path}`;
    case "syslog":
      return `syslog+${target.tls ? "tls" : "tcp"}://${target.host}:${String(target.port)}`;
    case "http": {
      const digest = createHash("sha256").update(target.url).digest("hex").slice(0, 8);
      return `${new URL(target.url).origin}/***#${digest}`;
    }
  }
}

function syslogTarget(text: string, scheme: string): ExportTarget | undefined {
  // The rules of URLs for unknown schemes are looser than those of http.
  const address = `http${text.slice(scheme.length)}`;
  if (!URL.canParse(address)) return undefined;
  const { hostname, port, pathname, search, hash, username, password } = new URL(address);
  if (`${search}${hash}${username}${password}` !== "" || pathname !== "/") return undefined;
  const host = hostname.replace(/^\[|\]$/g, "");
  if (scheme === "syslog+tls")
    return { kind: "syslog", host, port: Number(port || SYSLOG_TLS_PORT), tls: true };
  if (scheme !== "syslog+tcp" || !isThisMachine(hostname)) return undefined;
  return { kind: "syslog", host, port: Number(port || SYSLOG_TCP_PORT), tls: false };
}

function isSafeUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  if (`${username}${password}` !== "") return false;
  return protocol === "https:" || (protocol === "http:" && isThisMachine(hostname));
}

function isThisMachine(hostname: string): boolean {
  return ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
}
