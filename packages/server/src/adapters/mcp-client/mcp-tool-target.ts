import type { CallToolResult } from "@modelcontextprotocol/client";
import { AppError } from "@steward/kernel/errors.js";
import { isReadIntent, type McpServer, mcpToolName } from "../../governance/index.js";
import {
  type AttemptRef,
  fillJsonTemplate,
  StatementError,
  type StatementFailureReason,
  type StatementRequest,
  type StatementResult,
  type StepTarget,
} from "../../plans/ports.js";
import { type CallFailure, failureOf } from "./call-failure.js";
import { errorText, rowsOfResult } from "./call-result.js";
import type { Connections } from "./connections.js";
import type { McpConnection } from "./mcp-connection.js";
import type { PinFile } from "./pin-file.js";
import { digestOf, type ToolDefinition } from "./tool-definition.js";

/** What a tool of another MCP server is called with. */
export interface McpToolTargetParts {
  readonly server: McpServer;
  readonly tool: string;
  readonly connections: Connections;
  readonly pins: PinFile;
}

/**
 * A tool of another MCP server. The tool is called only while the server's definition is the one
 * that an operator has accepted, and at most once for each step that is executed: an attempt that failed
 * before the call is followed by another one, an attempt that has called it is not.
 */
export class McpToolTarget implements StepTarget {
  readonly name: string;
  readonly #parts: McpToolTargetParts;

  constructor(parts: McpToolTargetParts) {
    this.#parts = parts;
    this.name = mcpToolName(parts.server.name, parts.tool);
  }

  async run(request: StatementRequest, signal: AbortSignal): Promise<StatementResult> {
    const { server, connections } = this.#parts;
    try {
      return await connections.run(request.attempt.orgId, server, (open) => {
        if (signal.aborted)
          throw new StatementError("aborted", "The step was cancelled before it ran");
        const limited = AbortSignal.any([signal, AbortSignal.timeout(request.timeoutMs)]);
        return this.#attempt(request, limited, open);
      });
    } catch (error) {
      if (error instanceof AppError && error.code === "OVERLOADED") {
        throw new StatementError("waited", error.message, { cause: error });
      }
      throw error;
    }
  }

  /** MCP has no request that tells the outcome of an earlier call. */
  settle(): Promise<never> {
    return Promise.reject(
      new StatementError("unknown", `${this.name} keeps no record of its calls`),
    );
  }

  /** The server stores nothing about attempts, so there is nothing to delete. */
  forget(_attempt: AttemptRef): void {}

  async #attempt(
    request: StatementRequest,
    signal: AbortSignal,
    open: (signal: AbortSignal) => Promise<McpConnection>,
  ): Promise<StatementResult> {
    const pinned = this.#pinned();
    const values = request.binds.map((value) => (typeof value === "string" ? value : "null"));
    const args = fillJsonTemplate(request.sql, values);
    const connection = await this.#before(signal, () => open(signal));
    try {
      const offered = await this.#before(signal, () => connection.definitions(signal));
      this.#requirePinned(pinned, offered);
      return this.#outcome(await this.#call(connection, { pinned, args, request, signal }));
    } finally {
      this.#parts.connections.release(connection);
    }
  }

  /** A failure before the tool is called has had no effect, so that the step may be attempted again. */
  async #before<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const { message, mayPass } = failureOf(error);
      throw new StatementError(
        endReason(signal) ?? (mayPass === true ? "rolled_back" : "statement"),
        `${this.name} was not called. MCP server ${this.#parts.server.name}: ${message}`,
        { cause: error },
      );
    }
  }

  async #call(
    connection: McpConnection,
    call: {
      readonly pinned: ToolDefinition;
      readonly args: Readonly<Record<string, unknown>>;
      readonly request: StatementRequest;
      readonly signal: AbortSignal;
    },
  ): Promise<CallToolResult> {
    const { pinned, args, request, signal } = call;
    try {
      return await connection.call(pinned, args, { signal, timeoutMs: request.timeoutMs });
    } catch (error) {
      throw this.#failure(failureOf(error), { request, signal, cause: error });
    }
  }

  /**
   * A call that may have reached the tool and has no answer has an unknown outcome, unless the tool
   * only reads.
   */
  #failure(
    { isAnswered, message }: CallFailure,
    {
      request,
      signal,
      cause,
    }: {
      readonly request: StatementRequest;
      readonly signal: AbortSignal;
      readonly cause: unknown;
    },
  ): StatementError {
    const ended = endReason(signal);
    if (isAnswered || isReadIntent(request.intent)) {
      const reason = isAnswered ? "statement" : (ended ?? "statement");
      return new StatementError(reason, `${this.name} failed: ${message}`, { cause });
    }
    const what = ended === "aborted" ? "the step was cancelled during the call" : message;
    return new StatementError(
      "unknown",
      `It is unknown whether ${this.name} took effect: ${what}. The step is not run again ` +
        "automatically. Find out what the tool has changed before you run it again",
      { cause, isOverTime: ended === "timeout" },
    );
  }

  #outcome(result: CallToolResult): StatementResult {
    if (result.isError === true) {
      throw new StatementError("statement", `${this.name} reports an error: ${errorText(result)}`);
    }
    try {
      return rowsOfResult(result);
    } catch (cause) {
      const message = `${this.name} was called, and its result cannot be kept: it is nested too deeply`;
      throw new StatementError("statement", message, { cause });
    }
  }

  #pinned(): ToolDefinition {
    const pinned = this.#parts.pins.read().get(this.name);
    if (pinned !== undefined) return pinned;
    throw this.#refusal("its definition has not been accepted");
  }

  #requirePinned(pinned: ToolDefinition, offered: readonly ToolDefinition[]): void {
    const present = offered.find(({ name }) => name === this.#parts.tool);
    if (present === undefined) throw this.#refusal("the server no longer offers it");
    if (digestOf(present) !== digestOf(pinned)) {
      throw this.#refusal("the server has changed its definition since it was accepted");
    }
  }

  #refusal(reason: string): AppError {
    const message =
      `${this.name} was not called: ${reason}. An operator has to look at it with \`steward tools list\`, ` +
      `and accept it with \`steward tools pin ${this.name}\`. Then execute the step again`;
    return new AppError("POLICY_DENIED", message);
  }
}

/** The reason why the step ended before its call; undefined while the step waits for the call. */
function endReason(signal: AbortSignal): StatementFailureReason | undefined {
  if (!signal.aborted) return undefined;
  const { reason } = signal as { readonly reason: unknown };
  return reason instanceof Error && reason.name === "TimeoutError" ? "timeout" : "aborted";
}
