import type { CallToolResult } from "@modelcontextprotocol/server";
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
 * The result of a call. Its text is the same JSON with deceptive characters escaped, for clients that pass only text to the LLM. An output with
 * `error` is an error, whose message and hints come first in the text.
 */
export function toolResult(output: object): CallToolResult {
  const structuredContent = { ...output };
  const json = shownJson(JSON.stringify(structuredContent));
  const error = errorOf(output);
  if (error === undefined) {
    return { content: [{ type: "text", text: json }], structuredContent };
  }
  const { code, message, next_step: next } = error;
  const said = [`${code}: ${message}`, ...(next === undefined ? [] : [next]), ...hintsOf(output)];
  const text = [...said.map(shownText), json].join("\n");
  return { content: [{ type: "text", text }], structuredContent, isError: true };
}

/** The result of a call that was refused, or that could not be carried out. */
export function errorResult(thrown: unknown): CallToolResult {
  return toolResult({ error: toolError(AppError.from(thrown)) });
}

function toolError({ code, message, details, retryAfterMs }: AppError): ToolError {
  return {
    code,
    message,
    ...(details.length === 0 ? {} : { details }),
    ...(retryAfterMs === undefined ? {} : { retry_after_ms: Math.ceil(retryAfterMs) }),
    ...present({ next_step: nextStep(code) }),
  };
}

function errorOf(output: object): Pick<ToolError, "code" | "message" | "next_step"> | undefined {
  const error: unknown = Reflect.get(output, "error");
  // The field of this name is the same in the output of every tool.
  return error === undefined ? undefined : (error as ToolError);
}

function hintsOf(output: object): readonly string[] {
  const hints: unknown = Reflect.get(output, "hints");
  return Array.isArray(hints) ? hints.map(String) : [];
}
