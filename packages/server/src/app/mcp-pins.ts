import {
  acceptTools,
  GrantFile,
  PinFile,
  type ToolState,
  toolStates,
} from "../adapters/mcp-client/index.js";
import { systemClock } from "@steward/kernel/clock.js";
import { type Config, mcpGrantsFile } from "../config/index.js";

export type { ToolState };

/** The listed tools of other MCP servers, and the operator's decisions about their definitions. */
export interface McpPins {
  readonly states: readonly ToolState[];
  /** Where accepted definitions are stored; absent: without a tools file there are no tools. */
  readonly file: string | undefined;
  /** Accepts the present definitions of the tools with these names. */
  accept(names: ReadonlySet<string>): void;
}

/** Asks the configured servers for their tools. */
export async function lookAtMcpTools(
  { tools: { mcpServers = [], pinsFile }, dataDir }: Pick<Config, "tools" | "dataDir">,
  signal: AbortSignal,
): Promise<McpPins> {
  const pins = new PinFile(pinsFile);
  const grants = { file: new GrantFile(mcpGrantsFile(dataDir)), clock: systemClock };
  const states = await toolStates(mcpServers, { pins: pins.read(), grants }, signal);
  return {
    states,
    file: pinsFile,
    accept: (names) => {
      acceptTools(states, names, pins);
    },
  };
}
