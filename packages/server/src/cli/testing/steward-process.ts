import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";

/** The installed program. */
export const BIN: string = fileURLToPath(new URL("../../../bin/steward.js", import.meta.url));

/** Result of a run of the program. */
export interface Ended {
  /** `null` when the process was ended by a signal. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Inputs of a run besides the arguments. */
export interface Surroundings {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** Another program than the installed one. */
  readonly program?: string;
}

/** A running program. Disposal kills the process, for example after a failed test. */
export interface Running extends AsyncDisposable {
  readonly process: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves with the text of one stream as soon as it matches. */
  readonly said: (stream: "stdout" | "stderr", pattern: RegExp) => Promise<string>;
}

/**
 * Runs the program to its end. Its environment contains only the given variables and Node's path.
 */
export function runSteward(args: readonly string[], around: Surroundings = {}): Promise<Ended> {
  return startSteward(args, around).ended;
}

export function startSteward(args: readonly string[], around: Surroundings = {}): Running {
  const child = spawn(process.execPath, [around.program ?? BIN, ...args], {
    env: { ...around.env },
    ...(around.cwd === undefined ? {} : { cwd: around.cwd }),
  });
  child.stdin.end(around.input ?? "");
  const text = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream].setEncoding("utf8").on("data", (chunk: string) => (text[stream] += chunk));
  }
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, ...text }));
  });
  const said = async (stream: "stdout" | "stderr", pattern: RegExp): Promise<string> => {
    for (;;) {
      if (pattern.test(text[stream])) return text[stream];
      const over = await Promise.race([
        ended.then(() => !pattern.test(text[stream])),
        new Promise<false>((resolve) => child[stream].once("data", () => resolve(false))),
      ]);
      if (over) throw new Error(`ended without saying ${String(pattern)}: ${JSON.stringify(text)}`);
    }
  };
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    await ended;
  };
  return { process: child, ended, said, [Symbol.asyncDispose]: kill };
}
