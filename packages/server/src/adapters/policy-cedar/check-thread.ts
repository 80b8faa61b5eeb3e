import { Worker } from "node:worker_threads";
import { AppError } from "../../kernel/errors.js";
import {
  POLICY_CHECK_MS_MAX,
  POLICY_CHECK_STACK_MEBIBYTES,
  POLICY_CHECKS_MAX,
  POLICY_TEXT_BYTES_MAX,
} from "../../kernel/limits.js";
import type { PolicyChecker, PolicyProblem } from "../../policies/ports.js";

/** Checks each text of policies in a thread of its own, which is ended when it takes too long. */
export class CheckThread implements PolicyChecker {
  #running = 0;

  async check(text: string): Promise<readonly PolicyProblem[]> {
    const bytes = Buffer.byteLength(text);
    if (bytes > POLICY_TEXT_BYTES_MAX) {
      const limit = String(POLICY_TEXT_BYTES_MAX);
      return [problem(`the policies have ${String(bytes)} bytes; at most ${limit} are allowed`)];
    }
    if (this.#running >= POLICY_CHECKS_MAX) {
      throw new AppError("OVERLOADED", "Other policies are being checked; try again", {
        retryAfterMs: 1000,
      });
    }
    this.#running += 1;
    try {
      return await checked(text);
    } finally {
      this.#running -= 1;
    }
  }
}

function checked(text: string): Promise<readonly PolicyProblem[]> {
  const worker = new Worker(new URL("./check-worker.js", import.meta.url), {
    workerData: text,
    resourceLimits: { stackSizeMb: POLICY_CHECK_STACK_MEBIBYTES },
  });
  worker.unref();
  return new Promise((resolve) => {
    const answer = (found: readonly PolicyProblem[]): void => {
      clearTimeout(timer);
      resolve(found);
      void worker.terminate();
    };
    const tooLarge = (): void => {
      answer([problem("the policies are too large or nested too deeply to be checked")]);
    };
    const timer = setTimeout(tooLarge, POLICY_CHECK_MS_MAX);
    worker.once("message", answer).once("error", tooLarge).once("exit", tooLarge);
  });
}

function problem(message: string): PolicyProblem {
  return { message, line: 1, column: 1 };
}
