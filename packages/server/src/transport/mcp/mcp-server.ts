import { McpServer, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import type { Tool } from "@modelcontextprotocol/server";
import { AppError } from "@steward/kernel/errors.js";
import type { QueryRuntimeContext } from "../../plans/index.js";
import type { AskedOperation } from "../request-context.js";
import { ResourceRights } from "../resource-rights.js";
import type { Services } from "../services.js";
import { callTool } from "./call-tool.js";
import { INSTRUCTIONS } from "./instructions.js";
import { withProgress } from "./progress.js";
import { listedTool } from "./tool-schemas.js";
import type { McpTool } from "./tool.js";
import { MCP_TOOLS } from "./tools/index.js";

/** Who sends a message, and until when its request lasts. */
export interface McpRequest {
  readonly context: QueryRuntimeContext;
  readonly whenOver: AskedOperation["whenOver"];
}

const LISTED: readonly Tool[] = MCP_TOOLS.map(listedTool);
const BY_NAME: ReadonlyMap<string, McpTool> = new Map(MCP_TOOLS.map((tool) => [tool.name, tool]));

/**
 * The server of one request: MCP keeps no session here. It says the same to every client, but offers only the tools
 * that the caller may call.
 */
export function mcpServer(services: Services, request: McpRequest, version: string): McpServer {
  const { context } = request;
  const rights = new ResourceRights(services.authorize);
  const mcp = new McpServer(
    { name: "steward", title: "Steward", version },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  const { server } = mcp;
  server.setRequestHandler("tools/list", () =>
    told(async () => {
      services.quotas.countRequest(context.orgId);
      const offered = await Promise.all(
        MCP_TOOLS.map((tool) => isOffered(services, context, tool)),
      );
      return { tools: LISTED.filter((_tool, index) => offered[index]) };
    }),
  );
  server.setRequestHandler("tools/call", async ({ params }, exchange) => {
    const tool = BY_NAME.get(params.name);
    if (tool === undefined) throw unknownTool(params.name);
    const signal = AbortSignal.any([context.signal, exchange.mcpReq.signal]);
    const call = {
      ...{ tool, services, rights, whenOver: request.whenOver },
      context: { ...context, signal },
      args: params.arguments ?? {},
    };
    return withProgress(tool.name, exchange, () => callTool(call));
  });
  return mcp;
}

/** Whether a caller may perform all that a tool does. An LLM that does not see a tool does not try it in vain. */
async function isOffered(
  { authorize }: Services,
  context: QueryRuntimeContext,
  { actions }: McpTool,
): Promise<boolean> {
  try {
    for (const action of actions) await authorize(context, action);
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === "POLICY_DENIED") return false;
    throw error;
  }
}

/** Tells an error as JSON-RPC has it, where a method has no result that could hold one. */
async function told<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (thrown) {
    const { code, message, details } = AppError.from(thrown);
    const { InternalError, InvalidParams } = ProtocolErrorCode;
    const isInternal = code === "INTERNAL";
    throw new ProtocolError(isInternal ? InternalError : InvalidParams, message, { code, details });
  }
}

function unknownTool(name: string): ProtocolError {
  const known = [...BY_NAME.keys()].join(", ");
  return new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `Unknown tool ${name.slice(0, 64)}: the tools are ${known}`,
  );
}
