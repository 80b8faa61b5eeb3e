import { afterEach, describe, expect, it } from "vitest";
import { AppError } from "../errors.js";
import type { TestCalls, TestNews } from "./testing/serving-thread.js";
import { WorkerThread, type WorkerThreadOptions } from "./worker-thread.js";

/** A real thread that answers, fails, hangs and dies as it is asked. */
const open: WorkerThread<TestCalls, TestNews>[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((thread) => thread.terminate()));
});

function start(
  over: Partial<WorkerThreadOptions<TestNews>> = {},
): WorkerThread<TestCalls, TestNews> {
  const thread = new WorkerThread<TestCalls, TestNews>({
    url: new URL("./testing/serving-thread.js", import.meta.url),
    handlers: {
      double: (number) => {
        if (number > 100) throw new AppError("LIMIT_EXCEEDED", "too much", { retryAfterMs: 7 });
        return 2 * number;
      },
    },
    goneError: (cause) => new AppError("STORE_UNAVAILABLE", "the thread is gone", { cause }),
    ...over,
  });
  open.push(thread);
  return thread;
}

describe("a worker thread", () => {
  it("answers each call with what belongs to it, whatever the order of the answers", async () => {
    const thread = start();
    const waits = [30, 0, 20, 10];
    expect(await Promise.all(waits.map((ms) => thread.call("after", ms)))).toEqual(waits);
  });

  it("carries an error of either side to whoever asked, with its code, details and time to wait", async () => {
    const thread = start();
    await expect(thread.call("fail", "no such table")).rejects.toMatchObject({
      name: "AppError",
      code: "INVALID_ARGUMENT",
      message: "no such table",
      details: [{ field: "sql", reason: "wrong" }],
      retryAfterMs: 5,
      cause: expect.stringContaining("underneath") as unknown,
    });
    expect(await thread.call("askBack", 21)).toBe(42);
    await expect(thread.call("askBack", 101)).rejects.toMatchObject({
      code: "LIMIT_EXCEEDED",
      retryAfterMs: 7,
    });
    await expect(thread.call("throwAnything", undefined)).rejects.toMatchObject({
      code: "INTERNAL",
      message: "Internal error",
    });
  });

  it("tells everybody who waits, and who asks later, one clear thing when it dies", async () => {
    const thread = start();
    const waiting = [thread.call("after", 60_000), thread.call("after", 60_000)];
    const dying = thread.call("die", undefined);
    for (const call of [...waiting, dying]) {
      await expect(call).rejects.toMatchObject({
        code: "STORE_UNAVAILABLE",
        message: "the thread is gone",
        cause: { message: "died on purpose" },
      });
    }
    await expect(thread.call("after", 0)).rejects.toThrow("the thread is gone");
    expect(await thread.ended).toMatchObject({ message: "died on purpose" });
  });

  it("is ended by a call that takes longer than it may, even in the middle of a computation", async () => {
    const thread = start();
    await thread.call("after", 0);
    const hanging = thread.call("hang", undefined, { timeoutMs: 50 });
    await expect(hanging).rejects.toThrow("gone");
    await expect(thread.call("after", 0)).rejects.toThrow("gone");
    expect(await thread.ended).toBeUndefined();
  });

  it("calls a question off: the caller hears its reason at once, and the thread is told", async () => {
    const thread = start();
    const leaving = new AbortController();
    const call = thread.call("after", 60_000, { signal: leaving.signal });
    leaving.abort(new Error("I left"));
    await expect(call).rejects.toThrow("I left");
    await expect.poll(() => thread.call("calledOff", undefined)).toBe(1);
    await expect(
      thread.call("after", 0, { signal: AbortSignal.abort(new Error("gone before")) }),
    ).rejects.toThrow("gone before");
  });

  it("answers what it was asked before it ends", async () => {
    const thread = start();
    const call = thread.call("after", 20);
    await thread[Symbol.asyncDispose]();
    expect(await call).toBe(20);
    await expect(thread.call("after", 0)).rejects.toThrow("gone");
  });

  it("refuses what cannot be sent, and goes on", async () => {
    const thread = start();
    const unsendable = (() => 1) as unknown as number;
    await expect(thread.call("after", unsendable)).rejects.toThrow("could not be cloned");
    expect(await thread.call("after", 1)).toBe(1);
  });
});
