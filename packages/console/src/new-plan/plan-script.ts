import type { PlanStepDef } from "@steward/client";

/** A plan as it is written in the editor. */
export interface PlanScript {
  readonly steps: readonly PlanStepDef[];
  /** Errors that prevent a check of the plan, each with its line, from 1. */
  readonly problems: readonly { readonly line: number; readonly text: "twice" | "empty" }[];
}

/** `-- step <id> [after <id>, <id>] [on <data source>] [tool <name>] [intent <name>] [: <name of the step>]` */
const HEADER =
  /^--\s*step\s+(?<id>[\w-]{1,64})(?:\s+after\s+(?<after>[\w-]+(?:\s*,\s*[\w-]+)*))?(?:\s+on\s+(?<source>[\w-]+))?(?:\s+tool\s+(?<tool>[^\s:]\S*?))?(?:\s+intent\s+(?<intent>\w+))?\s*(?::\s*(?<name>.*?))?\s*$/i;
const PLACEHOLDER = /\{\{\s*step\.([\w-]+)\./g;
/** The step before the first header, so that a single statement needs none. */
const FIRST = { id: "step_1", line: 1 };

interface Part {
  readonly id: string;
  readonly line: number;
  readonly after?: string | undefined;
  readonly source?: string | undefined;
  readonly tool?: string | undefined;
  readonly intent?: string | undefined;
  readonly name?: string | undefined;
  readonly body: string[];
}

/**
 * Reads statements with a comment line before each. A step comes after those that its statement
 * refers to, without saying so.
 */
export function planScriptOf(text: string): PlanScript {
  const parts = partsOf(text);
  const seen = new Set<string>();
  const problems: { line: number; text: "twice" | "empty" }[] = [];
  for (const { id, line, body } of parts) {
    if (seen.has(id)) problems.push({ line, text: "twice" });
    if (statementOf(body) === "") problems.push({ line, text: "empty" });
    seen.add(id);
  }
  return { steps: parts.map(stepOf), problems };
}

function partsOf(text: string): readonly Part[] {
  const parts: Part[] = [{ ...FIRST, body: [] }];
  for (const [index, line] of text.split("\n").entries()) {
    const { id, ...rest } = HEADER.exec(line)?.groups ?? {};
    if (id === undefined) parts.at(-1)?.body.push(line);
    else parts.push({ id, line: index + 1, ...rest, body: [] });
  }
  return parts.filter(({ id, line, body }) =>
    id === FIRST.id && line === FIRST.line ? statementOf(body) !== "" : true,
  );
}

function stepOf({ id, after, source, tool, intent, name, body }: Part): PlanStepDef {
  const statement = statementOf(body);
  const named = after?.split(",").map((each) => each.trim()) ?? [];
  const referred = [...statement.matchAll(PLACEHOLDER)].flatMap(([, step]) =>
    step === undefined ? [] : [step],
  );
  return {
    id,
    query_template: statement,
    depends_on: [...new Set([...named, ...referred])],
    ...(name === undefined || name === "" ? {} : { name }),
    ...(source === undefined ? {} : { data_source: source }),
    ...(tool === undefined ? {} : { tool_name: tool }),
    ...(intent === undefined ? {} : { intent }),
  };
}

/** One statement, without the semicolon that ends it in other editors. */
function statementOf(body: readonly string[]): string {
  return body.join("\n").trim().replace(/;\s*$/, "").trim();
}
