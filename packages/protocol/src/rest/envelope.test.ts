import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { Message } from "./envelope.js";

describe("the type of a message", () => {
  // Checked at compile time: an expected type error that does not occur fails the build.
  it("is read-only throughout, and leaves out only what its schema lets be left out", () => {
    const shape = {
      names: z.array(z.string()),
      inner: z.object({ values: z.array(z.int()) }).nullable(),
      note: z.string().exactOptional(),
    };
    const message: Message<typeof shape> = z.object(shape).parse({ names: ["a"], inner: null });
    // @ts-expect-error -- a field
    message.names = [];
    // @ts-expect-error -- an array
    message.names.push("b");
    // @ts-expect-error -- a field and an array of an object within
    if (message.inner) (message.inner.values = []).push(2);
    // @ts-expect-error -- a required field
    const withoutNames: Message<typeof shape> = { inner: null };
    // @ts-expect-error -- undefined, where a field is to be left out
    const withUndefined: Message<typeof shape> = { ...withoutNames, note: undefined };
    expect(withUndefined).toHaveProperty("note");
  });
});
