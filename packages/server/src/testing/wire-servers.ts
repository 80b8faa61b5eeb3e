import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openApp, type App } from "../app/app.js";
import { testTlsIdentity } from "../transport/testing/tls-identity.js";

/** One configuration of the ports. */
export interface Wire {
  readonly tls: boolean;
  /** gRPC on its own port. */
  readonly split: boolean;
}

/** All configurations. */
export const WIRES: readonly Wire[] = [
  { tls: false, split: false },
  { tls: false, split: true },
  { tls: true, split: false },
  { tls: true, split: true },
];

/** A whole service, with a store and an empty database to run steps on. */
export interface WireServer extends AsyncDisposable {
  /** Base URL of REST. */
  readonly url: string;
  readonly app: App;
}

/** Opens a server on free ports. */
export async function openWireServer({ tls, split }: Wire): Promise<WireServer> {
  const dataDir = mkdtempSync(join(tmpdir(), "steward-wire-"));
  const file = (name: string, content: string | Buffer): string => {
    writeFileSync(join(dataDir, name), content);
    return join(dataDir, name);
  };
  const app = await openApp({
    port: 0,
    dataDir,
    logLevel: "silent",
    databaseUrl: `sqlite:${join(dataDir, "steward.db")}`,
    dataSources: [{ name: "empty", url: `sqlite:${file("empty.db", "")}` }],
    ...(split ? { grpcPort: 0 } : {}),
    ...(tls
      ? {
          tls: {
            certFile: file("cert.pem", testTlsIdentity.cert),
            keyFile: file("key.pem", testTlsIdentity.key),
          },
        }
      : {}),
  });
  return {
    url: `${tls ? "https" : "http"}://127.0.0.1:${String(app.address.port)}`,
    app,
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]();
      rmSync(dataDir, { recursive: true });
    },
  };
}
