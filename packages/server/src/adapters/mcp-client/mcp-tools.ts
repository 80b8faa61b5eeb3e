import type { BoundDataSource } from "@steward/kernel/data-source-access.js";
import { AppError } from "@steward/kernel/errors.js";
import { type McpServer, mcpToolName } from "../../governance/index.js";
import { compileJsonTemplate, type JsonTool } from "../../plans/ports.js";
import type { Connections } from "./connections.js";
import { McpToolTarget } from "./mcp-tool-target.js";
import type { PinFile } from "./pin-file.js";

/** The listed tools of other MCP servers, by their names in plans. */
export function mcpTools(
  servers: readonly McpServer[],
  { connections, pins }: { readonly connections: Connections; readonly pins: PinFile },
): ReadonlyMap<string, JsonTool> {
  return new Map(
    servers.flatMap((server) =>
      server.tools.map(({ name: tool, intent }) => {
        const target = new McpToolTarget({ server, tool, connections, pins });
        return [target.name, toolOf(target, intent, pins)];
      }),
    ),
  );
}

function toolOf(target: McpToolTarget, intent: JsonTool["intent"], pins: PinFile): JsonTool {
  return {
    target,
    intent,
    compile: (template) => {
      if (!pins.read().has(target.name)) {
        const reason = `the definition of ${target.name} has not been accepted: an operator runs \`steward tools pin ${target.name}\``;
        throw new AppError("INVALID_PLAN", reason);
      }
      return compileJsonTemplate(template);
    },
  };
}

/** The listed tools with the organizations that may use them. */
export function mcpToolAccess(servers: readonly McpServer[]): readonly BoundDataSource[] {
  return servers.flatMap(({ name, organizations, tools }) =>
    tools.map((tool) => ({
      name: mcpToolName(name, tool.name),
      listedUnder: "mcp_servers" as const,
      ...(organizations === undefined ? {} : { organizations }),
    })),
  );
}
