import type { Config } from "../../config/index.js";
import { DRAIN_ANSWER_MS, DRAIN_MS } from "@steward/kernel/limits.js";
import { AddressSet } from "../../transport/authentication/address-set.js";
import {
  type ConsoleFiles,
  installedConsole,
  openConsoleFiles,
} from "../../transport/console/console-files.js";
import { http2Sides } from "../../transport/http2-sides.js";
import { protectedResourceOf } from "../../transport/mcp/protected-resource.js";
import { listen } from "../../transport/one-port/one-port.js";
import { openRestServer } from "../../transport/rest/server.js";
import type { Services } from "../../transport/services.js";
import { version } from "../../version.js";
import { readTls, TlsRenewal } from "../tls.js";
import { trustedProxiesOf } from "./identity.js";

/** The open ports. Closing them ends streams and answers pending requests within the drain time. */
export interface Transports {
  readonly port: number;
  readonly grpcPort: number;
  /** Reloads the TLS certificate. */
  reload(): void;
  close(): Promise<void>;
}

export async function openTransports(config: Config, services: Services): Promise<Transports> {
  const { host, port, grpcPort, tls, docs } = config;
  const protectedResource = protectedResourceOf(config.auth.jwt);
  const proxies = new AddressSet(trustedProxiesOf(config));
  const console = config.console ? await openConsole(config) : undefined;
  const rest = await openRestServer(services, {
    ...{ version: version(), docs, console, protectedResource, toolsets: config.mcpToolsets },
  });
  const listening = await listen({
    http1: rest.http1,
    ...http2Sides(services, rest.http2, { grpcPort, reflection: docs }),
    host,
    port,
    ...(tls === undefined ? {} : { tls: readTls(tls) }),
    isProxy: (address) => proxies.has(address),
    onRefusedClient: (peerAddress, reason) => {
      services.log.warn({ peerAddress, reason }, "client certificate refused");
    },
  });
  const renewal =
    tls &&
    new TlsRenewal({
      files: tls,
      log: services.log,
      use: (identity) => {
        listening.renew(identity);
      },
    });
  return {
    port: listening.port,
    grpcPort: listening.grpcPort,
    reload: () => renewal?.renew(),
    close: async () => {
      renewal?.[Symbol.dispose]();
      await Promise.all([listening.close(DRAIN_MS + DRAIN_ANSWER_MS), rest.close()]);
    },
  };
}

async function openConsole({ payments }: Config): Promise<ConsoleFiles | "not built"> {
  const directory = installedConsole();
  if (directory === undefined) return "not built";
  const hasStripeForm = payments?.publishableKey !== undefined;
  return { ...(await openConsoleFiles(directory)), hasStripeForm };
}
