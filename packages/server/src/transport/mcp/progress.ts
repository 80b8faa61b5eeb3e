import type { ServerContext } from "@modelcontextprotocol/server";
import { MCP_PROGRESS_MS } from "../limits.js";

/**
 * Sends repeated progress notifications to a client that has asked for them, while its call runs.
 */
export async function withProgress<Result>(
  toolName: string,
  { mcpReq }: Pick<ServerContext, "mcpReq">,
  work: () => Promise<Result>,
): Promise<Result> {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return work();
  const startedMs = performance.now();
  const timer = setInterval(() => {
    const progress = Math.round((performance.now() - startedMs) / 1000);
    const message = `${toolName} has been running for ${String(progress)} s`;
    const params = { progressToken, progress, message };
    // The notification fails only when the client has disconnected, and then nobody reads the
    // answer.
    mcpReq.notify({ method: "notifications/progress", params }).catch(() => undefined);
  }, MCP_PROGRESS_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
