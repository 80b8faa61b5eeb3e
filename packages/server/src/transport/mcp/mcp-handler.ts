import {
  createMcpHandler,
  type McpHttpHandler,
  type McpServer,
} from "@modelcontextprotocol/server";
import { assert } from "@steward/kernel/assert.js";
import { REQUEST_BYTES_MAX } from "../limits.js";
import type { Services } from "../services.js";
import type { McpRequest } from "./mcp-server.js";

/** Answers HTTP requests that carry MCP. */
export interface McpHandler {
  /** @param body the request's body, parsed; absent: it has none that could be parsed. */
  answer(request: Request, sender: McpRequest, body?: unknown): Promise<Response>;
  /** Ends calls in progress. */
  close(): Promise<void>;
}

/**
 * Serves MCP 2026-07-28, and earlier revisions for clients that request them, without sessions:
 * each request gets a new server object.
 */
export function openMcpHandler(
  { log }: Pick<Services, "log">,
  serverFor: (sender: McpRequest) => McpServer,
): McpHandler {
  const senders = new WeakMap<Request, McpRequest>();
  const handler: McpHttpHandler = createMcpHandler(
    ({ requestInfo }) => {
      const sender = requestInfo && senders.get(requestInfo);
      assert(sender !== undefined, "the server is made for the request that was passed in");
      return serverFor(sender);
    },
    {
      maxRequestBodySize: REQUEST_BYTES_MAX,
      onerror: (error) => {
        log.debug({ err: error }, "mcp request refused");
      },
    },
  );
  return {
    answer: (request, sender, body) => {
      senders.set(request, sender);
      return handler.fetch(request, body === undefined ? {} : { parsedBody: body });
    },
    close: () => handler.close(),
  };
}
