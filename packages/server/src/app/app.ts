import { remoteProviderHost } from "./rooms/embedding.js";
import { openAudit } from "./rooms/audit.js";
import { type Basics, basicsOf } from "./rooms/basics.js";
import { openBilling } from "./rooms/billing.js";
import { openCatalog } from "./rooms/catalog.js";
import { openDataSources } from "./rooms/data-sources.js";
import { healthOf, SharedHealth } from "./health.js";
import { openIdentity } from "./rooms/identity.js";
import { openMcpServers } from "./rooms/mcp-servers.js";
import { openMemory } from "./rooms/memory.js";
import { openMigrations } from "./rooms/migrations.js";
import { openOrchestrator, recorded } from "./rooms/orchestrator.js";
import { openPolicies } from "./rooms/policies.js";
import { openRetention } from "./rooms/retention.js";
import { openState } from "./rooms/state.js";
import { openStorageQuota } from "./rooms/storage-quota.js";
import { openStore } from "./rooms/store.js";
import { systemOf } from "./rooms/system.js";
import { toolCallRecorder } from "./rooms/tool-calls.js";
import { openTransports } from "./rooms/transports.js";
import { agentRights, type AgentRights } from "./agent-rights.js";
import { OperationApprovals } from "../approvals/index.js";
import { loadConfig, type Config, type SettingReport } from "../config/index.js";
import type { EmbeddingProvider } from "../embedding/index.js";
import { publishToolCalls } from "../governance/index.js";
import { ApiKeyService, noApiKeys, noBrowserSessions } from "../identity/index.js";
import { DataSourceAccess } from "@steward/kernel/data-source-access.js";
import { DisposalStack } from "../kernel/disposal.js";
import { EventBus } from "../kernel/event-bus.js";
import type { AuditEvents } from "../kernel/tool-call.js";
import { NoopOrchestrator, type Orchestrator } from "../plans/index.js";
import { DirectoryProbe } from "../storage/directory-probe.js";
import { assertPrivate } from "../storage/private-files.js";
import { assertSafeToListen, authenticator } from "../transport/authentication/authenticate.js";
import { notApprovable } from "../transport/approvals/approved-operation.js";
import type { UseApproval } from "../transport/services.js";
import { OrganizationQuotas } from "../transport/organization-quotas.js";

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
  /** What an agent with the role agent may do now, in the organization of callers who name none. */
  agentRights(): Promise<AgentRights>;
  /** Reloads the TLS certificate and the keys of the OpenID provider; SIGHUP does so too. */
  reload(): void;
}

/** Any part of a {@link Config}, and components that an embedding program provides itself. */
export interface AppOptions
  extends Partial<Omit<Config, "embedding">>, Partial<Pick<Basics, "log" | "clock" | "ids">> {
  readonly embedding?: Partial<Config["embedding"]>;
  /**
   * The settings that the options were read from, for operators, secrets masked; absent: the options
   * are a program's own.
   */
  readonly settings?: readonly SettingReport[];
  /**
   * Whether an agent's credential only reads in an organization that has never put policies into
   * force; absent: it may do what its roles permit.
   */
  readonly agentsOnlyRead?: boolean;
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
}

/**
 * Starts the service and resolves when it accepts requests. This is the composition root: `app/` is
 * the only room that names concrete classes. Missing options have the defaults of the settings with
 * the same names.
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

/**
 * Opens the rooms from the store to the ports. Each one that has something to close adds itself to
 * `opened`, which closes them in reverse.
 */
async function openRooms(config: Config, options: AppOptions, opened: DisposalStack): Promise<App> {
  const basics = basicsOf(options, config.logLevel);
  const { clock, ids } = basics;
  const events = new EventBus<AuditEvents>(basics.log);

  const { store, webhooks, notices } = await openStore(config, basics, opened);
  const storage = openStorageQuota(config, basics, store, opened);
  const policies = openPolicies({
    ...{ clock, store: store?.policies, rowsChangedMax: config.rowsChangedMax },
    agentsOnlyRead: options.agentsOnlyRead,
    providerIsRemote: isProviderRemote(config, options),
  });
  const { authorizer: policy } = policies;
  const audit = await openAudit({ ...basics, config, policy, store: store?.audit }, opened);
  const state = openState({ ...basics, config, storage, origin: store?.stateOrigin }, opened);

  const servers = openMcpServers(config, clock, opened);
  const databases = [...config.dataSources, ...servers.access];
  const access = new DataSourceAccess(databases, config.organization);
  const migrations = await openMigrations({
    ...{ ...basics, config, access, repositories: state.repositories },
    mayDefineCode: (caller) => policy.authorize(caller, "migrations:code"),
  });

  const memory = await openMemory(
    {
      ...{ ...basics, config, store, storage, provider: options.embeddingProvider },
      relatedTables: migrations.relatedTables,
      mayRemember: (call) => policy.mayRemember(call),
    },
    opened,
  );
  const { gate, recorder, ...billing } = await openBilling(
    { ...basics, config, store, storage, events, notices },
    opened,
  );
  if (store !== undefined) opened.use(await publishToolCalls(store.toolCalls, events));

  const sources = store && (await openDataSources(config, basics.log, opened));
  const retention = openRetention(
    {
      ...{ ...basics, config, store, memory, recorder, state: state.erasure },
      ...{ flushAudit: audit.flush, targets: sources?.targets ?? new Map() },
    },
    opened,
  );
  const approvals =
    store &&
    new OperationApprovals({
      ...{ clock, ids, index: store.approvals, validMs: config.approvalValidMs },
      record: audit.recordOperation,
    });
  const own =
    store &&
    sources &&
    openOrchestrator(
      config,
      {
        ...{ ...basics, store, storage, sources, servers, gate, access, migrations, policy },
        ...{ statementPolicy: audit.statementPolicy, approvals },
        pricing: billing.usage,
      },
      opened,
    );
  const orchestrator =
    options.orchestrator === undefined
      ? (own ?? new NoopOrchestrator())
      : recorded(options.orchestrator, store, events, basics);
  const catalog = openCatalog(
    {
      ...{ ...basics, config, access, policy, targets: sources?.targets },
      mcpTools: servers.catalog,
      ...{ schemas: migrations.known, memory: memory.service, provider: memory.provider },
    },
    opened,
  );

  const apiKeys = store?.apiKeys ?? noApiKeys;
  const browserSessions = store?.browserSessions ?? noBrowserSessions;
  const identity = await openIdentity({ ...basics, config, apiKeys, browserSessions }, opened);
  const health = healthOf(store, memory, new DirectoryProbe(config.dataDir, clock));
  const transports = await openTransports(config, {
    ...{ ...basics, ...billing, ...retention, orchestrator, catalog, webhooks },
    ...audit.guards(
      authenticator(identity.modes),
      identity.signIn,
      // Another orchestrator shows no approvals, so that nobody could decide about them.
      useApprovalOf(orchestrator === own ? approvals : undefined),
    ),
    audit: audit.service,
    policies: policies.service,
    memory: memory.service,
    state: state.service,
    migrations: migrations.service,
    apiKeys: new ApiKeyService(apiKeys, clock, policies.knownRoles),
    quotas: new OrganizationQuotas(config.quotas, clock),
    recordToolCall: toolCallRecorder({ usage: store && billing.usage, events, ids }),
    health: new SharedHealth(health, clock),
    metrics: basics.telemetry,
    system: systemOf(config, store, options.settings),
  });
  opened.use({
    // The ports and the orchestrator close at the same time, so that they share one drain time: no
    // new step starts, streams end, and requests in progress are answered.
    async [Symbol.asyncDispose]() {
      await Promise.all([transports.close(), own?.[Symbol.asyncDispose]()]);
    },
  });

  const { port, grpcPort } = transports;
  return {
    address: { host: config.host, port, grpcPort },
    orchestrator,
    events,
    agentRights: () =>
      agentRights(policy, config.organization, config.dataSources[0]?.name ?? "data"),
    reload: () => {
      identity.reload();
      transports.reload();
    },
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

/** It is unknown where a program's own provider sends texts, so it counts as remote. */
function isProviderRemote({ embedding }: Config, { embeddingProvider }: AppOptions): boolean {
  return embeddingProvider !== undefined || remoteProviderHost(embedding) !== undefined;
}

function useApprovalOf(approvals: OperationApprovals | undefined): UseApproval {
  return (caller, operation, needs) => {
    const [needed] = needs;
    // Who decides about approvals would need an approval for that.
    const isApprovable = !needed.action.startsWith("approvals:");
    if (approvals === undefined || operation === undefined || !isApprovable) {
      return Promise.reject(notApprovable(needed));
    }
    return approvals.use(caller, operation, needs);
  };
}
