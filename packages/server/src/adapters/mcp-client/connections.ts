import { FairSemaphore } from "@steward/kernel/concurrency/fair-semaphore.js";
import type { McpServer } from "../../governance/index.js";
import { MCP_CALLS_MAX, ORG_WAITING_MAX } from "../limits.js";
import { McpConnection } from "./mcp-connection.js";
import { type AccessTokens, accessTokensFor, type Grants } from "./oauth/index.js";

/** Opens a connection to the server. */
export type OpenConnection = (signal: AbortSignal) => Promise<McpConnection>;

interface ServerState {
  readonly turns: FairSemaphore;
  readonly tokens: AccessTokens | undefined;
  /**
   * Learnt from the last connection, so that the server need not be asked for newer revisions
   * again.
   */
  isLegacy: boolean;
}

/** The connections to other MCP servers: one for each call, a limited number at a time. */
export class Connections implements AsyncDisposable {
  readonly #waitMs: number;
  readonly #grants: Grants;
  readonly #servers = new Map<string, ServerState>();
  readonly #closing = new Set<Promise<void>>();

  /** @param waitMs how long a call may wait for its turn. */
  constructor(waitMs: number, grants: Grants) {
    this.#waitMs = waitMs;
    this.#grants = grants;
  }

  /**
   * Runs `work` on a connection to a server, when it is the organization's turn.
   * @throws AppError `OVERLOADED` when the turn did not come in time; else what the work throws.
   */
  run<T>(orgId: string, server: McpServer, work: (open: OpenConnection) => Promise<T>): Promise<T> {
    const state = this.#stateOf(server);
    return state.turns.run(orgId, () => work((signal) => this.#open(server, state, signal)));
  }

  /** Closes a connection. A process may take a moment to end, and the step need not wait for it. */
  release(connection: McpConnection): void {
    const closed = connection[Symbol.asyncDispose]().finally(() => this.#closing.delete(closed));
    this.#closing.add(closed);
  }

  /** Waits for the connections that are being closed. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#closing);
  }

  async #open(
    { endpoint }: McpServer,
    state: ServerState,
    signal: AbortSignal,
  ): Promise<McpConnection> {
    const { isLegacy, tokens } = state;
    state.isLegacy = false;
    const access = tokens?.forConnection();
    const connection = await McpConnection.open({ endpoint, access, signal, isLegacy });
    ({ isLegacy: state.isLegacy } = connection);
    return connection;
  }

  #stateOf(server: McpServer): ServerState {
    const { name } = server;
    const known = this.#servers.get(name);
    if (known !== undefined) return known;
    const turns = new FairSemaphore({
      slotsMax: MCP_CALLS_MAX,
      waitingMax: ORG_WAITING_MAX,
      waitMs: this.#waitMs,
      name: `calls of the MCP server ${name}`,
    });
    const state = { turns, tokens: accessTokensFor(server, this.#grants), isLegacy: false };
    this.#servers.set(name, state);
    return state;
  }
}
