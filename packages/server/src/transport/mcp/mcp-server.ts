import { shownLine, shownText } from "@steward/kernel/shown-text.js";
import { McpServer, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import type { Prompt, Tool } from "@modelcontextprotocol/server";
import { AppError } from "@steward/kernel/errors.js";
import type { QueryRuntimeContext } from "../../plans/index.js";
import { TOOLSETS } from "../../kernel/toolsets.js";
import { MCP_LIST_TTL_MS } from "../limits.js";
import type { QuotaUse } from "../request-context.js";
import { ResourceRights } from "../resource-rights.js";
import type { Services } from "../services.js";
import { ApprovalElicitation } from "./approval-elicitation.js";
import { callTool } from "./call-tool.js";
import { instructionsFor } from "./instructions.js";
import { getPrompt, PROMPTS } from "./prompts.js";
import { listResources, readResource, RESOURCE_TEMPLATES } from "./resources.js";
import { withProgress } from "./progress.js";
import { listedTool } from "./tool-schemas.js";
import type { McpChoice } from "./mcp-choice.js";
import type { McpTool, ToolScope } from "./tool.js";
import { textOnly } from "./tool-result.js";
import { ALL_MCP_TOOLS, MCP_TOOLS } from "./tools/index.js";
import { vettedTools } from "./tools/vetted-tools.js";

/** The sender of a message, the time limit of its request, and what the sender has chosen. */
export interface McpRequest {
  readonly context: QueryRuntimeContext;
  readonly whenOver: QuotaUse["whenOver"];
  readonly choice: McpChoice;
}

/** A tool in a list, with its output schema and without. */
interface ListedBoth {
  readonly structured: Tool;
  readonly text: Tool;
}

/** The tools that are the same for every caller. */
const LISTED: ReadonlyMap<McpTool, ListedBoth> = new Map(
  ALL_MCP_TOOLS.map((tool) => [tool, listedBoth(tool)]),
);

function listedBoth(tool: McpTool): ListedBoth {
  const structured = listedTool(tool);
  const { outputSchema: _output, ...text } = structured;
  return { structured, text };
}

/** Nobody is notified of changes, because there are no sessions; the package assumes otherwise unless told. */
const CAPABILITIES = {
  tools: { listChanged: false },
  resources: { listChanged: false },
  prompts: { listChanged: false },
};

/**
 * How long a client may use a list without asking again: nobody notifies it of changes. The lists of tools and resources
 * depend on the caller.
 */
const KEPT = { ttlMs: MCP_LIST_TTL_MS, cacheScope: "private" } as const;
const CACHE_HINTS = {
  "server/discover": KEPT,
  "tools/list": KEPT,
  "prompts/list": KEPT,
  "resources/templates/list": KEPT,
};

/**
 * The server object of one request, because there are no MCP sessions. It is the same for every
 * client, except that it offers only the chosen toolsets, and of those the tools that the caller may call.
 */
export function mcpServer(services: Services, request: McpRequest, version: string): McpServer {
  const { context, choice } = request;
  const own = choice.toolsets.flatMap((name) => MCP_TOOLS[name]);
  const scope = { context, services, rights: new ResourceRights(services.authorize) };
  const elicitation = new ApprovalElicitation(context);
  const mcp = new McpServer(
    { name: "steward", title: "Steward", version },
    {
      ...{ capabilities: CAPABILITIES, instructions: instructionsFor(choice.toolsets) },
      cacheHints: CACHE_HINTS,
      requestState: { verify: elicitation.verify },
    },
  );
  const { server } = mcp;
  const allTools = async (): Promise<readonly McpTool[]> =>
    choice.toolsets.includes("tools") ? [...new Set([...own, ...(await vettedTools(scope))])] : own;
  server.setRequestHandler("tools/list", () =>
    countedAndTold(scope, async () => {
      const tools = await allTools();
      const offered = await Promise.all(tools.map((tool) => isOffered(services, context, tool)));
      return {
        tools: tools.filter((_tool, index) => offered[index]).map((tool) => listedAs(tool, choice)),
      };
    }),
  );
  server.setRequestHandler("tools/call", async ({ params }, exchange) => {
    const resumed = elicitation.resumed({ ...params, args: params.arguments ?? {} }, exchange);
    const isCalled = ({ name }: McpTool): boolean => name === resumed.name;
    const tools = own.some(isCalled) ? own : await allTools();
    const tool = tools.find(isCalled);
    if (tool === undefined) throw unknownTool(params.name, tools);
    const signal = AbortSignal.any([context.signal, exchange.mcpReq.signal]);
    const call = {
      ...scope,
      ...{ tool, whenOver: request.whenOver, hasPlans: choice.toolsets.includes("plans") },
      context: { ...context, signal, stopsStep: true },
      args: resumed.args,
    };
    const result = await withProgress(tool, exchange, (runsPlan) =>
      callTool({ ...call, runsPlan }),
    );
    const answer = await elicitation.orAsked(result, exchange);
    return choice.isStructured ? answer : textOnly(answer);
  });
  addResources(server, scope);
  addPrompts(server, scope, choice.toolsets.includes("plans") ? PROMPTS : []);
  return mcp;
}

function listedAs(tool: McpTool, { isStructured }: McpChoice): Tool {
  const listed = LISTED.get(tool) ?? listedBoth(tool);
  return isStructured ? listed.structured : listed.text;
}

type LowLevelServer = McpServer["server"];

function addResources(server: LowLevelServer, scope: ToolScope): void {
  const counted = <Result>(work: () => Promise<Result> | Result): Promise<Result> =>
    countedAndTold(scope, work);
  server.setRequestHandler("resources/list", () =>
    counted(async () => ({ resources: [...(await listResources(scope))] })),
  );
  server.setRequestHandler("resources/templates/list", () =>
    counted(() => ({ resourceTemplates: [...RESOURCE_TEMPLATES] })),
  );
  server.setRequestHandler("resources/read", ({ params }) =>
    counted(() => readResource(params.uri, scope)),
  );
}

/** @param prompts those that the client is offered: all of them name tools of plans. */
function addPrompts(server: LowLevelServer, scope: ToolScope, prompts: readonly Prompt[]): void {
  server.setRequestHandler("prompts/list", () =>
    countedAndTold(scope, () => ({ prompts: [...prompts] })),
  );
  server.setRequestHandler("prompts/get", ({ params }) =>
    countedAndTold(scope, () => {
      if (!prompts.some(({ name }) => name === params.name))
        throw unknownPrompt(params.name, prompts);
      return getPrompt(params.name, params.arguments ?? {}, scope);
    }),
  );
}

/**
 * Whether the caller may perform all operations of a tool. Other tools are not listed, so that an
 * LLM does not try them in vain.
 */
async function isOffered(
  { mayDo }: Services,
  context: QueryRuntimeContext,
  { actions }: McpTool,
): Promise<boolean> {
  for (const action of actions) if (!(await mayDo(context, action))) return false;
  return true;
}

/** Counts a request, and tells an error as JSON-RPC has it: the method has no result that could hold one. */
async function countedAndTold<Result>(
  { context, services }: ToolScope,
  work: () => Promise<Result> | Result,
): Promise<Result> {
  try {
    services.quotas.countRequest(context.orgId);
    return await work();
  } catch (thrown) {
    if (thrown instanceof ProtocolError) {
      throw new ProtocolError(thrown.code, shownText(thrown.message), thrown.data);
    }
    const { code, message, details } = AppError.from(thrown);
    const { InternalError, InvalidParams } = ProtocolErrorCode;
    const number = code === "INTERNAL" ? InternalError : InvalidParams;
    throw new ProtocolError(number, shownText(message), { code, details });
  }
}

/** The error for a prompt that does not exist, or that the client is not offered. */
function unknownPrompt(name: string, prompts: readonly Prompt[]): ProtocolError {
  const known = prompts.map((prompt) => prompt.name).join(", ");
  const rest =
    known === ""
      ? "the prompts are in the toolset plans: /mcp?toolsets=plans"
      : `the prompts are ${known}`;
  return new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `Unknown prompt ${shownLine(name.slice(0, 64))}: ${rest}`,
  );
}

/** The error for a tool that does not exist, or that belongs to a toolset which the client has not chosen. */
function unknownTool(name: string, tools: readonly McpTool[]): ProtocolError {
  const known = tools.map((tool) => tool.name).join(", ");
  const toolset = TOOLSETS.find((each) => MCP_TOOLS[each].some((tool) => tool.name === name));
  const elsewhere =
    toolset === undefined ? "" : `. It is in the toolset ${toolset}: /mcp?toolsets=${toolset}`;
  return new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `Unknown tool ${shownLine(name.slice(0, 64))}: the tools are ${known}${elsewhere}`,
  );
}
