import type { ServerContext } from "@modelcontextprotocol/server";
import { MCP_PROGRESS_MS } from "../limits.js";
import type { McpTool } from "./tool.js";

/**
 * Sends repeated progress notifications to a client that has asked for them, while its call runs. Those of a
 * call that runs a step begin when the plan is known, and name it, so that a client that loses
 * the answer can ask for the result.
 */
export async function withProgress<Result>(
  { name, usage }: Pick<McpTool, "name" | "usage">,
  { mcpReq }: Pick<ServerContext, "mcpReq">,
  work: (runsPlan?: (planId: string) => void) => Promise<Result>,
): Promise<Result> {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return work();
  const startedMs = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const notify = (about: string): void => {
    const progress = Math.round((performance.now() - startedMs) / 1000);
    const message = `${name}${about} has been running for ${String(progress)} s`;
    const params = { progressToken, progress, message };
    // The notification fails only when the client has disconnected, and then nobody reads the
    // answer.
    mcpReq.notify({ method: "notifications/progress", params }).catch(() => undefined);
  };
  const begin = (about: string): void => {
    timer ??= setInterval(notify, MCP_PROGRESS_MS, about);
  };
  if (usage !== "step") begin("");
  try {
    return await work((planId) => {
      const about = ` of plan ${planId}`;
      notify(about);
      begin(about);
    });
  } finally {
    clearInterval(timer);
  }
}
