import { badResponse, isObject, parseJson, type Http } from "../http.js";
import type { CallOptions } from "../plans.js";
import { StewardError } from "../steward-error.js";

/**
 * The JSON Schema of an object, a tool's input or output. It has the keywords that frameworks ask for; others may be
 * there too. It is not readonly, because the types of frameworks are not.
 */
export interface ToolSchema {
  type: "object";
  properties: Record<string, object>;
  required: string[];
  additionalProperties?: boolean;
  description?: string;
}

/** A tool as the server describes it to an LLM, in the words of MCP. */
export interface ToolDefinition {
  readonly name: string;
  readonly title: string;
  /** For the LLM: what the tool is for, and when to use it. */
  readonly description: string;
  readonly inputSchema: ToolSchema;
  readonly outputSchema: ToolSchema;
  readonly annotations: ToolBehavior;
}

/** What a tool does to its surroundings (MCP's annotations). */
export interface ToolBehavior {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** The result of a tool call. */
export interface ToolResult {
  /** For the LLM: the content in few tokens; for an error, its message and hints. */
  readonly text: string;
  /** The content for programs; its schema is the tool's `outputSchema`. */
  readonly content: Readonly<Record<string, unknown>>;
  /** Whether the call failed, in a way that the LLM can read about and usually correct. */
  readonly isError: boolean;
}

/**
 * The tools that Steward offers to LLMs, the same as over MCP. Calls reject with a StewardError when
 * the server cannot be reached or refuses the caller.
 */
export interface Tools {
  /** The tools that the caller may use, in a stable order. */
  list(options?: CallOptions): Promise<readonly ToolDefinition[]>;
  /**
   * Calls a tool with the arguments that an LLM wrote. Wrong arguments and an unknown name are
   * results too. A call that can be repeated without doing anything twice is retried automatically.
   */
  call(name: string, args: unknown, options?: CallOptions): Promise<ToolResult>;
}

/** @param toolsets absent: those that the server offers first. */
export function createTools(http: Http, toolsets?: readonly string[]): Tools {
  const chosen = toolsets && `&toolsets=${encodeURIComponent(toolsets.join(","))}`;
  const path = `/mcp?structured=true${chosen ?? ""}`;
  return {
    list: async (options) => {
      const answer = await request(http, path, "tools/list", {}, { ...options, idempotent: true });
      if ("error" in answer) throw new StewardError("BAD_RESPONSE", answer.error.message);
      // The server describes its own tools.
      return (answer.result["tools"] as readonly ToolDefinition[]).map(withRequired);
    },
    call: async (name, args, options) => {
      if (!NAME.test(name)) return refusal("Unknown tool: call one of the tools by its name");
      if (!isObject(args) || Array.isArray(args)) return refusal("Write arguments as JSON object");
      const idempotent = REPEATABLE.has(name);
      const params = { name, arguments: args };
      const answer = await request(http, path, "tools/call", params, { ...options, idempotent });
      return "error" in answer ? refusal(answer.error.message) : toolResult(answer.result);
    },
  };
}

function withRequired(tool: ToolDefinition): ToolDefinition {
  const { inputSchema, outputSchema } = tool;
  return { ...tool, inputSchema: complete(inputSchema), outputSchema: complete(outputSchema) };
}

/**
 * Adds the keywords that JSON Schema allows to omit when they are empty, because frameworks expect
 * them.
 */
function complete(schema: Partial<ToolSchema>): ToolSchema {
  return { type: "object", properties: {}, required: [], ...schema };
}

/**
 * The name is sent in a header too, so only names that a header can contain are sent. The server
 * knows which of them are tools.
 */
const NAME = /^[\w.-]{1,64}$/;

/**
 * Tools whose call may be repeated: they only read, or the second call has no further effect, or the
 * server knows the call by its idempotency key.
 */
const REPEATABLE: ReadonlySet<string> = new Set([
  "explore_data",
  "query",
  "get_result",
  "execute_step",
  "submit_plan",
  "append_steps",
  "fork_plan",
  "finish_plan",
  "get_plan",
  "list_plans",
  "cancel_plan",
  "wait_for_events",
  "search_memory",
  "get_usage",
]);

/** The revision of MCP that this client speaks. It has no sessions: a call is one request. */
const REVISION = "2026-07-28";
const ENVELOPE = {
  "io.modelcontextprotocol/protocolVersion": REVISION,
  "io.modelcontextprotocol/clientInfo": { name: "@steward/client", version: "0.1.0" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** An answer of JSON-RPC. */
type RpcAnswer = { readonly result: JsonObject } | { readonly error: { readonly message: string } };
type JsonObject = Readonly<Record<string, unknown>>;

function request(
  http: Http,
  path: string,
  method: string,
  params: { readonly name?: string; readonly arguments?: JsonObject },
  { idempotent, signal }: CallOptions & { readonly idempotent: boolean },
): Promise<RpcAnswer> {
  const headers = {
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": REVISION,
    "mcp-method": method,
    // All retries of a call send the same key.
    "idempotency-key": crypto.randomUUID(),
    ...(params.name === undefined ? {} : { "mcp-name": params.name }),
  };
  const body = { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: ENVELOPE } };
  return http.exchange(
    { method: "POST", path, headers, body, idempotent, signal },
    async (response) => {
      const answer = parseJson(await response.text());
      if (!isAnswer(answer)) throw badResponse(response);
      return answer;
    },
  );
}

function isAnswer(value: unknown): value is RpcAnswer {
  if (!isObject(value)) return false;
  const { result, error } = value;
  return isObject(result) || (isObject(error) && typeof error["message"] === "string");
}

function toolResult({ content, structuredContent, isError }: JsonObject): ToolResult {
  const texts = Array.isArray(content) ? content.filter(isObject).map(({ text }) => text) : [];
  return {
    text: texts.join("\n"),
    content: isObject(structuredContent) ? structuredContent : {},
    isError: isError === true,
  };
}

/** The result of a call that was refused before it reached a tool. */
function refusal(message: string): ToolResult {
  const error = { code: "INVALID_ARGUMENT", message };
  return { text: `INVALID_ARGUMENT: ${message}`, content: { error }, isError: true };
}
