import type { CallToolResult, InputRequiredResult } from "@modelcontextprotocol/server";
import { AppError } from "@steward/kernel/errors.js";
import { shownJson, shownText } from "@steward/kernel/shown-text.js";
import { present } from "../../kernel/present.js";
import { nextStep } from "./next-step.js";

/** Why a tool call failed: the field `error` of its structured content. */
export interface ToolError {
  readonly code: string;
  readonly message: string;
  readonly details?: readonly { readonly field: string; readonly reason: string }[];
  readonly retry_after_ms?: number;
  readonly next_step?: string;
}

/**
 * The result of a call: its structured content for programs, and a text for the LLM, in which deceptive characters are
 * escaped. An output with `error` is an error, whose text is its message and hints, each of them once.
 * @param textOf the text of an output without `error`.
 */
export function toolResult(
  output: object,
  textOf: (output: object) => string = JSON.stringify,
): CallToolResult {
  const structuredContent = { ...output };
  const error = errorOf(output);
  if (error === undefined) {
    const text = shownJson(textOf(output));
    return { content: [{ type: "text", text }], structuredContent };
  }
  const text = errorText(error, hintsOf(output)).map(shownText).join("\n");
  return { content: [{ type: "text", text }], structuredContent, isError: true };
}

/**
 * The result of a call that was refused, or that could not be carried out.
 * @param hasPlans whether the client has the tools of plans, so that the text may name them.
 */
export function errorResult(thrown: unknown, hasPlans: boolean): CallToolResult {
  return toolResult({ error: toolError(AppError.from(thrown), hasPlans) });
}

/** A result without its structured content. */
export function textOnly<Result extends CallToolResult | InputRequiredResult>(
  result: Result,
): Result {
  const { structuredContent: _programs, ...rest } = result;
  // Structured content is optional in every result.
  return rest as Result;
}

function toolError(
  { code, message, details, retryAfterMs }: AppError,
  hasPlans: boolean,
): ToolError {
  return {
    code,
    message,
    ...(details.length === 0 ? {} : { details }),
    ...(retryAfterMs === undefined ? {} : { retry_after_ms: Math.ceil(retryAfterMs) }),
    ...present({ next_step: nextStep(code, hasPlans) }),
  };
}

/**
 * The lines of an error for an LLM. A message that begins with a field is about the first wrong field, and the other
 * fields follow it. A hint that begins with the message takes its place.
 */
function errorText(
  { code, message, details = [], retry_after_ms, next_step }: ToolError,
  hints: readonly string[],
): readonly string[] {
  const [first, ...others] = details;
  const longer = hints.find((hint) => hint.startsWith(message));
  const isOfField = first !== undefined && message.startsWith(`${first.field}: `);
  return [
    `${code}: ${longer ?? message}`,
    ...(isOfField ? others.map(({ field, reason }) => `${field}: ${reason}`) : []),
    ...(retry_after_ms === undefined ? [] : [`Try again after ${String(retry_after_ms)} ms.`]),
    ...(next_step === undefined ? [] : [next_step]),
    ...hints.filter((hint) => hint !== longer),
  ];
}

function errorOf(output: object): ToolError | undefined {
  const error: unknown = Reflect.get(output, "error");
  // The field of this name is the same in the output of every tool.
  return error === undefined ? undefined : (error as ToolError);
}

function hintsOf(output: object): readonly string[] {
  const hints: unknown = Reflect.get(output, "hints");
  return Array.isArray(hints) ? hints.map(String) : [];
}
