import { readFileSync } from "node:fs";
import type { SubmitPlanRequest } from "@steward/client";
import { usageError } from "../cli-error.js";
import type { CliContext } from "../context.js";

/** What stands for standard input where a file is asked for. */
export const STDIN = "-";

/**
 * A plan from a JSON or YAML file, or from standard input. Only its outermost shape is looked at:
 * whether the plan is right is for the server to say.
 * @throws CliError when there is no such file, or it holds neither JSON nor YAML.
 */
export async function readPlanFile(
  file: string,
  { stdin }: Pick<CliContext, "stdin">,
): Promise<SubmitPlanRequest> {
  const text = file === STDIN ? await readAll(stdin) : readText(file);
  const name = file === STDIN ? "standard input" : file;
  const plan = await parsePlan(text, name);
  if (typeof plan !== "object" || plan === null || Array.isArray(plan)) {
    throw usageError(
      `${name} does not hold a plan`,
      "write a JSON or YAML object with name and steps, as in examples/first-plan.json",
    );
  }
  // The server judges the rest.
  return plan as SubmitPlanRequest;
}

/** JSON is YAML too, so one parser reads both. It is loaded for the commands that need it. */
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

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw usageError(
      `Cannot read ${file}: ${reason}`,
      "give the path of a plan file, or - for standard input",
    );
  }
}

async function readAll(input: AsyncIterable<Uint8Array | string>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of input) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString("utf8");
}
