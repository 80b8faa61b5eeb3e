import { AuditService } from "../../../audit/index.js";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { credentials, type ChannelCredentials } from "@grpc/grpc-js";
import { openPolicies } from "../../../app/rooms/policies.js";
import { systemClock } from "@steward/kernel/clock.js";
import { systemIds } from "@steward/kernel/ids.js";
import type { Labels, Telemetry } from "../../../kernel/telemetry.js";
import type { MemoryService } from "../../../memory/index.js";
import type { Orchestrator } from "../../../plans/index.js";
import { AddressSet } from "../../authentication/address-set.js";
import { clientAddressBy } from "../../authentication/client-address.js";
import { headersAuthenticator } from "../../authentication/headers-authenticator.js";
import { listen, type Listening } from "../../one-port/one-port.js";
import type { TlsIdentity } from "../../one-port/port.js";
import { InMemoryOrchestrator } from "../../testing/in-memory-orchestrator.js";
import { recordingLog, type LoggedLine } from "../../testing/recording-log.js";
import { storelessApiKeys } from "../../testing/storeless-api-keys.js";
import { storelessBilling } from "../../testing/storeless-billing.js";
import { storelessCatalog } from "../../testing/storeless-catalog.js";
import { storelessMemory } from "../../testing/storeless-memory.js";
import { storelessErasures, storelessRetention } from "../../testing/storeless-retention.js";
import { storelessSystem } from "../../testing/storeless-system.js";
import { storelessWebhooks } from "../../testing/storeless-webhooks.js";
import { storelessState } from "../../testing/storeless-state.js";
import { storelessMigrations } from "../../testing/storeless-migrations.js";
import type { QuotaLimits } from "../../organization-quotas.js";
import { openQuotas } from "../../testing/open-quotas.js";
import { openSignIn } from "../../testing/open-sign-in.js";
import type { Readiness } from "../../services.js";
import { restStreams } from "../../http2/rest-streams.js";
import { http2Sides } from "../../http2-sides.js";
import type { GrpcPatience } from "../server.js";
import { BareClient } from "./bare-client.js";

/** A running server, with the parts that tests observe or change. */
export interface TestServer extends AsyncDisposable {
  readonly orchestrator: InMemoryOrchestrator;
  readonly listening: Listening;
  readonly port: number;
  readonly client: BareClient;
  /** The result of the health service. */
  readiness: Readiness;
  readonly lines: readonly LoggedLine[];
  /** Recorded measurements. */
  readonly counted: readonly { readonly name: string; readonly labels: Labels | undefined }[];
}

/** A server on a real port of this machine: gRPC, and a small HTTP server beside it. */
export async function startServer(
  options: {
    readonly patience?: Partial<GrpcPatience>;
    readonly helloTimeoutMs?: number;
    readonly peerConnectionsMax?: number;
    readonly trustedProxies?: readonly string[];
    readonly orchestrator?: Orchestrator;
    readonly memory?: MemoryService;
    readonly quotas?: Partial<QuotaLimits>;
    /** gRPC on its own port. */
    readonly split?: boolean;
    readonly tls?: TlsIdentity;
  } = {},
): Promise<TestServer> {
  const { trustedProxies = [] } = options;
  const proxies = new AddressSet(trustedProxies);
  const orchestrator = new InMemoryOrchestrator();
  const policies = openPolicies({ clock: systemClock });
  const lines: LoggedLine[] = [];
  const counted: TestServer["counted"][number][] = [];
  const http1 = createServer(answer);
  const sides = http2Sides(
    {
      ...storelessBilling(),
      memory: options.memory ?? storelessMemory(),
      catalog: storelessCatalog(),
      state: storelessState(),
      migrations: storelessMigrations(),
      apiKeys: storelessApiKeys(),
      audit: new AuditService(undefined),
      orchestrator: options.orchestrator ?? orchestrator,
      authenticate: headersAuthenticator({ trustedProxies: [], proxySecrets: [] }),
      quotas: openQuotas(options.quotas),
      authorize: (...asked) => policies.authorizer.authorize(...asked),
      mayDo: (...asked) => policies.authorizer.mayDo(...asked),
      useApproval: (_caller, _operation, [needed]) => Promise.reject(needed),
      countRefusal: () => undefined,
      recordOperation: (_caller, _asked, work) => work(undefined),
      recordToolCall: () => Promise.resolve(),
      signIn: openSignIn(),
      clientAddress: clientAddressBy(trustedProxies),
      policies: policies.service,
      retention: storelessRetention(),
      erasures: storelessErasures(),
      webhooks: storelessWebhooks(),
      system: storelessSystem(),
      health: { readiness: () => Promise.resolve(server.readiness) },
      metrics: { contentType: "text/plain", render: () => Promise.resolve("") },
      log: recordingLog(lines),
      telemetry: recordingTelemetry(counted),
      clock: systemClock,
      ids: systemIds(systemClock),
    },
    restStreams(http1, {
      requestMs: PATIENCE.requestTimeoutMs,
      unrouted: () => ({ status: 405, body: { error: "refused", code: "METHOD_NOT_ALLOWED" } }),
    }),
    {
      patience: { ...PATIENCE, ...options.patience },
      reflection: true,
      ...(options.split === true ? { grpcPort: 0 } : {}),
    },
  );
  const listening = await listen({
    http1,
    ...sides,
    host: "127.0.0.1",
    port: 0,
    isProxy: (address) => proxies.has(address),
    ...(options.helloTimeoutMs === undefined ? {} : { helloTimeoutMs: options.helloTimeoutMs }),
    ...(options.peerConnectionsMax === undefined
      ? {}
      : { peerConnectionsMax: options.peerConnectionsMax }),
    ...(options.tls === undefined ? {} : { tls: options.tls }),
  });
  const client = new BareClient(listening.grpcPort, credentialsFor(options.tls));
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

/** Answers after a delay to `/slow`, never to `/hang`, at once to other paths. */
function answer(request: IncomingMessage, response: ServerResponse): void {
  if (request.url === "/hang") return;
  const text = `over HTTP/${request.httpVersion}`;
  setTimeout(() => response.end(text), request.url === "/slow" ? 300 : 0);
}

function credentialsFor(tls: TlsIdentity | undefined): ChannelCredentials {
  if (tls === undefined) return credentials.createInsecure();
  return credentials.createSsl(null, null, null, { rejectUnauthorized: false });
}

const PATIENCE: GrpcPatience = {
  requestTimeoutMs: 5000,
  idleTimeoutMs: 60_000,
  keepaliveMs: 60_000,
  keepaliveTimeoutMs: 5000,
  unreadMs: 60_000,
};

function recordingTelemetry(counted: { name: string; labels: Labels | undefined }[]): Telemetry {
  return {
    count: (name, labels) => {
      counted.push({ name, labels });
    },
    observe: () => undefined,
  };
}
