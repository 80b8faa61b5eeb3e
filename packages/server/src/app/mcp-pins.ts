import {
  acceptTools,
  GrantFile,
  PinFile,
  type ToolState,
  toolStates,
} from "../adapters/mcp-client/index.js";
import { systemClock } from "@steward/kernel/clock.js";
import { inDataDirectory, type Config } from "../config/index.js";

export type { ToolState };

/** The listed tools of other MCP servers, and the operator's decisions about their definitions. */
export interface McpPins {
  readonly states: readonly ToolState[];
  /** Where accepted definitions are stored; absent: without a tools file there are no tools. */
  readonly file: string | undefined;
  /** Accepts the present definitions of the tools with these names. */
  accept(names: ReadonlySet<string>): void;
}

/**
 * Asks the configured servers for their tools. A program on stdio is started, and ended after its answer.
 * @param stderr where the programs' own words go.
 */
export async function lookAtMcpTools(
  { tools: { mcpServers = [], pinsFile }, dataDir }: Pick<Config, "tools" | "dataDir">,
  signal: AbortSignal,
  stderr: "ignore" | "inherit" = "inherit",
): Promise<McpPins> {
  const pins = new PinFile(pinsFile);
  const grants = { file: new GrantFile(inDataDirectory(dataDir, "mcpGrants")), clock: systemClock };
  const states = await toolStates(mcpServers, { pins: pins.read(), grants, stderr }, signal);
  return {
    states,
    file: pinsFile,
    accept: (names) => {
      acceptTools(states, names, pins);
    },
  };
}
