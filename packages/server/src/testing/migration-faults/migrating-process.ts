import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { AppError } from "@steward/kernel/errors.js";
import type { FaultyEnd, FaultyRun } from "@steward/schema/testing/fault-place.js";
import type { ChildOrder, ChildReport } from "./migrating-child.js";

const [CHILD, PRELOADED] = ["./migrating-child.js", "./die-after-statement.js"].map((file) =>
  fileURLToPath(new URL(file, import.meta.url)),
) as [string, string];

/** A process that applies one migration when it is told to, and may kill itself at a statement. */
export class MigratingProcess implements AsyncDisposable {
  // Threads load what is required, and not what is imported.
  readonly #child: ChildProcessByStdio<Writable, Readable, null> = spawn(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", "--require", PRELOADED, CHILD],
    { stdio: ["pipe", "pipe", "inherit"] },
  );

  apply(order: ChildOrder): FaultyRun {
    const child = this.#child;
    let begin: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => (begin = resolve));
    let end: FaultyEnd | undefined;
    createInterface(child.stdout).on("line", (line) => {
      // The child says nothing else.
      const report = JSON.parse(line) as ChildReport;
      if ("begun" in report) begin();
      else end = endOf(report);
    });
    child.stdin.write(`${JSON.stringify(order)}\n`);
    const ended = once(child, "close").then(([code, signal]) => {
      begin();
      if (end !== undefined && (end === "died") === (signal === "SIGKILL")) return end;
      throw new Error(`the process ended by itself: ${String(code)} ${String(signal)}`);
    });
    return { begun, ended };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const closed = once(this.#child, "close");
    this.#child.kill("SIGKILL");
    await closed;
  }
}

function endOf(report: Exclude<ChildReport, { begun: true }>): FaultyEnd {
  if ("diedAfter" in report) return "died";
  if ("done" in report) return report.done;
  return new AppError(report.refused.code, report.refused.message);
}
