import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MessageCheck } from "./postgres-messages.js";

const NOTICE = message("N", "SNOTICE\0Mhello\0\0");
const RIGHT = Buffer.concat([
  message("S", "TimeZone\0UTC\0"),
  NOTICE,
  message("D", "\0\x01\0\0\0\x01E"),
  message("E", "\0"),
  message("Z", "I"),
]);

describe("the check of PostgreSQL's messages", () => {
  it("lets every right stream pass, wherever the network cuts it", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(RIGHT.length), { maxLength: 8 }), (cuts) => {
        const check = new MessageCheck();
        const places = [0, ...cuts.sort((a, b) => a - b), RIGHT.length];
        for (const [index, start] of places.entries()) {
          check.push(RIGHT.subarray(start, places[index + 1] ?? RIGHT.length));
        }
      }),
    );
  });

  it.each([
    ["without the NUL behind the last field", message("E", "Mhello\0")],
    ["with a field that does not end", message("N", "Mhello")],
    ["without anything", message("E", "")],
    ["with a length that leaves no room for itself", Buffer.from("E\0\0\0\x03\0", "latin1")],
    ["with a length beyond any error", Buffer.from("E\xff\xff\xff\xff\0", "latin1")],
  ])("stops an error or notice %s", (_what, odd) => {
    const check = new MessageCheck();
    check.push(RIGHT);
    expect(() => check.push(odd)).toThrow(/malformed message|too long/);
  });
});

function message(type: string, content: string): Buffer {
  const head = Buffer.alloc(5);
  head.write(type, "latin1");
  head.writeUInt32BE(content.length + 4, 1);
  return Buffer.concat([head, Buffer.from(content, "latin1")]);
}
