import { createHash } from "node:crypto";
import { openAudit } from "./audit/open-audit.js";
import { openIdentity } from "./identity.js";
import { readTls, TlsRenewal } from "./tls.js";
import { toolCallRecorder } from "./tool-calls.js";
import { catalogSchemas, openCatalog } from "./catalog.js";
import { type DataSources, openDataSources } from "./data-sources.js";
import { openPolicies } from "./policies.js";
import { remoteProviderHost } from "./embedding.js";
import { openMemory } from "./memory.js";
import { healthOf, SharedHealth } from "./health.js";
import { openState } from "./state.js";
import { type McpServers, openMcpServers } from "./mcp-servers.js";
import { openMigrations, type OpenMigrations } from "./migrations.js";
import { pinoLog } from "../adapters/log-pino/index.js";
import { TargetCatalogRows } from "../adapters/catalog-rows.js";
import { PromTelemetry } from "../adapters/metrics-prom/index.js";
import { HttpWebhookSender } from "../adapters/webhook-http/index.js";
import {
  APPLY_MIGRATION,
  applyMigrationTool,
  type MayApply,
} from "../adapters/apply-migration-tool.js";
import { buildToolRegistry } from "../adapters/tool-registry.js";
import { loadConfig, nodeFile, sqliteFile, type Config } from "../config/index.js";
import type { EmbeddingProvider } from "../embedding/index.js";
import { publishToolCalls, type ToolCallGate } from "../governance/index.js";
import { StepHints } from "../hints/index.js";
import { ApiKeyService, noApiKeys, noBrowserSessions } from "../identity/index.js";
import { systemClock, type Clock } from "@steward/kernel/clock.js";
import { DataSourceAccess } from "@steward/kernel/data-source-access.js";
import { DisposalStack } from "../kernel/disposal.js";
import { EventBus } from "../kernel/event-bus.js";
import { systemIds, type Ids } from "@steward/kernel/ids.js";
import { DRAIN_MS } from "@steward/kernel/limits.js";
import type { Log } from "@steward/kernel/log.js";
import { auditEventOf, type AuditEvents } from "../kernel/tool-call.js";
import { noCustomerBindings, PaymentService } from "../payments/index.js";
import type { PaymentProvider } from "../payments/ports.js";
import type { Authorizer } from "../policies/index.js";
import {
  DurableOrchestrator,
  keepInStore,
  NoopOrchestrator,
  recordedOrchestrator,
  type KeepToolCall,
  type Orchestrator,
} from "../plans/index.js";
import type { ToolCallPricing } from "../plans/ports.js";
import { DirectoryProbe } from "../storage/directory-probe.js";
import { assertPrivate } from "../storage/private-files.js";
import type { Store } from "../storage/store.js";
import { assertSafeToListen, authenticator } from "../transport/authentication/authenticate.js";
import {
  type ConsoleFiles,
  installedConsole,
  openConsoleFiles,
} from "../transport/console/console-files.js";
import { http2Sides } from "../transport/http2-sides.js";
import { listen } from "../transport/one-port/one-port.js";
import { OrganizationQuotas } from "../transport/organization-quotas.js";
import { protectedResourceOf } from "../transport/mcp/protected-resource.js";
import { openRestServer } from "../transport/rest/server.js";
import {
  Eraser,
  ErasureService,
  noErasedRows,
  noErasures,
  noRetentionStore,
  RetentionService,
  RetentionSweeper,
} from "../retention/index.js";
import type { Authorize, Services } from "../transport/services.js";
import {
  LedgerReservations,
  noUsageStore,
  UsageGate,
  UsageRecorder,
  UsageService,
} from "../usage/index.js";
import { version } from "../version.js";
import { WebhookDelivery, WebhookOutbox } from "../webhooks/index.js";

/** A running service. Disposing of it finishes the requests in progress, then closes everything. */
export interface App extends AsyncDisposable {
  readonly address: {
    readonly host: string;
    readonly port: number;
    /** The same as `port`, unless gRPC has its own. */
    readonly grpcPort: number;
  };
  readonly orchestrator: Orchestrator;
  /** Events that the process publishes, such as `LlmToolCallAuditRecorded`. */
  readonly events: EventBus<AuditEvents>;
  /** Reloads the TLS certificate and the keys of the OpenID provider; SIGHUP does so too. */
  reload(): void;
}

/** Any part of a {@link Config}, and components that an embedding program provides itself. */
export interface AppOptions extends Partial<Omit<Config, "embedding">> {
  readonly embedding?: Partial<Config["embedding"]>;
  /**
   * Replaces the service's own orchestrator; the four operations are enough (Contract §4.3). The
   * steps that it runs are recorded as tool calls in the store, and the texts of its errors reach
   * the caller.
   */
  readonly orchestrator?: Orchestrator;
  /**
   * Replaces the configured provider. Its vectors must have the length `embedding.dimension`
   * (Contract §4.6 rule 3). `embedding.model` names the model: change the name when the vectors
   * change.
   */
  readonly embeddingProvider?: EmbeddingProvider;
  readonly log?: Log;
  readonly clock?: Clock;
  readonly ids?: Ids;
}

/**
 * Starts the service and resolves when it accepts requests. This is the composition root: the only
 * place that names concrete classes. Missing options have the defaults of the settings with the
 * same names.
 * @throws AppError when it cannot start safely; nothing stays open then.
 */
export async function openApp(options: AppOptions = {}): Promise<App> {
  const defaults = await loadConfig({ env: {} });
  const embedding = { ...defaults.embedding, ...options.embedding };
  const config: Config = { ...defaults, ...options, embedding };
  assertSafeToListen(config.host, config.auth.headers);
  assertPrivate(config.dataDir);
  const opened = new DisposalStack();
  try {
    return await openRooms(config, options, opened);
  } catch (error) {
    await opened[Symbol.asyncDispose]();
    throw error;
  }
}

/** Components that every part of the service uses. */
interface Basics {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly telemetry: PromTelemetry;
}

async function openRooms(config: Config, options: AppOptions, opened: DisposalStack): Promise<App> {
  const clock = options.clock ?? systemClock;
  const basics: Basics = {
    clock,
    ids: options.ids ?? systemIds(clock),
    log: options.log ?? pinoLog(config.logLevel),
    telemetry: new PromTelemetry(),
  };
  const events = new EventBus<AuditEvents>(basics.log);
  const targets = config.tools.webhooks ?? [];
  const outbox = new WebhookOutbox(targets);
  const store = await openStore(config, basics, outbox);
  if (store !== undefined) {
    opened.use(store);
    const sender = new HttpWebhookSender();
    opened.use(new WebhookDelivery({ ...basics, targets, outbox, sender, store: store.webhooks }));
  }
  const audit = openAudit({ ...basics, config, store: store?.audit }, opened);
  const state = openState({ ...basics, config, origin: store?.stateOrigin }, opened);
  const servers = openMcpServers(config, basics.clock, opened);
  const access = new DataSourceAccess(
    [...config.dataSources, ...servers.access],
    config.organization,
  );
  const { rowsChangedMax } = config;
  // It is unknown where a program's own provider sends texts, so it counts as remote.
  const providerIsRemote =
    options.embeddingProvider !== undefined || remoteProviderHost(config.embedding) !== undefined;
  const policies = openPolicies({
    ...{ clock, store: store?.policies, rowsChangedMax, providerIsRemote },
  });
  const { authorizer: policy } = policies;
  const authorize: Authorize = (...asked) => policy.authorize(...asked);
  const migrations = await openMigrations({
    ...{ ...basics, config, access },
    repositories: state.repositories,
    mayDefineCode: (caller) => policy.authorize(caller, "migrations:code"),
  });
  const { relatedTables } = migrations;
  const memory = await openMemory(
    {
      ...{ ...basics, config, store, provider: options.embeddingProvider, relatedTables },
      mayRemember: (call) => policy.mayRemember(call),
    },
    opened,
  );
  const { gate, recorder, ...billing } = await openBilling(config, basics, store, events, opened);
  let sweeper: RetentionSweeper | undefined;
  let eraser: Eraser | undefined;
  if (store !== undefined && memory.expired !== undefined) {
    sweeper = opened.use(
      new RetentionSweeper({
        ...{ ...basics, rules: config.retention, store: store.retention, rows: store.expired },
        entries: memory.expired,
        withUsage: (work) => recorder.exclusively(work),
      }),
    );
    eraser = opened.use(
      new Eraser({
        ...{ ...basics, erasures: store.erasures, store: store.retention, erased: store.erased },
        ...{ rows: store.expired, entries: memory.expired, plans: store.plans },
        withUsage: (work) => recorder.exclusively(work),
      }),
    );
  }
  if (store !== undefined) {
    opened.use(await publishToolCalls(store.toolCalls, events));
  }
  const sources = store && (await openDataSources(config, basics.log, opened));
  const own =
    store === undefined || sources === undefined
      ? undefined
      : openOrchestrator(
          config,
          {
            ...basics,
            store,
            sources,
            servers,
            gate,
            access,
            migrations,
            policy,
            pricing: billing.usage,
          },
          opened,
        );
  const catalog = openCatalog(
    {
      ...{ ...basics, config, access, policy, targets: sources?.targets },
      mcpTools: servers.catalog,
      ...{ schemas: migrations.known, memory: memory.service, provider: memory.provider },
    },
    opened,
  );
  const orchestrator =
    options.orchestrator === undefined
      ? (own ?? new NoopOrchestrator())
      : recordedOrchestrator(options.orchestrator, {
          ...basics,
          keep: keeperOf(store, events, basics),
        });
  const apiKeys = store?.apiKeys ?? noApiKeys;
  const browserSessions = store?.browserSessions ?? noBrowserSessions;
  const identity = await openIdentity({ ...basics, config, apiKeys, browserSessions }, opened);
  const transports = await openTransports(config, {
    ...basics,
    ...billing,
    orchestrator,
    signIn: identity.signIn,
    authenticate: authenticator(identity.modes),
    quotas: new OrganizationQuotas(config.quotas, clock),
    authorize,
    recordToolCall: toolCallRecorder({
      usage: store === undefined ? undefined : billing.usage,
      events,
      ids: basics.ids,
    }),
    policies: policies.service,
    retention: new RetentionService({
      ...{ rules: config.retention, clock, ids: basics.ids },
      onChanged: () => sweeper?.wake(),
      store: store?.retention ?? noRetentionStore,
    }),
    audit,
    erasures: new ErasureService({
      ...{ clock, ids: basics.ids, store: store?.retention ?? noRetentionStore },
      ...{ erasures: store?.erasures ?? noErasures, rows: store?.erased ?? noErasedRows },
      sha256: (text) => createHash("sha256").update(text).digest("hex"),
      onBegun: () => eraser?.wake(),
    }),
    apiKeys: new ApiKeyService(apiKeys, clock),
    memory: memory.service,
    catalog,
    state: state.service,
    migrations: migrations.service,
    health: new SharedHealth(
      healthOf(store, memory, new DirectoryProbe(config.dataDir, clock)),
      clock,
    ),
    metrics: basics.telemetry,
  });
  opened.use({
    // All at once, so that they share one drain time: no new step starts, streams end, and requests
    // in progress are answered.
    async [Symbol.asyncDispose]() {
      await Promise.all([transports.close(), own?.[Symbol.asyncDispose]()]);
    },
  });
  const { port, grpcPort } = transports;
  return {
    address: { host: config.host, port, grpcPort },
    orchestrator,
    events,
    reload: () => {
      identity.reload();
      transports.reload();
    },
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

/** Loads only the modules of the store's engine. */
async function openStore(
  { databaseUrl: url, dataDir }: Config,
  basics: Basics,
  outbox: WebhookOutbox,
): Promise<Store | undefined> {
  if (url === undefined) return undefined;
  const file = sqliteFile(url);
  if (file === undefined) {
    const { openPostgresStore } = await import("../storage/postgres/store.js");
    return openPostgresStore({ url, ...basics, outbox, nodeFile: nodeFile(dataDir) });
  }
  const { openSqliteStore } = await import("../storage/sqlite/store.js");
  return openSqliteStore(file, basics.clock, basics.telemetry, outbox);
}

/** The usage and payment services. */
interface Billing extends Pick<Services, "usage" | "payments"> {
  readonly gate: UsageGate;
  readonly recorder: UsageRecorder;
}

/** Without a store, usage and payments return errors that name the missing setting. */
async function openBilling(
  config: Config,
  { clock, ids, log }: Basics,
  store: Store | undefined,
  events: EventBus<AuditEvents>,
  opened: DisposalStack,
): Promise<Billing> {
  const usageStore = store?.usage ?? noUsageStore;
  const recorder = opened.use(new UsageRecorder(usageStore.recording, events, log));
  const reservations = store?.reservations ?? new LedgerReservations(usageStore, recorder, clock);
  const gate = opened.use(new UsageGate(reservations, recorder, log));
  const provider = await openPaymentProvider(config);
  return {
    gate,
    recorder,
    usage: new UsageService({ store: usageStore, recorder, gate, clock, ids }),
    payments: new PaymentService(provider, store?.customers ?? noCustomerBindings),
  };
}

/**
 * Stripe's library has more than 200 modules, so it is loaded only where payments are configured.
 */
async function openPaymentProvider({ payments }: Config): Promise<PaymentProvider | undefined> {
  if (payments === undefined) return undefined;
  const { StripePaymentProvider } = await import("../adapters/payment-stripe/index.js");
  return new StripePaymentProvider(payments);
}

/** Dependencies of the orchestrator. */
interface OrchestratorParts extends Basics {
  readonly store: Store;
  readonly sources: DataSources;
  readonly servers: McpServers;
  readonly gate: ToolCallGate;
  readonly access: DataSourceAccess;
  readonly migrations: OpenMigrations;
  readonly policy: Authorizer;
  readonly pricing: ToolCallPricing;
}

/** Without a store a call is only published as an event. */
function keeperOf(
  store: Store | undefined,
  events: EventBus<AuditEvents>,
  basics: Basics,
): KeepToolCall {
  if (store !== undefined) return keepInStore(store.plans, basics);
  return (call) => {
    events.publish("LlmToolCallAuditRecorded", auditEventOf(call));
    return Promise.resolve();
  };
}

function openOrchestrator(
  config: Config,
  {
    store,
    sources,
    servers,
    gate,
    access,
    migrations,
    policy,
    pricing,
    ...basics
  }: OrchestratorParts,
  opened: DisposalStack,
): DurableOrchestrator {
  const { targets, analyzer, reader } = sources;
  const mayApply: MayApply = (caller) => policy.authorize(caller, "migrations:apply");
  const applyMigration = applyMigrationTool(migrations.service, mayApply);
  const jsonTools = new Map([[APPLY_MIGRATION, applyMigration], ...servers.tools]);
  const advisor = new StepHints({
    ...basics,
    schemas: catalogSchemas(migrations.known),
    rows: new TargetCatalogRows({ targets, policy, ...basics }),
  });
  return opened.use(
    new DurableOrchestrator({
      ...basics,
      engine: store.plans,
      approvals: store.approvals,
      tools: buildToolRegistry(config.tools, targets, jsonTools),
      access,
      schemas: migrations.recorder,
      analyzer,
      reader,
      advisor,
      gate,
      policy,
      pricing,
      stepTimeoutMs: config.stepTimeoutMs,
      stepWaitMs: config.stepWaitMs,
      planDeadlineMs: config.planDeadlineMs,
      approvalValidMs: config.approvalValidMs,
    }),
  );
}

async function openConsole(): Promise<ConsoleFiles | "not built"> {
  const directory = installedConsole();
  return directory === undefined ? "not built" : await openConsoleFiles(directory);
}

/** The open ports. Closing them ends streams and answers pending requests within the drain time. */
interface Transports {
  readonly port: number;
  readonly grpcPort: number;
  /** Reloads the TLS certificate. */
  reload(): void;
  close(): Promise<void>;
}

async function openTransports(config: Config, services: Services): Promise<Transports> {
  const { host, port, grpcPort, tls, docs } = config;
  const protectedResource = protectedResourceOf(config.auth.jwt);
  const console = config.console ? await openConsole() : undefined;
  const rest = await openRestServer(services, {
    ...{ version: version(), docs, console, protectedResource },
  });
  const listening = await listen({
    http1: rest.http1,
    ...http2Sides(services, rest.http2, { grpcPort, reflection: docs }),
    host,
    port,
    ...(tls === undefined ? {} : { tls: readTls(tls) }),
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
      await Promise.all([listening.close(DRAIN_MS), rest.close()]);
    },
  };
}
