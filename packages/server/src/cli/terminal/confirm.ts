import type { CliContext } from "../context.js";

/** Whether the program runs interactively, so that it can ask a person. */
export function isInteractive({
  stdin,
  terminal,
}: Pick<CliContext, "stdin" | "terminal">): boolean {
  return stdin.isTTY === true && terminal.errorScreen.isTTY;
}

/**
 * Asks a yes-or-no question on standard error. Any answer other than y or yes means no, as does the
 * end of the input.
 */
export async function confirm(
  question: string,
  { stdin, terminal }: Pick<CliContext, "stdin" | "terminal">,
): Promise<boolean> {
  terminal.errorScreen.write(`${question} [y/N] `);
  let answer = "";
  for await (const chunk of stdin) {
    answer += Buffer.from(chunk).toString("utf8");
    if (answer.includes("\n")) break;
  }
  return /^\s*y(es)?\s*$/i.test(answer.split("\n", 1)[0] ?? "");
}
