import type { ToolAnnotations } from "@modelcontextprotocol/server";
import type * as z from "zod";
import type { Intent } from "../../governance/index.js";
import type { Action } from "../../identity/index.js";
import type { QueryRuntimeContext } from "../../plans/index.js";
import type { OperationRecord } from "../../audit/index.js";
import type { ResolvedParameters } from "@steward/operations";
import { actionOf, shareOf, recordOf, resolvesOf } from "../operations.js";
import type { Share } from "../organization-quotas.js";
import type { ResourceRights } from "../resource-rights.js";
import type { Services } from "../services.js";

/** The context of a tool call, in addition to its input. */
export interface ToolScope {
  readonly context: QueryRuntimeContext;
  readonly services: Services;
  readonly rights: ResourceRights;
  /** Tells the client the plan that the call runs, as soon as it is known; absent: nobody has asked. */
  readonly runsPlan?: ((planId: string) => void) | undefined;
}

/** An object schema. The fields of an input are flat where they can be: LLMs fill flat objects best. */
type Fields = z.ZodObject<z.ZodRawShape>;

export interface ToolDefinition<Input extends Fields, Output extends object> {
  /** In snake_case; it never changes, because clients allow tools by name. */
  readonly name: string;
  readonly title: string;
  /** For the LLM: what the tool is for, when to use it, and what to do next. */
  readonly description: string;
  /** All four annotations are set, so that no client falls back to MCP's defaults. */
  readonly annotations: Required<Omit<ToolAnnotations, "title">>;
  /** URI of the page that shows a result, in clients that show MCP Apps. */
  readonly app?: string;
  /**
   * The operations that a call performs, with their names in `operations.ts`. All of them are
   * authorized before the arguments are read.
   */
  readonly operations: readonly [string, ...string[]];
  /** The arguments that name what may be something else later, where their names are not those of the operations. */
  readonly resolves?: ResolvedParameters;
  /**
   * The intent of the usage row that a call makes (Decision §7). `step`: the call runs a step, whose attempt
   * makes the row.
   */
  readonly usage: Intent | "step";
  readonly input: Input;
  /**
   * The schema of the object that `run` resolves to. The LLM gets an output with `error` as an
   * error.
   */
  readonly output: z.ZodType<Output>;
  /** The output as the LLM reads it, in few tokens; absent: its JSON. */
  readonly text?: (output: Output) => string;
  readonly run: (input: z.output<Input>, scope: ToolScope) => Promise<Output>;
}

/** A tool that is ready to be listed and called. */
export interface McpTool extends Omit<
  ToolDefinition<Fields, object>,
  "operations" | "run" | "input" | "output" | "text" | "resolves"
> {
  /** The action of each of its operations. */
  readonly actions: readonly Action[];
  /** The operation of a call that leaves a record, if one does. */
  readonly recorded: { readonly operation: string; readonly record: OperationRecord } | undefined;
  readonly resolves: ResolvedParameters;
  /** The quota that a call counts against. */
  readonly share: Share | undefined;
  readonly input: Fields;
  readonly output: z.ZodType<object>;
  /** @param output what `run` has resolved to. */
  readonly text: (output: object) => string;
  /** @param input what `input` has accepted. */
  readonly run: (input: unknown, scope: ToolScope) => Promise<object>;
}

/**
 * Makes a tool of its definition.
 * @throws AssertionError for an operation without an action: such a tool cannot be served.
 */
export function defineTool<Input extends Fields, Output extends object>(
  definition: ToolDefinition<Input, Output>,
): McpTool {
  const {
    operations,
    run,
    resolves,
    text = (output: Output) => JSON.stringify(output),
    ...rest
  } = definition;
  return {
    ...rest,
    actions: operations.map(actionOf),
    recorded: operations.map(recordedOf).find((recorded) => recorded !== undefined),
    resolves: resolves ?? resolvedArguments(operations, rest.input),
    share: operations.map(shareOf).find((share) => share !== undefined),
    // The output is that of the tool's own `run`.
    text: (output) => text(output as Output),
    // The caller has checked the input against the tool's own schema.
    run: (input, scope) => run(input as z.output<Input>, scope),
  };
}

/** What the operations resolve of the parameters that the tool has too. */
function resolvedArguments(operations: readonly string[], input: Fields): ResolvedParameters {
  const all = operations.flatMap((operation) => Object.entries(resolvesOf(operation) ?? {}));
  return Object.fromEntries(all.filter(([parameter]) => parameter in input.shape));
}

function recordedOf(operation: string): McpTool["recorded"] {
  const record = recordOf(operation);
  return record === undefined ? undefined : { operation, record };
}
