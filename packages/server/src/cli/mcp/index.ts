import type { Command } from "commander";
import type { CliContext } from "../context.js";
import { clientCommand, serverOptions } from "../connection/server-connection.js";
import type { ClientOptions } from "../connection/server-connection.js";

/** `steward mcp`: serves MCP on standard input and output, in front of a running server. */
export function mcpCommand({ env }: CliContext): Command {
  return clientCommand(
    "mcp",
    "Serves MCP on standard input and output, for MCP clients that start a program.",
  ).action(async (options: ClientOptions) => {
    const { serveMcpOnStdio } = await import("./stdio-bridge.js");
    await serveMcpOnStdio(serverOptions(options, env));
  });
}
