import type { App } from "../../app/app.js";
import type { Config } from "../../config/index.js";

/** Addresses of a running server. */
export interface ServerUrls {
  /** Base URL of REST. */
  readonly rest: string;
  /** `host:port` of gRPC. */
  readonly grpc: string;
  /** Absent where the console is switched off. */
  readonly console?: string;
  readonly docs: string;
  readonly metrics: string;
}

/** The actual addresses of a server, in the form that clients use. */
export function serverUrls({ address }: App, config: Config): ServerUrls {
  const scheme = config.tls === undefined ? "http" : "https";
  const host = address.host.includes(":") ? `[${address.host}]` : address.host;
  const rest = `${scheme}://${host}:${String(address.port)}`;
  return {
    rest,
    grpc: `${host}:${String(address.grpcPort)}`,
    ...(config.console ? { console: rest } : {}),
    docs: `${rest}/docs`,
    metrics: `${rest}/metrics`,
  };
}
