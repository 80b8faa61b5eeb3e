import type { CliContext } from "./context.js";

/** Whether a person sits in front of the program, who can be asked. */
export function isInteractive({
  stdin,
  terminal,
}: Pick<CliContext, "stdin" | "terminal">): boolean {
  return stdin.isTTY === true && terminal.errorStream.isTTY === true;
}

/** Asks a person a question on standard error. Anything but y or yes is a no, the end of the input too. */
export async function confirm(
  question: string,
  { stdin, terminal }: Pick<CliContext, "stdin" | "terminal">,
): Promise<boolean> {
  terminal.errorStream.write(`${question} [y/N] `);
  let answer = "";
  for await (const chunk of stdin) {
    answer += Buffer.from(chunk).toString("utf8");
    if (answer.includes("\n")) break;
  }
  return /^\s*y(es)?\s*$/i.test(answer.split("\n", 1)[0] ?? "");
}
