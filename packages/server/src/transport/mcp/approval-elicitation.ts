import { randomBytes } from "node:crypto";
import {
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  type CallToolResult,
  type ClientCapabilities,
  type InputRequiredResult,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { QueryRuntimeContext } from "../../plans/index.js";
import { MCP_REQUEST_STATE_MS } from "../limits.js";

/** The step that a call waits for; it is what the client sends back when its person has seen the page. */
export interface WaitingStep {
  readonly plan_id: string;
  readonly step_id: string;
}

/** A call of a tool, as far as elicitation changes it. */
interface ElicitedCall {
  readonly name: string;
  readonly args: unknown;
}

/** The answer to a call whose state this process cannot read. */
const UNKNOWN = { unknown: true } as const;

/** Signs states. Another process, or this one after a restart, does not accept them. */
const KEY = randomBytes(32);

/**
 * Leads the person at the client to the page where a step's approval is decided: elicitation in URL mode, of
 * revision 2026-07-28. The page asks for that person's own credential. Nothing that the client sends back
 * decides anything: it only has the step executed again.
 */
export class ApprovalElicitation {
  readonly #codec;

  constructor({ orgId, kind, userId, agentId, keyId }: QueryRuntimeContext) {
    const bound = JSON.stringify([orgId, kind, userId, agentId, keyId]);
    this.#codec = createRequestStateCodec<WaitingStep>({
      ...{ key: KEY, ttlSeconds: MCP_REQUEST_STATE_MS / 1000 },
      bind: () => bound,
    });
  }

  /** The hook that checks a state before its call. A state that is not valid only loses its meaning. */
  readonly verify = async (
    state: string,
    exchange: ServerContext,
  ): Promise<WaitingStep | typeof UNKNOWN> => {
    try {
      return await this.#codec.verify(state, exchange);
    } catch {
      return UNKNOWN;
    }
  };

  /**
   * The call to make. A query that goes on after an elicitation executes the step that waited, instead of
   * submitting it a second time.
   * @throws ProtocolError when its state is not valid here any more.
   */
  resumed(call: ElicitedCall, { mcpReq }: ServerContext): ElicitedCall {
    const state = mcpReq.requestState<WaitingStep | typeof UNKNOWN>();
    // The arguments of other tools name the step themselves.
    if (state === undefined || call.name !== "query") return call;
    if ("unknown" in state) throw unknownState();
    const { max_rows } = call.args as { max_rows?: unknown };
    const { plan_id } = state;
    return {
      name: "get_result",
      args: { plan_id, ...(max_rows === undefined ? {} : { max_rows }) },
    };
  }

  /** The result, or a request to open the page of the approval where the client can do that. */
  async orAsked(
    result: CallToolResult,
    exchange: ServerContext,
  ): Promise<CallToolResult | InputRequiredResult> {
    const { mcpReq } = exchange;
    // Whoever has been led to the page is not led there again: the result says how to go on.
    const isAnswered = mcpReq.inputResponses !== undefined || mcpReq.requestState() !== undefined;
    if (isAnswered || !opensPages(exchange)) return result;
    const waiting = waitingOf(result);
    if (waiting === undefined) return result;
    const { url, ...step } = waiting;
    const message = `Step ${step.step_id} of plan ${step.plan_id} runs once a person has approved it. Whoever may decide sees what would run on this page, and signs in there.`;
    return inputRequired({
      inputRequests: { approval: inputRequired.elicitUrl({ message, url }) },
      requestState: await this.#codec.mint(step, exchange),
    });
  }
}

function unknownState(): ProtocolError {
  return new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    "The requestState is not valid on this server, or has expired. The query was not submitted again: " +
      "get_result goes on with its plan",
  );
}

/** Whether the client has declared elicitation in URL mode, for this request. */
function opensPages({ mcpReq: { envelope } }: ServerContext): boolean {
  // The type of the envelope names no keys; the SDK has validated the value under this one.
  const told: { readonly [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities } | undefined =
    envelope;
  return told?.[CLIENT_CAPABILITIES_META_KEY]?.elicitation?.url !== undefined;
}

/** The step that a result says waits, and the page of its approval; only a whole URL can be opened. */
function waitingOf({
  structuredContent,
}: CallToolResult): (WaitingStep & { readonly url: string }) | undefined {
  const error: unknown = structuredContent && Reflect.get(structuredContent, "error");
  if (typeof error !== "object" || error === null) return undefined;
  // Results are made by tool-result.ts.
  const { code, details = [] } = error as {
    readonly code: string;
    readonly details?: readonly { readonly field: string; readonly reason: string }[];
  };
  if (code !== "APPROVAL_REQUIRED") return undefined;
  const told = new Map(details.map(({ field, reason }) => [field, reason]));
  const [url, plan_id, step_id] = ["approval_url", "plan_id", "step_id"].map((f) => told.get(f));
  if (url === undefined || plan_id === undefined || step_id === undefined) return undefined;
  return URL.canParse(url) ? { url, plan_id, step_id } : undefined;
}
