import { remoteProviderHost } from "./rooms/embedding.js";
import { openAudit } from "./rooms/audit.js";
import { type Basics, basicsOf } from "./rooms/basics.js";
import { openBilling } from "./rooms/billing.js";
import { openDataSources } from "./rooms/data-sources.js";
import { ClockWatch } from "./clock-watch.js";
import { openMcpServers } from "./rooms/mcp-servers.js";
import { openMemory } from "./rooms/memory.js";
import { openMigrations } from "./rooms/migrations.js";
import { openOrchestrator, recorded } from "./rooms/orchestrator.js";
import { openPolicies } from "./rooms/policies.js";
import { openRetention } from "./rooms/retention.js";
import { openState } from "./rooms/state.js";
import { openStorageQuota } from "./rooms/storage-quota.js";
import { openStore } from "./rooms/store.js";
import { toolCallRecorder } from "./rooms/tool-calls.js";
import { agentRights, type AgentRights } from "./agent-rights.js";
import { OperationApprovals } from "../approvals/index.js";
import {
  assertDatabaseUrls,
  loadConfig,
  type Config,
  type SettingReport,
} from "../config/index.js";
import type { EmbeddingProvider } from "../embedding/index.js";
import { publishToolCalls } from "../governance/index.js";
import { DataSourceAccess } from "@steward/kernel/data-source-access.js";
import { DisposalStack } from "../kernel/disposal.js";
import { EventBus } from "../kernel/event-bus.js";
import type { AuditEvents } from "../kernel/tool-call.js";
import { NoopOrchestrator, type Orchestrator } from "../plans/index.js";
import { neverApproved } from "../policies/index.js";
import { assertPrivate } from "../storage/private-files.js";
import { assertSafeToListen } from "../transport/authentication/authenticate.js";
import { notApprovable } from "../transport/approvals/approved-operation.js";
import { type NamingServices, resolveNames } from "../transport/approvals/resolve-names.js";
import {
  ProgramCalls,
  type ProgramClient,
  programClient,
  type ProgramIdentity,
} from "../transport/in-process/index.js";
import type { UseApproval } from "../transport/services.js";
import { OrganizationQuotas } from "../transport/organization-quotas.js";

/**
 * A running service for its own program. Disposing of it finishes the calls in progress, then closes everything.
 */
export interface ProgramApp extends AsyncDisposable {
  /**
   * What a client offers of the service, without a wire. The program vouches for the identity.
   * @throws StewardError when the identity is malformed, or names no organization.
   */
  as(identity: ProgramIdentity): ProgramClient;
  readonly orchestrator: Orchestrator;
  /** Events that the process publishes, such as `LlmToolCallAuditRecorded`. */
  readonly events: EventBus<AuditEvents>;
  /** What an agent with the role agent may do now, in the organization of callers who name none. */
  agentRights(): Promise<AgentRights>;
}

/** A running service that listens. Disposing of it also finishes the requests in progress. */
export interface App extends ProgramApp {
  readonly address: {
    readonly host: string;
    readonly port: number;
    /** The same as `port`, unless gRPC has its own. */
    readonly grpcPort: number;
  };
  /** Reloads the TLS certificate and the keys of the OpenID provider; SIGHUP does so too. */
  reload(): void;
  /**
   * From now on the service is not ready, so that a load balancer sends no more requests; it still
   * takes them until it is disposed of.
   */
  announceStop(): void;
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

/** The options of an app that does not listen. */
export interface ProgramAppOptions extends Omit<AppOptions, "port"> {
  readonly port: false;
}

/**
 * Starts the service and resolves when it accepts requests; with `port: false` nothing listens. This is the composition
 * root: `app/` is the only room that names concrete classes. Missing options have the defaults of the settings with the
 * same names.
 * @throws AppError when it cannot start safely; nothing stays open then.
 */
export function openApp(options: ProgramAppOptions): Promise<ProgramApp>;
export function openApp(options?: AppOptions): Promise<App>;
export async function openApp(
  options: AppOptions | ProgramAppOptions = {},
): Promise<App | ProgramApp> {
  const defaults = await loadConfig({ env: {} });
  const embedding = { ...defaults.embedding, ...options.embedding };
  const { port = defaults.port } = options;
  const config: Config = { ...defaults, ...options, embedding, port: port === false ? 0 : port };
  assertDatabaseUrls(config);
  if (port !== false) assertSafeToListen(config.host, config.auth.headers);
  assertPrivate(config.dataDir);
  const opened = new DisposalStack();
  try {
    return await openRooms(config, { ...options, listens: port !== false }, opened);
  } catch (error) {
    await opened[Symbol.asyncDispose]();
    throw error;
  }
}

/**
 * Opens the rooms from the store to the ports. Each one that has something to close adds itself to
 * `opened`, which closes them in reverse.
 */
async function openRooms(
  config: Config,
  options: Omit<AppOptions, "port"> & { readonly listens: boolean },
  opened: DisposalStack,
): Promise<App | ProgramApp> {
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
  const audit = await openAudit(
    {
      ...{ ...basics, config, policy, store: store?.audit },
      // Asked by requests, when everything is open.
      visibleErrors: (reader) => own?.visibleErrors(reader) ?? (() => Promise.resolve(true)),
    },
    opened,
  );
  const state = openState({ ...basics, config, storage, origin: store?.stateOrigin }, opened);

  const servers = openMcpServers(config, clock, opened);
  const databases = [...config.dataSources, ...servers.access];
  const vetted = config.tools.tools.map(({ name, vetted }) => ({ ...vetted, name }));
  const access = new DataSourceAccess(databases, config.organization, vetted);
  const migrations = await openMigrations({
    ...{ ...basics, config, access, policy, repositories: state.repositories },
  });

  const memory = await openMemory(
    {
      ...{ ...basics, config, store, storage, provider: options.embeddingProvider },
      relatedTables: migrations.relatedTables,
      mayRemember: (call) => policy.mayRemember(call),
      // Asked by requests, when everything is open; without a store there is no memory.
      refusals: (...asked) =>
        own?.remembered.refusals(...asked) ?? (() => Promise.resolve(undefined)),
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
      ? (own?.orchestrator ?? new NoopOrchestrator())
      : recorded(options.orchestrator, store, events, basics);
  opened.use(new ClockWatch({ clock, log: basics.log }));
  const guarded = {
    ...{ ...basics, orchestrator, quotas: new OrganizationQuotas(config.quotas, clock) },
    // Another orchestrator shows no approvals, so that nobody could decide about them.
    ...audit.guards(
      useApprovalOf(orchestrator === own?.orchestrator ? approvals : undefined, {
        ...{ state: state.service, migrations: migrations.service, orchestrator },
      }),
    ),
  };
  const calls = new ProgramCalls(guarded);
  const ports = options.listens
    ? await (
        await import("./open-ports.js")
      ).openPorts(
        {
          ...{ ...guarded, ...billing, ...retention, webhooks, config, store, access, policy },
          ...{ policies, audit, memory, migrations, sources, servers, state: state.service },
          recordToolCall: toolCallRecorder({ usage: store && billing.usage, events, ids }),
          settings: options.settings,
        },
        opened,
      )
    : undefined;
  opened.use({
    // The ports, the program's calls and the orchestrator close at the same time, so that they share one drain time: no
    // new step starts, streams end, and what is in progress is answered.
    async [Symbol.asyncDispose]() {
      await Promise.all([
        ports?.close(),
        calls[Symbol.asyncDispose](),
        own?.orchestrator[Symbol.asyncDispose](),
      ]);
    },
  });

  return {
    as: (identity) => programClient(calls, identity, config.organization),
    orchestrator,
    events,
    agentRights: () =>
      agentRights(policy, config.organization, config.dataSources[0]?.name ?? "data"),
    ...ports?.listening,
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

/** It is unknown where a program's own provider sends texts, so it counts as remote. */
function isProviderRemote({ embedding }: Config, { embeddingProvider }: AppOptions): boolean {
  return embeddingProvider !== undefined || remoteProviderHost(embedding) !== undefined;
}

function useApprovalOf(
  approvals: OperationApprovals | undefined,
  services: NamingServices,
): UseApproval {
  return async (caller, operation, needs) => {
    const [needed] = needs;
    const isApprovable = neverApproved([needed.action]).length === 0;
    if (approvals === undefined || operation === undefined || !isApprovable) {
      throw notApprovable(needed);
    }
    return approvals.use(caller, await resolveNames(services, caller, operation), needs);
  };
}
