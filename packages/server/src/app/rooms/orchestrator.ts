import type { AuditServiceParts } from "../../audit/index.js";
import { APPLY_MIGRATION, applyMigrationTool } from "../../adapters/apply-migration-tool.js";
import { TargetCatalogRows } from "../../adapters/catalog-rows.js";
import { buildToolRegistry } from "../../adapters/tool-registry.js";
import type { OperationApprovals } from "../../approvals/index.js";
import type { Config } from "../../config/index.js";
import type { ExplainedStatementPolicy, ToolCallGate } from "../../governance/index.js";
import { StepHints } from "../../hints/index.js";
import { ACTIONS, scopesCover } from "../../identity/index.js";
import type { Caller } from "@steward/kernel/caller.js";
import type { StorageGate } from "@steward/kernel/storage-gate.js";
import type { DataSourceAccess } from "@steward/kernel/data-source-access.js";
import type { DisposalStack } from "../../kernel/disposal.js";
import type { EventBus } from "../../kernel/event-bus.js";
import { auditEventOf, type AuditEvents } from "../../kernel/tool-call.js";
import {
  DurableOrchestrator,
  keepInStore,
  type KeepToolCall,
  type Orchestrator,
  recordedOrchestrator,
  RememberedOutputs,
  ShownResults,
  StoredOutputs,
} from "../../plans/index.js";
import type { ToolCallPricing } from "../../plans/ports.js";
import type { Authorizer } from "../../policies/index.js";
import type { Store } from "../../storage/store.js";
import type { Basics } from "./basics.js";
import { catalogSchemas } from "./catalog.js";
import type { DataSources } from "./data-sources.js";
import type { McpServers } from "./mcp-servers.js";
import type { OpenMigrations } from "./migrations.js";

/** Dependencies of the orchestrator. */
export interface OrchestratorParts extends Basics {
  readonly store: Store;
  readonly sources: DataSources;
  readonly servers: McpServers;
  readonly gate: ToolCallGate;
  readonly storage: StorageGate;
  readonly access: DataSourceAccess;
  readonly migrations: OpenMigrations;
  readonly policy: Authorizer;
  /** The policies that decide on the statements of plans. */
  readonly statementPolicy: ExplainedStatementPolicy;
  readonly pricing: ToolCallPricing;
  /** The approvals of operations, which are decided together with those of statements. */
  readonly approvals: OperationApprovals | undefined;
}

/** The open orchestrator. */
interface OpenOrchestrator {
  readonly orchestrator: DurableOrchestrator;
  /** Who may have the outputs that the memory repeats. */
  readonly remembered: RememberedOutputs;
  /** Who may have the errors that the audit log repeats. */
  readonly visibleErrors: AuditServiceParts["visibleErrors"];
}

/** Opens the service's own orchestrator, which runs steps on the data sources. */
export function openOrchestrator(
  config: Config,
  {
    store,
    sources,
    servers,
    gate,
    storage,
    access,
    migrations,
    policy,
    statementPolicy,
    pricing,
    approvals: operations,
    ...basics
  }: OrchestratorParts,
  opened: DisposalStack,
): OpenOrchestrator {
  const { targets, analyzer, reader } = sources;
  const applyMigration = applyMigrationTool(migrations.service, {
    mayApply: async (caller) => policy.authorize(caller, "migrations:apply"),
    looksAtData: (...asked) => policy.looksAtData(...asked),
  });
  const jsonTools = new Map([[APPLY_MIGRATION, applyMigration], ...servers.tools]);
  const advisor = new StepHints({
    ...basics,
    schemas: catalogSchemas(migrations.known),
    rows: new TargetCatalogRows({ targets, policy, ...basics }),
    openSources: (caller) =>
      [...targets.keys()].filter((name) => access.refusal(caller, name) === undefined),
  });
  const tools = buildToolRegistry(config.tools, targets, jsonTools);
  const { stepWaitMs } = config;
  // A search that leaves out an entry refuses nobody anything: it makes no record of a refusal.
  const outputs = new StoredOutputs({ policy, tools, reader, stepWaitMs });
  const remembered = new RememberedOutputs({ policy, engine: store.plans, outputs });
  const orchestrator = opened.use(
    new DurableOrchestrator({
      ...basics,
      engine: store.plans,
      approvals: store.approvals,
      operations,
      tools,
      access,
      schemas: migrations.recorder,
      analyzer,
      reader,
      advisor,
      gate,
      storage,
      policy: statementPolicy,
      readPolicy: policy,
      mayReadAll: (caller) => mayReadAll(policy, caller),
      isRevoked: async (orgId, keyId) => {
        const key = await store.apiKeys.find(keyId);
        return key?.orgId !== orgId || key.revokedAtMs !== undefined;
      },
      mayDo: (caller, action) => mayDo(policy, caller, action),
      pricing,
      stepTimeoutMs: config.stepTimeoutMs,
      sourceTimeoutsMs: new Map(
        config.dataSources.flatMap(({ name, timeoutMs }) =>
          timeoutMs === undefined ? [] : [[name, timeoutMs]],
        ),
      ),
      stepWaitMs,
      planDeadlineMs: config.planDeadlineMs,
      approvalValidMs: config.approvalValidMs,
    }),
  );
  const errors = new ShownResults({ engine: store.plans, outputs });
  return {
    ...{ orchestrator, remembered },
    visibleErrors: (reader) => {
      const refusalOf = errors.inRecords(reader, reader.signal);
      return async (...recorded) => (await refusalOf(...recorded)) === undefined;
    },
  };
}

/** A right that needs an approval is none: nobody can be asked for it. */
async function mayReadAll(policy: Authorizer, caller: Caller): Promise<boolean> {
  const { permitted } = await policy.explain(caller, "plans:read_all");
  return permitted && scopesCover(caller.scopes, "plans:read_all");
}

/** Nobody has the right to an action that this version does not know. */
async function mayDo(policy: Authorizer, caller: Caller, action: string): Promise<boolean> {
  const known = ACTIONS.find((each) => each === action);
  return known !== undefined && policy.mayDo(caller, known);
}

/**
 * Records the tool calls of an orchestrator that the embedding program provides.
 */
export function recorded(
  orchestrator: Orchestrator,
  store: Store | undefined,
  events: EventBus<AuditEvents>,
  basics: Basics,
): Orchestrator {
  return recordedOrchestrator(orchestrator, { ...basics, keep: keeperOf(store, events, basics) });
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
