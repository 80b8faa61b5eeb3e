import { shownLine, shownText } from "@steward/kernel/shown-text.js";
import { McpServer, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import type { Tool } from "@modelcontextprotocol/server";
import { AppError } from "@steward/kernel/errors.js";
import type { QueryRuntimeContext } from "../../plans/index.js";
import type { QuotaUse } from "../request-context.js";
import { ResourceRights } from "../resource-rights.js";
import type { Services } from "../services.js";
import { ApprovalElicitation } from "./approval-elicitation.js";
import { callTool } from "./call-tool.js";
import { INSTRUCTIONS } from "./instructions.js";
import { getPrompt, PROMPTS } from "./prompts.js";
import { listResources, readResource, RESOURCE_TEMPLATES } from "./resources.js";
import { withProgress } from "./progress.js";
import { listedTool } from "./tool-schemas.js";
import type { McpTool, ToolScope } from "./tool.js";
import { MCP_TOOLS } from "./tools/index.js";

/** The sender of a message, and the time limit of its request. */
export interface McpRequest {
  readonly context: QueryRuntimeContext;
  readonly whenOver: QuotaUse["whenOver"];
}

const LISTED: readonly Tool[] = MCP_TOOLS.map(listedTool);
const BY_NAME: ReadonlyMap<string, McpTool> = new Map(MCP_TOOLS.map((tool) => [tool.name, tool]));

/** Nobody is notified of changes, because there are no sessions; the package assumes otherwise unless told. */
const CAPABILITIES = {
  tools: { listChanged: false },
  resources: { listChanged: false },
  prompts: { listChanged: false },
};

/**
 * The server object of one request, because there are no MCP sessions. It is the same for every
 * client, except that it offers only the tools that the caller may call.
 */
export function mcpServer(services: Services, request: McpRequest, version: string): McpServer {
  const { context } = request;
  const scope = { context, services, rights: new ResourceRights(services.authorize) };
  const elicitation = new ApprovalElicitation(context);
  const mcp = new McpServer(
    { name: "steward", title: "Steward", version },
    {
      ...{ capabilities: CAPABILITIES, instructions: INSTRUCTIONS },
      requestState: { verify: elicitation.verify },
    },
  );
  const { server } = mcp;
  server.setRequestHandler("tools/list", () =>
    countedAndTold(scope, async () => {
      const offered = await Promise.all(
        MCP_TOOLS.map((tool) => isOffered(services, context, tool)),
      );
      return { tools: LISTED.filter((_tool, index) => offered[index]) };
    }),
  );
  server.setRequestHandler("tools/call", async ({ params }, exchange) => {
    const resumed = elicitation.resumed({ ...params, args: params.arguments ?? {} }, exchange);
    const tool = BY_NAME.get(resumed.name);
    if (tool === undefined) throw unknownTool(params.name);
    const signal = AbortSignal.any([context.signal, exchange.mcpReq.signal]);
    const call = {
      ...scope,
      ...{ tool, whenOver: request.whenOver },
      context: { ...context, signal, stopsStep: true },
      args: resumed.args,
    };
    const result = await withProgress(tool, exchange, (runsPlan) =>
      callTool({ ...call, runsPlan }),
    );
    return elicitation.orAsked(result, exchange);
  });
  addResources(server, scope);
  addPrompts(server, scope);
  return mcp;
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

function addPrompts(server: LowLevelServer, scope: ToolScope): void {
  server.setRequestHandler("prompts/list", () =>
    countedAndTold(scope, () => ({ prompts: [...PROMPTS] })),
  );
  server.setRequestHandler("prompts/get", ({ params }) =>
    countedAndTold(scope, () => getPrompt(params.name, params.arguments ?? {}, scope)),
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

function unknownTool(name: string): ProtocolError {
  const known = [...BY_NAME.keys()].join(", ");
  return new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `Unknown tool ${shownLine(name.slice(0, 64))}: the tools are ${known}`,
  );
}
