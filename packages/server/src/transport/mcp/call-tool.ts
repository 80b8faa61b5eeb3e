import type { CallToolResult } from "@modelcontextprotocol/server";
import type { JsonValue } from "@steward/kernel/canonical-json.js";
import type { Caller } from "@steward/kernel/caller.js";
import { AppError } from "@steward/kernel/errors.js";
import type { LateAct } from "@steward/kernel/lasting-permission.js";
import type { OperationApprovalRequired } from "../../governance/index.js";
import { isLarge, turnOfPiece } from "../answers/large-turns.js";
import { underApproval } from "../approvals/approved-operation.js";
import { askedOperation } from "../operations.js";
import { present } from "../../kernel/present.js";
import { demanded, takenShare, type QuotaUse } from "../request-context.js";
import { zodValidation } from "../rest/validation/validation.js";
import { errorResult, toolResult } from "./tool-result.js";
import type { McpTool, ToolScope } from "./tool.js";
import type { RecordedWork } from "../../audit/index.js";

/** One call of a tool. */
export interface McpToolCall extends ToolScope {
  readonly tool: McpTool;
  /** The arguments as the LLM wrote them, not validated yet. */
  readonly args: unknown;
  readonly whenOver: QuotaUse["whenOver"];
  /** Whether the client has the tools of plans, so that an error may name them. */
  readonly hasPlans: boolean;
}

/**
 * Calls a tool. The call is authorized before its arguments are read, as in every protocol. Every
 * error becomes a result, so that the LLM can read it and correct its call.
 */
export async function callTool(call: McpToolCall): Promise<CallToolResult> {
  const { tool, context, services } = call;
  try {
    services.quotas.countRequest(context.orgId);
    let needed: OperationApprovalRequired | undefined;
    for (const action of tool.actions) {
      const demand = await demanded(services.authorize, context, action);
      needed ??= demand;
    }
    const { share } = tool;
    const counts = takenShare(services.quotas, context, { share, whenOver: call.whenOver });
    const input = checkedInput(tool, call.args);
    const operation = {
      actions: tool.actions,
      context: {
        ...{ ...context, ...present({ needed, counts }) },
        askAgain: async (now: Caller, next: LateAct): Promise<void> => {
          await context.askAgain?.(now, next);
          for (const action of tool.actions) await services.authorize(now, action);
        },
      },
      // The tool's schema has accepted the input, which is an object of JSON.
      shown: () => ({
        ...{ operation: tool.name, request: input as JsonValue },
        resolves: tool.resolves,
      }),
    };
    const output = await recorded(call, () =>
      underApproval(services, operation, (approved) => {
        const scope = { ...call, context: approved };
        return audited(scope, input, (recorded) =>
          tool.run(input, { ...scope, context: { ...approved, operation: recorded } }),
        );
      }),
    );
    // The result has the output twice, and is encoded in the turn in which it is made.
    if (isLarge(output)) await turnOfPiece(context.orgId);
    return toolResult(output, tool.text);
  } catch (thrown) {
    if (AppError.from(thrown).code === "INTERNAL") {
      const { requestId } = context;
      services.log.error({ err: thrown, requestId, tool: tool.name }, "tool call failed");
    }
    return errorResult(thrown, call.hasPlans);
  }
}

/** Makes a call that changes something outside of plans leave its record in the audit log. */
function audited<Output>(
  { tool, context, services }: McpToolCall,
  input: unknown,
  work: RecordedWork<Output>,
): Promise<Output> {
  if (tool.recorded === undefined) return work(undefined);
  const { operation, record } = tool.recorded;
  // The tool's schema has accepted the input, which is an object of JSON.
  const asked = askedOperation(operation, record, input as Record<string, JsonValue>);
  return services.recordOperation(context, asked, work);
}

function checkedInput({ input }: McpTool, args: unknown): unknown {
  const checked = zodValidation("INVALID_ARGUMENT")({ schema: input, httpPart: "body" })(args);
  if ("error" in checked) throw checked.error;
  return checked.value;
}

/** Refusals from inside a tool: as with those before it, no tool was called. */
const REFUSALS: ReadonlySet<string> = new Set([
  "POLICY_DENIED",
  "APPROVAL_REQUIRED",
  "APPROVAL_DENIED",
  "APPROVAL_CONFLICT",
  "QUOTA_EXCEEDED",
]);

/** Makes the usage row of a call, whether it succeeds or fails. A call that runs a step has that step's row. */
async function recorded<Output>(call: McpToolCall, work: () => Promise<Output>): Promise<Output> {
  if (call.tool.usage === "step") return work();
  try {
    const output = await work();
    await record(call);
    return output;
  } catch (thrown) {
    if (!REFUSALS.has(AppError.from(thrown).code)) await record(call);
    throw thrown;
  }
}

/** The tool's effect remains even if recording fails. */
async function record({ tool, context, services }: McpToolCall): Promise<void> {
  if (tool.usage === "step") return;
  const { name: toolName, usage: intent } = tool;
  try {
    await services.recordToolCall(context, {
      toolName,
      intent,
      sessionId: context.sessionId ?? "",
    });
  } catch (error) {
    services.log.error({ err: error, tool: toolName }, "tool call could not be recorded");
  }
}
