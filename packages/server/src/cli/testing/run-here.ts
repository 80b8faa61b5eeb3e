import type { ExitCode } from "../exit-code.js";
import { runCommand } from "../run-command.js";
import { createTerminal } from "../terminal.js";
import type { Ended, Surroundings } from "./steward-process.js";

/** What a run in this process is given beside its arguments. */
export interface SurroundingsHere extends Surroundings {
  /** What a person on a terminal types; left out, there is no terminal. */
  readonly answer?: string;
}

/**
 * Runs a command in this process, which takes a tenth of the time of a process of its own: for what a command does,
 * writes and ends with. That the program runs at all is shown by `runSteward`, once for each family of commands.
 * @param around as `runSteward` takes it. The working directory is that of the whole process while the command runs.
 */
export async function runHere(
  args: readonly string[],
  around: SurroundingsHere = {},
): Promise<Ended> {
  const { answer, input = "" } = around;
  const text = { stdout: "", stderr: "" };
  const isTTY = answer !== undefined;
  const write = (stream: "stdout" | "stderr") => (chunk: string | Uint8Array, taken?: unknown) => {
    text[stream] += Buffer.from(chunk).toString("utf8");
    if (typeof taken === "function") taken();
    return true;
  };
  const streams = { out: { write: write("stdout") }, error: { write: write("stderr"), isTTY } };
  const env = { ...(isTTY ? { NO_COLOR: "1" } : {}), ...around.env };
  let code: ExitCode = 0;
  const directory = process.cwd();
  if (around.cwd !== undefined) process.chdir(around.cwd);
  try {
    await runCommand(args, {
      env,
      stdin: Object.assign(answer === undefined ? piped(input) : typed(answer), { isTTY }),
      terminal: createTerminal(streams.out, streams.error, env),
      exitWith: (ended) => (code = ended),
    });
  } finally {
    process.chdir(directory);
  }
  return { code, ...text };
}

async function* piped(input: string): AsyncGenerator<string> {
  if (input !== "") yield await Promise.resolve(input);
}

/** What is typed comes piece by piece, and more may come later. */
async function* typed(answer: string): AsyncGenerator<string> {
  for (const character of answer) yield await Promise.resolve(character);
}
