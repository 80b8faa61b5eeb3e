import { expect, it } from "vitest";
import { byteText } from "./byte-text.js";

it("writes a number of bytes in the largest unit that is not exceeded", () => {
  const texts = [0, 1023, 1024, 1536, 10_485_760, 107_374_182_400, 5 * 1024 ** 4].map(byteText);
  expect(texts).toEqual([
    ...["0 bytes", "1023 bytes", "1.00 KiB", "1.50 KiB", "10.0 MiB", "100 GiB", "5.00 TiB"],
  ]);
});
