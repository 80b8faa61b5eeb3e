import { type Intent, type McpServer, mcpToolName } from "../../governance/index.js";
import { failureOf } from "./call-failure.js";
import { McpConnection } from "./mcp-connection.js";
import { accessTokensFor, type Grants } from "./oauth/index.js";
import type { PinFile, Pins } from "./pin-file.js";
import { differencesOf, digestOf, type ToolDefinition } from "./tool-definition.js";

/** The present definition of a listed tool, compared with the accepted one. */
export interface ToolState {
  /** Its name in plans. */
  readonly name: string;
  readonly server: string;
  readonly intent: Intent;
  /**
   * `new`: never accepted. `missing`: the server does not offer it. `unreachable`: the server could
   * not be asked.
   */
  readonly state: "pinned" | "new" | "changed" | "missing" | "unreachable";
  /** Members of the definition that changed. */
  readonly differences: readonly string[];
  /** As accepted. */
  readonly pinned?: ToolDefinition;
  /** As the server defines it now. */
  readonly offered?: ToolDefinition;
  /** Why the server could not be asked. */
  readonly problem?: string;
}

/** The stored pins and grants of other MCP servers, and how to ask them. */
export interface KnownOfServers {
  readonly pins: Pins;
  readonly grants: Grants;
  /** The standard error of programs on stdio: dropped, or shown to the person at a terminal. */
  readonly stderr?: "ignore" | "inherit";
}

/** Asks every server for its tools, and compares those that are listed with what was accepted. */
export async function toolStates(
  servers: readonly McpServer[],
  { pins, ...asking }: KnownOfServers,
  signal: AbortSignal,
): Promise<readonly ToolState[]> {
  const states = await Promise.all(
    servers.map(async (server) => {
      return statesOf(server, pins, await definitionsOf(server, asking, signal));
    }),
  );
  return states.flat();
}

/** Accepts the present definitions of these tools; other pins stay as they are. */
export function acceptTools(
  states: readonly ToolState[],
  accepted: ReadonlySet<string>,
  pins: PinFile,
): void {
  pins.write(
    states.flatMap(({ name, server, pinned, offered }) => {
      const definition = accepted.has(name) ? (offered ?? pinned) : pinned;
      return definition === undefined ? [] : [{ server, definition }];
    }),
  );
}

/** @param offered the server's tools, or why it could not be asked. */
function statesOf(
  server: McpServer,
  pins: Pins,
  offered: readonly ToolDefinition[] | string,
): readonly ToolState[] {
  return server.tools.map(({ name: tool, intent }) => {
    const name = mcpToolName(server.name, tool);
    const pinned = pins.get(name);
    const known = {
      name,
      server: server.name,
      intent,
      ...(pinned === undefined ? {} : { pinned }),
    };
    if (typeof offered === "string") {
      return { ...known, state: "unreachable", differences: [], problem: offered };
    }
    const present = offered.find((each) => each.name === tool);
    if (present === undefined) return { ...known, state: "missing", differences: [] };
    if (pinned === undefined) return { ...known, state: "new", differences: [], offered: present };
    const isSame = digestOf(pinned) === digestOf(present);
    const differences = differencesOf(pinned, present);
    return { ...known, state: isSame ? "pinned" : "changed", differences, offered: present };
  });
}

/** The tools of a server, or why it could not be asked. */
async function definitionsOf(
  server: McpServer,
  { grants, stderr = "inherit" }: Omit<KnownOfServers, "pins">,
  signal: AbortSignal,
): Promise<readonly ToolDefinition[] | string> {
  const { endpoint } = server;
  const access = accessTokensFor(server, grants)?.forConnection();
  try {
    await using connection = await McpConnection.open({ endpoint, access, signal, stderr });
    return await connection.definitions(signal);
  } catch (error) {
    return failureOf(error).message;
  }
}
