import type { Command } from "commander";
import { present } from "../../kernel/present.js";
import { TOOLSETS_SHAPE } from "../../kernel/toolsets.js";
import type { CliContext } from "../context.js";
import { clientCommand, serverOptions } from "../connection/server-connection.js";
import type { ClientOptions } from "../connection/server-connection.js";

/** `steward mcp`: serves MCP on standard input and output, in front of a running server. */
export function mcpCommand({ env }: CliContext): Command {
  return clientCommand(
    "mcp",
    "Serves MCP on standard input and output, for MCP clients that start a program.",
  )
    .option("--toolsets <list>", `Tools to offer: ${TOOLSETS_SHAPE}; default ask,tools.`)
    .action(async ({ toolsets, ...options }: ClientOptions & { readonly toolsets?: string }) => {
      const { serveMcpOnStdio } = await import("./stdio-bridge.js");
      const server = serverOptions(options, env);
      await serveMcpOnStdio({ ...server, ...present({ toolsets: toolsets?.split(",") }) });
    });
}
