import { acceptTools, PinFile, type ToolState, toolStates } from "../adapters/mcp-client/index.js";
import type { Config } from "../config/index.js";

export type { ToolState };

/** The listed tools of other MCP servers, and what an operator may do about them. */
export interface McpPins {
  readonly states: readonly ToolState[];
  /** Where accepted definitions are stored; absent: without a tools file there are no tools. */
  readonly file: string | undefined;
  /** Accepts the present definitions of the tools with these names. */
  accept(names: ReadonlySet<string>): void;
}

/** Asks the configured servers for their tools. */
export async function lookAtMcpTools(
  { tools: { mcpServers = [], pinsFile } }: Pick<Config, "tools">,
  signal: AbortSignal,
): Promise<McpPins> {
  const pins = new PinFile(pinsFile);
  const states = await toolStates(mcpServers, pins.read(), signal);
  return {
    states,
    file: pinsFile,
    accept: (names) => {
      acceptTools(states, names, pins);
    },
  };
}
