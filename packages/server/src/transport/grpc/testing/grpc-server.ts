import { createServer } from "node:http";
import { systemClock } from "../../../kernel/clock.js";
import { systemIds } from "../../../kernel/ids.js";
import type { Labels, Telemetry } from "../../../kernel/telemetry.js";
import type { Orchestrator } from "../../../plans/index.js";
import { headersAuthenticator } from "../../authenticate.js";
import { listen, type Listening } from "../../one-port.js";
import { InMemoryOrchestrator } from "../../testing/in-memory-orchestrator.js";
import { recordingLog, type LoggedLine } from "../../testing/recording-log.js";
import type { Readiness } from "../../services.js";
import { GrpcServer, type GrpcPatience } from "../server.js";
import { BareClient } from "./bare-client.js";

/** What a test may want to see or change of a server. */
export interface TestServer extends AsyncDisposable {
  readonly orchestrator: InMemoryOrchestrator;
  readonly listening: Listening;
  readonly port: number;
  readonly client: BareClient;
  /** What the health service finds. */
  readiness: Readiness;
  readonly lines: readonly LoggedLine[];
  /** Measurements that were counted. */
  readonly counted: readonly { readonly name: string; readonly labels: Labels | undefined }[];
}

/** A server on a real port of this machine, gRPC and a small HTTP/1.1 server beside it. */
export async function startServer(
  options: {
    readonly patience?: Partial<GrpcPatience>;
    readonly helloTimeoutMs?: number;
    readonly orchestrator?: Orchestrator;
    readonly split?: boolean;
  } = {},
): Promise<TestServer> {
  const orchestrator = new InMemoryOrchestrator();
  const lines: LoggedLine[] = [];
  const counted: TestServer["counted"][number][] = [];
  const grpc = new GrpcServer(
    {
      orchestrator: options.orchestrator ?? orchestrator,
      authenticate: headersAuthenticator({ trustedProxies: [] }),
      health: { readiness: () => Promise.resolve(server.readiness) },
      metrics: { contentType: "text/plain", render: () => Promise.resolve("") },
      log: recordingLog(lines),
      telemetry: recordingTelemetry(counted),
      clock: systemClock,
      ids: systemIds(systemClock),
    },
    { ...PATIENCE, ...options.patience },
  );
  const http = createServer((_request, response) => {
    response.end("over HTTP/1.1");
  });
  const listening = await listen({
    http,
    grpc,
    host: "127.0.0.1",
    port: 0,
    ...(options.split === true ? { grpcPort: 0 } : {}),
    ...(options.helloTimeoutMs === undefined ? {} : { helloTimeoutMs: options.helloTimeoutMs }),
  });
  const client = new BareClient(listening.grpcPort);
  const server: TestServer = {
    orchestrator,
    listening,
    port: listening.port,
    client,
    readiness: { ready: true, checks: {} },
    lines,
    counted,
    [Symbol.asyncDispose]: async () => {
      client.close();
      await listening.close(1000);
    },
  };
  return server;
}

const PATIENCE: GrpcPatience = {
  requestTimeoutMs: 5000,
  idleTimeoutMs: 60_000,
  keepaliveMs: 60_000,
  keepaliveTimeoutMs: 5000,
};

function recordingTelemetry(counted: { name: string; labels: Labels | undefined }[]): Telemetry {
  return {
    count: (name, labels) => {
      counted.push({ name, labels });
    },
    observe: () => undefined,
  };
}
