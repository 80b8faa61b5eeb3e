import type { App } from "../app.js";
import type { Config } from "../config/index.js";

/** Where a running server is found. */
export interface ServerUrls {
  /** Base URL of REST. */
  readonly rest: string;
  /** `host:port` of gRPC. */
  readonly grpc: string;
  readonly docs: string;
  readonly metrics: string;
}

/** The addresses a server really listens on, as a client would write them. */
export function serverUrls({ address }: App, config: Config): ServerUrls {
  const scheme = config.tls === undefined ? "http" : "https";
  const host = address.host.includes(":") ? `[${address.host}]` : address.host;
  const rest = `${scheme}://${host}:${String(address.port)}`;
  return {
    rest,
    grpc: `${host}:${String(address.grpcPort)}`,
    docs: `${rest}/docs`,
    metrics: `${rest}/metrics`,
  };
}
