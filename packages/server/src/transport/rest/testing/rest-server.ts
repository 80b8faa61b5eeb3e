import { AuditService } from "../../../audit/index.js";
import type { Server as HttpServer } from "node:http";
import { createServer, type AddressInfo, type Server } from "node:net";
import { PromTelemetry } from "../../../adapters/metrics-prom/index.js";
import { openPolicies } from "../../../app/rooms/policies.js";
import { systemClock } from "@steward/kernel/clock.js";
import { systemIds } from "@steward/kernel/ids.js";
import type { MemoryService } from "../../../memory/index.js";
import type { Orchestrator } from "../../../plans/index.js";
import { clientAddressBy } from "../../authentication/client-address.js";
import { headersAuthenticator } from "../../authentication/headers-authenticator.js";
import type { Readiness, Services } from "../../services.js";
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
import { openSignIn } from "../../testing/open-sign-in.js";
import { openQuotas } from "../../testing/open-quotas.js";
import {
  openRestServer,
  type RestDeadlines,
  type RestOptions,
  type RestServer,
} from "../server.js";
import { InMemoryOrchestrator } from "../../testing/in-memory-orchestrator.js";
import { recordingLog, type LoggedLine } from "../../testing/recording-log.js";

/** A REST server on a real socket; connections are handed over as by the one-port listener. */
export interface TestRestServer extends AsyncDisposable {
  readonly rest: RestServer;
  readonly url: string;
  readonly port: number;
  readonly orchestrator: InMemoryOrchestrator;
  readonly lines: readonly LoggedLine[];
  /** The result of `/readyz`. */
  readiness: Readiness | Promise<Readiness>;
}

/** An answer, its body read as JSON. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // The caller knows the type of the answer.
  readonly body: Record<string, unknown> & { readonly data?: unknown };
}

/** Sends a request; a body that is not text or bytes is sent as JSON. */
export async function send(
  { url }: TestRestServer,
  request: string,
  options: {
    readonly body?: unknown;
    readonly headers?: Readonly<Record<string, string>>;
  } = {},
): Promise<Answer> {
  const [method = "", path = ""] = request.split(" ");
  const { body, headers } = options;
  const isRaw = typeof body === "string" || body instanceof Uint8Array;
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
    ...(body === undefined ? {} : { body: isRaw ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const json = text === "" ? {} : (JSON.parse(text) as Answer["body"]);
  return { status: response.status, headers: response.headers, body: json };
}

/** Starts a server on any free port of loopback. */
export async function startRestServer(
  options: {
    readonly orchestrator?: Orchestrator;
    readonly billing?: Pick<Services, "usage" | "payments">;
    readonly memory?: MemoryService;
    readonly quotas?: Partial<QuotaLimits>;
    readonly deadlines?: RestDeadlines;
    readonly docs?: boolean;
    readonly console?: RestOptions["console"];
    readonly mcp?: RestOptions["mcp"];
    readonly authenticate?: Services["authenticate"];
    readonly protectedResource?: RestOptions["protectedResource"];
  } = {},
): Promise<TestRestServer> {
  const orchestrator = new InMemoryOrchestrator();
  const policies = openPolicies({ clock: systemClock });
  const telemetry = new PromTelemetry();
  const lines: LoggedLine[] = [];
  const health = { readiness: async () => server.readiness };
  const rest = await openRestServer(
    {
      orchestrator: options.orchestrator ?? orchestrator,
      ...(options.billing ?? storelessBilling()),
      memory: options.memory ?? storelessMemory(),
      catalog: storelessCatalog(),
      state: storelessState(),
      migrations: storelessMigrations(),
      apiKeys: storelessApiKeys(),
      audit: new AuditService(undefined),
      authenticate:
        options.authenticate ?? headersAuthenticator({ trustedProxies: [], proxySecrets: [] }),
      quotas: openQuotas(options.quotas),
      authorize: (...asked) => policies.authorizer.authorize(...asked),
      mayDo: (...asked) => policies.authorizer.mayDo(...asked),
      useApproval: (_caller, _operation, [needed]) => Promise.reject(needed),
      countRefusal: () => undefined,
      recordOperation: (_caller, _asked, work) => work(undefined),
      recordToolCall: () => Promise.resolve(),
      policies: policies.service,
      retention: storelessRetention(),
      erasures: storelessErasures(),
      webhooks: storelessWebhooks(),
      system: storelessSystem(),
      signIn: openSignIn(),
      clientAddress: clientAddressBy([]),
      health,
      metrics: telemetry,
      log: recordingLog(lines),
      telemetry,
      clock: systemClock,
      ids: systemIds(systemClock),
    },
    {
      version: "1.2.3",
      docs: options.docs ?? true,
      console: options.console,
      mcp: options.mcp,
      protectedResource: options.protectedResource,
      ...(options.deadlines && { deadlines: options.deadlines }),
    },
  );
  const listener = await listen(rest.http1);
  const { port } = listener.address() as AddressInfo;
  const server: TestRestServer = {
    rest,
    port,
    url: `http://127.0.0.1:${port}`,
    orchestrator,
    lines,
    readiness: { ready: true, checks: { store: "ok" } },
    async [Symbol.asyncDispose]() {
      listener.close();
      await rest.close();
      rest.http1.closeAllConnections();
    },
  };
  return server;
}

function listen(http1: HttpServer): Promise<Server> {
  const listener = createServer((socket) => http1.emit("connection", socket));
  return new Promise((resolve) => {
    listener.listen(0, "127.0.0.1", () => {
      // Node starts its check for slow requests when its server listens, which this one never does.
      http1.emit("listening");
      resolve(listener);
    });
  });
}
