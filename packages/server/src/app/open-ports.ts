import type { DataSourceAccess } from "@steward/kernel/data-source-access.js";
import type { Config, SettingReport } from "../config/index.js";
import { ApiKeyService, noApiKeys, noBrowserSessions } from "../identity/index.js";
import type { DisposalStack } from "../kernel/disposal.js";
import type { Authorizer } from "../policies/index.js";
import { DirectoryProbe } from "../storage/directory-probe.js";
import type { Store } from "../storage/store.js";
import { authenticator } from "../transport/authentication/authenticate.js";
import type { Services } from "../transport/services.js";
import type { App, ProgramApp } from "./app.js";
import { healthOf, SharedHealth } from "./health.js";
import type { OpenAudit } from "./rooms/audit.js";
import type { Basics } from "./rooms/basics.js";
import { openCatalog } from "./rooms/catalog.js";
import type { DataSources } from "./rooms/data-sources.js";
import { openIdentity } from "./rooms/identity.js";
import type { McpServers } from "./rooms/mcp-servers.js";
import type { OpenMemory } from "./rooms/memory.js";
import type { OpenMigrations } from "./rooms/migrations.js";
import type { OpenPolicies } from "./rooms/policies.js";
import { systemOf } from "./rooms/system.js";
import { openTransports } from "./rooms/transports.js";

/** The services that are open before the ports are, and the rooms that the other services are made of. */
export interface PortParts
  extends
    Basics,
    Pick<
      Services,
      | "orchestrator"
      | "usage"
      | "payments"
      | "retention"
      | "erasures"
      | "webhooks"
      | "quotas"
      | "recordToolCall"
      | "authorize"
      | "useApproval"
      | "countRefusal"
      | "mayDo"
      | "recordOperation"
    > {
  readonly config: Config;
  /** For operators; absent: the options are a program's own. */
  readonly settings: readonly SettingReport[] | undefined;
  readonly store: Store | undefined;
  readonly access: DataSourceAccess;
  readonly policy: Authorizer;
  readonly policies: OpenPolicies;
  readonly audit: OpenAudit;
  readonly memory: OpenMemory;
  readonly state: Services["state"];
  readonly migrations: OpenMigrations;
  readonly sources: DataSources | undefined;
  readonly servers: McpServers;
}

/** The open ports. */
export interface OpenPorts {
  /** What a listening app has beyond one that serves its own program only. */
  readonly listening: Omit<App, keyof ProgramApp>;
  close(): Promise<void>;
}

/**
 * Opens what only requests over the network need, and the ports. This module is loaded when an app listens, because
 * the transports are a third of all modules.
 */
export async function openPorts(parts: PortParts, opened: DisposalStack): Promise<OpenPorts> {
  const { config, store, clock, policies, audit, migrations, memory, settings } = parts;
  const catalog = openCatalog(
    {
      ...{ ...parts, targets: parts.sources?.targets, mcpTools: parts.servers.catalog },
      ...{ schemas: migrations.known, memory: memory.service, provider: memory.provider },
    },
    opened,
  );
  const apiKeys = store?.apiKeys ?? noApiKeys;
  const browserSessions = store?.browserSessions ?? noBrowserSessions;
  const identity = await openIdentity({ ...parts, apiKeys, browserSessions }, opened);
  const probe = new DirectoryProbe(config.dataDir, clock);
  const health = new SharedHealth(healthOf(store, memory, probe), clock);
  const transports = await openTransports(config, {
    ...parts,
    ...audit.entrance({
      authenticate: authenticator(identity.modes),
      signIn: identity.signIn,
      clientAddress: identity.modes.clientAddress,
    }),
    ...{ catalog, health },
    audit: audit.service,
    policies: policies.service,
    memory: memory.service,
    migrations: migrations.service,
    apiKeys: new ApiKeyService(apiKeys, clock, policies.knownRoles),
    metrics: parts.telemetry,
    system: systemOf(config, store, settings),
  });
  const { port, grpcPort } = transports;
  return {
    listening: {
      address: { host: config.host, port, grpcPort },
      reload: () => {
        identity.reload();
        transports.reload();
      },
      announceStop: () => {
        health.stop();
      },
    },
    close: () => transports.close(),
  };
}
