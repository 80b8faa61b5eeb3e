import type { SubmitPlanRequest } from "@steward/client";
import { usageError } from "../cli-error.js";
import type { CliContext } from "../context.js";
import { readTextFile, STDIN } from "../text-file.js";

/**
 * Reads a plan from a JSON or YAML file, or from standard input. Only its outermost shape is
 * checked; the server validates the rest.
 * @throws CliError when the file does not exist, or is neither JSON nor YAML.
 */
export async function readPlanFile(
  file: string,
  context: Pick<CliContext, "stdin">,
): Promise<SubmitPlanRequest> {
  // The server validates the rest.
  return (await readObjectFile(file, context)) as unknown as SubmitPlanRequest;
}

/**
 * Reads an object with a plan's fields, or some of them.
 * @throws CliError as {@link readPlanFile}.
 */
export async function readObjectFile(
  file: string,
  { stdin }: Pick<CliContext, "stdin">,
): Promise<Readonly<Record<string, unknown>>> {
  const text = await readTextFile(file, stdin, "a plan file");
  const name = file === STDIN ? "standard input" : file;
  const plan = await parsePlan(text, name);
  if (typeof plan !== "object" || plan === null || Array.isArray(plan)) {
    throw usageError(
      `${name} does not hold a plan`,
      "write a JSON or YAML object with name and steps, as in examples/first-plan.json",
    );
  }
  return plan as Readonly<Record<string, unknown>>;
}

/**
 * JSON is a subset of YAML, so one parser reads both. It is imported only by commands that need it.
 */
async function parsePlan(text: string, name: string): Promise<unknown> {
  const { LineCounter, parseDocument } = await import("yaml");
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false });
  const [error] = document.errors;
  if (error === undefined) return document.toJS();
  const { line, col } = lineCounter.linePos(error.pos[0]);
  const where = `${name}:${String(line)}:${String(col)}`;
  throw usageError(`${where}: ${error.message}`, "correct the JSON or YAML there");
}
