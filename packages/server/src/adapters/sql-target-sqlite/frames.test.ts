import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeFrame, encodeHeads, FrameDecoder, type Frame } from "./frames.js";

describe("frames", () => {
  const texts = fc.string({
    unit: fc.constantFrom("a", "\0", "é", "😀", '"', "\n"),
    maxLength: 30,
  });
  const frames = fc.array(fc.record({ head: texts, body: texts }), { maxLength: 6 });

  it("arrive whole and in order, however the stream is cut", () => {
    const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(frames, cuts, (sent, sizes) => {
        const bytes = Buffer.concat(sent.map((frame) => encodeFrame(frame)));
        const decoder = new FrameDecoder();
        const received: Frame[] = [];
        for (let start = 0, cut = 0; start < bytes.length; cut += 1) {
          const size = sizes[cut % sizes.length] ?? 1;
          received.push(...decoder.push(bytes.subarray(start, start + size)));
          start += size;
        }
        expect(received).toEqual(sent);
      }),
    );
  });

  it("without a body are the same bytes together as one by one", () => {
    fc.assert(
      fc.property(fc.array(texts, { minLength: 1, maxLength: 6 }), (heads) => {
        const apart = heads.map((head) => encodeFrame({ head, body: "" }));
        expect(encodeHeads(heads)).toEqual(Buffer.concat(apart));
      }),
    );
  });

  it("of megabytes arrive from many small chunks", () => {
    const frame = { head: "{}", body: "é".repeat(1_000_000) };
    const bytes = encodeFrame(frame);
    const decoder = new FrameDecoder();
    const received: Frame[] = [];
    for (let start = 0; start < bytes.length; start += 1000) {
      received.push(...decoder.push(bytes.subarray(start, start + 1000)));
    }
    expect(received).toEqual([frame]);
  });
});
