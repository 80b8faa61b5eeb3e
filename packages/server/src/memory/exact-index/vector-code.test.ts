import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeVector, packCode, packedLength, unpackCode } from "./vector-code.js";

const vector = fc.float32Array({
  minLength: 1,
  maxLength: 70,
  noNaN: true,
  noDefaultInfinity: true,
});

describe("a stored code", () => {
  it("is read back as it was written", () => {
    fc.assert(
      fc.property(vector, (values) => {
        const code = encodeVector(values);
        expect(unpackCode(packCode(code), values.length)).toEqual(code);
      }),
    );
  });

  it("is refused when any byte of it has changed", () => {
    fc.assert(
      fc.property(vector, fc.nat(), fc.integer({ min: 1, max: 255 }), (values, at, change) => {
        const bytes = packCode(encodeVector(values));
        const place = at % bytes.length;
        bytes[place] = (bytes[place] ?? 0) ^ change;
        expect(unpackCode(bytes, values.length)).toBeUndefined();
      }),
    );
  });

  it("is refused for another dimension", () => {
    expect(unpackCode(packCode(encodeVector(Float32Array.of(1, 2))), 3)).toBeUndefined();
  });

  it("has 16 bytes and one for each component", () => {
    expect(packedLength(768)).toBe(784);
    expect(packCode(encodeVector(new Float32Array(768)))).toHaveLength(784);
  });

  it("pins the format, so that codes on disk stay readable", () => {
    const hex = Buffer.from(packCode(encodeVector(Float32Array.of(3, -4, 0.5)))).toString("hex");
    expect(hex).toBe(PINNED);
  });
});

/** Version 1 of (3, -4, 0.5). */
const PINNED = "01000300ab27fe3b7642053bc6855397810416";
