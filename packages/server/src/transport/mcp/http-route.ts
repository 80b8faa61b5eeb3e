import type { McpServer } from "@modelcontextprotocol/server";
import type { FastifyReply, FastifyRequest } from "fastify";
import { sharedResult } from "@steward/kernel/concurrency/shared-result.js";
import { requestContext } from "../request-context.js";
import { incomingRequest } from "../rest/authenticate-requests.js";
import { discardTooLarge, restErrorFrom } from "../rest/error-replies.js";
import { receiveJson } from "../rest/json-body.js";
import type { RestApp } from "../rest/rest-app.js";
import type { Services } from "../services.js";
import type { Toolset } from "../../kernel/toolsets.js";
import { choiceOf, type QueryTexts } from "./mcp-choice.js";
import type { McpHandler } from "./mcp-handler.js";
import type { McpRequest } from "./mcp-server.js";
import { challenge, type ProtectedResource } from "./protected-resource.js";

declare module "fastify" {
  interface FastifyRequest {
    /** The sender of an MCP request; on its route only. */
    mcp: Omit<McpRequest, "choice">;
  }
}

/** How MCP is served. */
export interface McpOptions {
  /** This program's version. */
  readonly version: string;
  /** Tells clients without a token where to get one; absent: they cannot get one. */
  readonly protectedResource?: ProtectedResource | undefined;
  /** The toolsets that the operator offers; absent: all. */
  readonly toolsets?: readonly Toolset[] | undefined;
  /** Answers messages instead of the service's own tools. */
  readonly mcp?: ((sender: McpRequest) => McpServer) | undefined;
}

/** The path of the MCP endpoint. */
export const MCP_PATH = "/mcp";

/**
 * Serves MCP over Streamable HTTP. Callers are authenticated before a body is read; each message is
 * authorized separately.
 */
export function addMcpRoute(
  app: RestApp,
  services: Services,
  { version, protectedResource, mcp, toolsets }: McpOptions,
): void {
  let opening: Promise<McpHandler> | undefined;
  // MCP's modules are loaded on first use, so that a server starts faster.
  const opened = (): Promise<McpHandler> => (opening ??= openHandler(services, version, mcp));
  app.addHook("preClose", async () => {
    await (await opening)?.close();
  });
  app.setErrorHandler((error, request, reply) =>
    answerError(error, request, reply, { log: services.log, protectedResource }),
  );
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", receiveJson);
  app.addHook("onRequest", async (request, reply) => {
    const incoming = incomingRequest(request, reply);
    const context = await requestContext(services, incoming);
    request.context = context;
    request.mcp = { context, whenOver: incoming.whenOver };
  });
  app.route({
    method: ["GET", "POST", "DELETE"],
    url: MCP_PATH,
    schema: { hide: true },
    config: {
      tooLargeFix: "send several smaller calls; append_steps adds steps to a plan",
    },
    exposeHeadRoute: false,
    handler: async (request, reply) => {
      const handler = await sharedResult(opened(), request.mcp.context.orgId);
      // The parser of query strings makes an object of texts.
      const choice = choiceOf(request.query as QueryTexts, toolsets);
      const sender = { ...request.mcp, choice };
      const response = await handler.answer(webRequest(request), sender, request.body);
      return sendResponse(reply, response);
    },
  });
}

async function openHandler(
  services: Services,
  version: string,
  mcp: McpOptions["mcp"],
): Promise<McpHandler> {
  const [{ openMcpHandler }, { mcpServer }] = await Promise.all([
    import("./mcp-handler.js"),
    import("./mcp-server.js"),
  ]);
  return openMcpHandler(services, mcp ?? ((sender) => mcpServer(services, sender, version)));
}

/** Converts a request for the MCP package; its parsed body is passed separately. */
function webRequest({ headers, method, url, host, mcp }: FastifyRequest): Request {
  const webHeaders = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !name.startsWith(":")) webHeaders.set(name, String(value));
  }
  return new Request(`http://${host}${url}`, {
    method,
    headers: webHeaders,
    signal: mcp.context.signal,
  });
}

/** Sends a short answer as a whole, and an event stream piece by piece. */
async function sendResponse(reply: FastifyReply, response: Response): Promise<FastifyReply> {
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  if (isStream) return reply.send(response);
  const body = await response.text();
  return reply
    .code(response.status)
    .headers(Object.fromEntries(response.headers))
    .send(body === "" ? undefined : body);
}

/**
 * JSON-RPC's error codes for a message that cannot be parsed, and for one that is refused before it
 * is parsed.
 */
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;

/** An error outside of any message, as JSON-RPC has it, with the HTTP status of Decision §9. */
async function answerError(
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  { log, protectedResource }: Pick<Services, "log"> & Pick<McpOptions, "protectedResource">,
): Promise<FastifyReply> {
  await discardTooLarge(thrown, request, reply);
  const { status, headers, body } = restErrorFrom(thrown, request);
  const isWrong = request.headers.authorization !== undefined;
  const challengeHeader =
    status === 401 ? { "www-authenticate": challenge(protectedResource, isWrong) } : {};
  if (status >= 500) log.error({ err: thrown, requestId: request.id }, "mcp request failed");
  const code = request.body === undefined && status === 400 ? PARSE_ERROR : INVALID_REQUEST;
  return reply
    .code(status)
    .headers({ ...headers, ...challengeHeader })
    .type("application/json; charset=utf-8")
    .serializer(JSON.stringify)
    .send({
      jsonrpc: "2.0",
      id: null,
      error: { code, message: body.error, data: { code: body.code } },
    });
}
