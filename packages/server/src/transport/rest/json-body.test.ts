import { afterEach, expect, it, vi } from "vitest";
import { LARGE_BODY_BYTES } from "../limits.js";
import { parseInTurns } from "./json-body.js";

afterEach(() => {
  vi.restoreAllMocks();
});

// Each of these takes milliseconds for a body of 4 MiB, so others are served in between.
it("joins, decodes, parses and passes on a large body in a turn each", async () => {
  const body = JSON.stringify({ name: "x".repeat(LARGE_BODY_BYTES) });
  const chunks = [Buffer.from(body.slice(0, 9)), Buffer.from(body.slice(9))];
  const turns = countedTurns();
  const steps: number[] = [];
  const concat = vi.spyOn(Buffer, "concat").mockImplementation((list, length) => {
    steps.push(turns.count());
    concat.mockRestore();
    return Buffer.concat(list, length);
  });
  const decode = vi.spyOn(TextDecoder.prototype, "decode").mockImplementation((bytes) => {
    steps.push(turns.count());
    decode.mockRestore();
    return new TextDecoder().decode(bytes);
  });
  const { parse } = JSON;
  vi.spyOn(JSON, "parse").mockImplementation((text: string) => {
    steps.push(turns.count());
    return parse(text) as unknown;
  });
  const read = await new Promise((resolve, reject) => {
    const sender = { contentType: "application/json", orgId: "a" };
    parseInTurns(sender, { chunks, bytes: body.length }, (error, found) => {
      steps.push(turns.count());
      if (error === null) resolve(found);
      else reject(error);
    });
  });
  turns.stop();
  expect(read).toEqual(parse(body));
  expect(steps).toHaveLength(4);
  expect(new Set(steps).size).toBe(4);
});

/** Counts the turns of the event loop. */
function countedTurns(): { readonly count: () => number; readonly stop: () => void } {
  let count = 0;
  const next = (): void => {
    count += 1;
    immediate = setImmediate(next);
  };
  let immediate = setImmediate(next);
  return { count: () => count, stop: () => clearImmediate(immediate) };
}
