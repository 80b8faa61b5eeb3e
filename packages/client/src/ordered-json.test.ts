import { expect, it } from "vitest";
import { orderedObject, parseOrdered } from "./ordered-json.js";

it.each([
  '{"region":"east","2024":10,"2023":20}',
  '[{"b":1,"10":[{"2":null,"1":{"x":1,"0":"\\"7\\":"}}],"9":2},{}]',
  '{"\\"5\\":":"a\\\\","4":"{\\"3\\":1}","":{"__proto__":1,"1":2},"__proto__":3}',
  '{"a":"\\"2\\":","b":1.5e+300,"c":[true,false,null,"é😀"]}',
])("reads and writes %s with its members in order", (json) => {
  expect(JSON.stringify(parseOrdered(json))).toBe(json);
  expect(parseOrdered(json)).toEqual(JSON.parse(json));
});

it("reads a long text, and refuses what is no JSON", () => {
  const json = `{"2":"${'\\"x'.repeat(3_000_000)}","1":0}`;
  expect(Object.keys(parseOrdered(json) as object)).toEqual(["2", "1"]);
  expect(() => parseOrdered('{"2":1')).toThrow(SyntaxError);
  expect(() => parseOrdered('{"2:1}')).toThrow(SyntaxError);
});

it("makes an object that lists, reads and copies its members in order", () => {
  const row = orderedObject([
    ["b", 1],
    ["2", 2],
    ["1", 3],
    ["b", 4],
  ]);
  expect(Object.entries(row)).toEqual([
    ["b", 4],
    ["2", 2],
    ["1", 3],
  ]);
  expect("2" in row && row["2"]).toBe(2);
});
