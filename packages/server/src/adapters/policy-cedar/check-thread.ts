import { AppError } from "@steward/kernel/errors.js";
import {
  POLICY_CHECK_MS_MAX,
  POLICY_CHECK_STACK_MEBIBYTES,
  POLICY_CHECKS_MAX,
  POLICY_TEXT_BYTES_MAX,
} from "../../policies/limits.js";
import { WorkerThread } from "@steward/kernel/concurrency/worker-thread.js";
import type { PolicyChecker, PolicyProblem } from "../../policies/ports.js";
import type { CheckCalls } from "./check-worker.js";

/** Checks each policy text in a worker thread, which is terminated after a time limit. */
export class CheckThread implements PolicyChecker {
  #running = 0;

  async check(text: string): Promise<readonly PolicyProblem[]> {
    const bytes = Buffer.byteLength(text);
    if (bytes > POLICY_TEXT_BYTES_MAX) {
      const limit = String(POLICY_TEXT_BYTES_MAX);
      return [problem(`the policies have ${String(bytes)} bytes; at most ${limit} are allowed`)];
    }
    if (this.#running >= POLICY_CHECKS_MAX) {
      throw new AppError("OVERLOADED", "The server is checking other policies; try again", {
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

/** When the thread dies, the text is to blame: Cedar's own failures end the thread too. */
async function checked(text: string): Promise<readonly PolicyProblem[]> {
  const thread = new WorkerThread<CheckCalls>({
    url: new URL("./check-worker.js", import.meta.url),
    resourceLimits: { stackSizeMb: POLICY_CHECK_STACK_MEBIBYTES },
    isBackground: true,
    handlers: {},
    goneError: (cause) => cause ?? new Error("the thread has ended"),
  });
  try {
    return await thread.call("check", text, { timeoutMs: POLICY_CHECK_MS_MAX });
  } catch {
    return [problem("the policies are too large or nested too deeply to be checked")];
  } finally {
    void thread.terminate();
  }
}

function problem(message: string): PolicyProblem {
  return { message, line: 1, column: 1 };
}
