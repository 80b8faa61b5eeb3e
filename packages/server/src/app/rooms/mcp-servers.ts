import {
  Connections,
  GrantFile,
  mcpToolAccess,
  mcpTools,
  PinFile,
} from "../../adapters/mcp-client/index.js";
import type { CatalogMcpTool } from "../../catalog/ports.js";
import { inDataDirectory, type Config } from "../../config/index.js";
import { mcpToolName } from "../../governance/index.js";
import type { BoundDataSource } from "@steward/kernel/data-source-access.js";
import { AppError } from "@steward/kernel/errors.js";
import type { Clock } from "@steward/kernel/clock.js";
import type { DisposalStack } from "../../kernel/disposal.js";
import type { JsonTool } from "../../plans/ports.js";

/** The tools of other MCP servers that steps may call. */
export interface McpServers {
  /** By their names in plans. */
  readonly tools: ReadonlyMap<string, JsonTool>;
  /** The organizations that may use each of them. */
  readonly access: readonly BoundDataSource[];
  readonly catalog: readonly CatalogMcpTool[];
}

/** Nothing is connected before a step calls a tool. */
export function openMcpServers(
  {
    tools: { mcpServers = [], pinsFile },
    stepWaitMs,
    dataDir,
  }: Pick<Config, "tools" | "stepWaitMs" | "dataDir">,
  clock: Clock,
  opened: DisposalStack,
): McpServers {
  const pins = new PinFile(pinsFile);
  // A file that cannot be used stops the start.
  pins.read();
  const connections = opened.use(
    new Connections(stepWaitMs, {
      file: new GrantFile(inDataDirectory(dataDir, "mcpGrants")),
      clock,
    }),
  );
  return {
    tools: mcpTools(mcpServers, { connections, pins }),
    access: mcpToolAccess(mcpServers),
    catalog: mcpServers.flatMap((server) =>
      server.tools.map(({ name: tool, intent }) => {
        const name = mcpToolName(server.name, tool);
        return { name, intent, definition: () => acceptedIn(pins, name) };
      }),
    ),
  };
}

/** A file that became unusable hides the tools from the catalog; a step that calls one says why. */
function acceptedIn(pins: PinFile, name: string): ReturnType<CatalogMcpTool["definition"]> {
  try {
    return pins.read().get(name);
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}
