import {
  type AuthProvider,
  type CallToolResult,
  Client,
  isInputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  SdkError,
  SdkErrorCode,
  StreamableHTTPClientTransport,
  type Tool,
  type Transport,
} from "@modelcontextprotocol/client";
import type { JsonValue } from "@steward/kernel/canonical-json.js";
import type { McpEndpoint } from "../../governance/index.js";
import { version } from "../../version.js";
import { MCP_CONNECT_MS, MCP_DEFINITION_BYTES_MAX, MCP_TOOLS_PAGES_MAX } from "../limits.js";
import { limitedFetch } from "./limited-fetch.js";
import { LimitedStdioTransport } from "./limited-stdio.js";
import { type InputAsked, PersonAsked, questionsIn } from "./person-asked.js";
import type { JsonObject, ToolDefinition } from "./tool-definition.js";

/** Options of a connection. */
export interface ConnectionOptions {
  readonly endpoint: McpEndpoint;
  /** Gives the access tokens of a server that wants them; absent: its headers are enough. */
  readonly access?: AuthProvider | undefined;
  /** The process's standard error: dropped, or shown to the person at a terminal. */
  readonly stderr?: "ignore" | "inherit";
  /** Aborted when the caller that needs the connection gives up. */
  readonly signal: AbortSignal;
  /** Whether the server is known to speak a revision before 2026-07-28 only. */
  readonly isLegacy?: boolean;
}

/**
 * A connection to another MCP server, for one call. No session outlives the call, and no two
 * organizations share a connection. The server is not trusted: everything that it sends is limited,
 * the client offers it no capabilities, and links in its answers are not followed. The first
 * protocol error ends the connection.
 */
export class McpConnection implements AsyncDisposable {
  readonly #client: Client;
  readonly #broken = new AbortController();
  /** Requests for a person's input, which the server sent although the client offers no elicitation. */
  readonly #asked: InputAsked[] = [];

  private constructor() {
    this.#client = new Client(
      { name: "steward", version: version() },
      {
        capabilities: {},
        versionNegotiation: { mode: "auto", probe: { timeoutMs: MCP_CONNECT_MS / 2 } },
        // The SDK must not answer the server's requests for input: a step has no person who could.
        inputRequired: { autoFulfill: false },
        listMaxPages: MCP_TOOLS_PAGES_MAX,
      },
    );
    this.#client.fallbackRequestHandler = ({ method, params }) => {
      if (method !== "elicitation/create") {
        return Promise.reject(new ProtocolError(ProtocolErrorCode.MethodNotFound, "Not offered"));
      }
      this.#asked.push({ method, params });
      return Promise.resolve({ action: "decline" });
    };
  }

  /**
   * Connects to a server of any revision. An old server on stdio may end when it is asked for its
   * revisions; it is started once more and not asked.
   * @throws unknown when the server cannot be reached, or does not answer as an MCP server does.
   */
  static async open(options: ConnectionOptions): Promise<McpConnection> {
    try {
      return await McpConnection.#open(options);
    } catch (error) {
      const wasAsked = "command" in options.endpoint && options.isLegacy !== true;
      const isRefused =
        error instanceof SdkError && error.code === SdkErrorCode.EraNegotiationFailed;
      if (!wasAsked || !isRefused || error.cause instanceof Error) throw error;
      return McpConnection.#open({ ...options, isLegacy: true });
    }
  }

  static async #open({
    signal,
    isLegacy = false,
    ...options
  }: ConnectionOptions): Promise<McpConnection> {
    const connection = new McpConnection();
    const client = connection.#client;
    if (isLegacy) client.setVersionNegotiation({ mode: "legacy" });
    client.onerror = (error) => {
      if (isMalformed(error) && "url" in options.endpoint) connection.#break(error);
    };
    const limited = AbortSignal.any([signal, AbortSignal.timeout(MCP_CONNECT_MS)]);
    try {
      const transport = connection.#transportTo(options);
      await connection.#unlessBroken(client.connect(transport, { signal: limited }), limited);
      return connection;
    } catch (error) {
      await connection[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Whether the server speaks a revision before 2026-07-28. */
  get isLegacy(): boolean {
    return this.#client.getProtocolEra() === "legacy";
  }

  /** The tools of the server. A definition over the limit is left out. */
  async definitions(signal: AbortSignal): Promise<readonly ToolDefinition[]> {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(MCP_CONNECT_MS)]);
    const listed = await this.#unlessBroken(
      this.#client.listTools(undefined, { signal: limited, timeout: MCP_CONNECT_MS }),
      limited,
    );
    return listed.tools.map(definitionOf).filter(isSmall);
  }

  /**
   * Calls a tool once. The call is not sent a second time, even after an error.
   * @throws PersonAsked when the tool asked a person for input, even if it continued without an
   *   answer.
   * @throws unknown as the SDK does; `signal.reason` when that was aborted.
   */
  async call(
    definition: ToolDefinition,
    args: Readonly<Record<string, unknown>>,
    { signal, timeoutMs }: { readonly signal: AbortSignal; readonly timeoutMs: number },
  ): Promise<CallToolResult> {
    const { name, inputSchema } = definition;
    // The output schema is left out: its patterns are the server's, and a pattern can block the
    // event loop. A result that does not match its schema is still data.
    const toolDefinition: Tool = { name, inputSchema: { ...inputSchema, type: "object" } };
    const result = await this.#unlessBroken(
      this.#client.callTool(
        { name, arguments: args },
        {
          ...{ signal, timeout: timeoutMs, maxTotalTimeout: timeoutMs, toolDefinition },
          allowInputRequired: true,
        },
      ),
      signal,
    );
    if (isInputRequiredResult(result)) throw new PersonAsked(questionsIn(result));
    if (this.#asked.length > 0) throw new PersonAsked(this.#asked);
    return result;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.close().catch(() => undefined);
  }

  #transportTo({
    endpoint,
    access,
    stderr = "ignore",
  }: Omit<ConnectionOptions, "signal">): Transport {
    if ("url" in endpoint) {
      return new StreamableHTTPClientTransport(new URL(endpoint.url), {
        // The headers may contain a secret for this server, so no redirect is followed.
        requestInit: { headers: { ...endpoint.headers }, redirect: "manual" },
        ...(access === undefined ? {} : { authProvider: access }),
        // Only a person can agree to more.
        onInsufficientScope: "throw",
        fetch: limitedFetch((error) => {
          this.#break(error);
        }),
        // Resuming a broken stream of answers does not send the request again.
        reconnectionOptions: {
          initialReconnectionDelay: 200,
          maxReconnectionDelay: 1000,
          reconnectionDelayGrowFactor: 2,
          maxRetries: 2,
        },
      });
    }
    const { command, args, env } = endpoint;
    return new LimitedStdioTransport(
      { command, args: [...args], env: { ...env }, stderr },
      (error) => {
        this.#break(error);
      },
    );
  }

  /** Ends the connection for good; what waits for an answer fails with this error. */
  #break(error: Error): void {
    if (!this.#broken.signal.aborted) this.#broken.abort(error);
  }

  async #unlessBroken<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
    const ended = AbortSignal.any([signal, this.#broken.signal]);
    let leave: (() => void) | undefined;
    const end = new Promise<never>((_resolve, reject) => {
      leave = (): void => {
        reject(ended.reason as Error);
      };
      if (ended.aborted) leave();
      else ended.addEventListener("abort", leave, { once: true });
    });
    try {
      return await Promise.race([answer, end]);
    } catch (error) {
      // The protocol error that made the request fail says more than the failure of the request.
      throw this.#broken.signal.aborted ? this.#broken.signal.reason : error;
    } finally {
      if (leave !== undefined) ended.removeEventListener("abort", leave);
      // The loser of the race may still fail.
      answer.catch(() => undefined);
    }
  }
}

/** Whether an answer was not what the protocol asks for: no JSON, no message, or nested too deeply. */
function isMalformed(error: Error): boolean {
  return error instanceof SyntaxError || error instanceof RangeError || /ZodError/.test(error.name);
}

function definitionOf({ name, description = "", inputSchema, outputSchema }: Tool): ToolDefinition {
  return {
    name,
    description,
    inputSchema: plainJson(inputSchema),
    ...(outputSchema === undefined ? {} : { outputSchema: plainJson(outputSchema) }),
  };
}

function isSmall(definition: ToolDefinition): boolean {
  return Buffer.byteLength(JSON.stringify(definition)) <= MCP_DEFINITION_BYTES_MAX;
}

/** What was parsed from JSON consists of JSON values. */
function plainJson(parsed: object): JsonObject {
  return parsed as Readonly<Record<string, JsonValue>>;
}
