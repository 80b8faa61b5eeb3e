import { describe, expect, it } from "vitest";
import { castElements } from "./array-casts.js";

describe("the cast of a whole array", () => {
  it.each([
    [
      "CHECK (((a)::text = ANY ((ARRAY['p'::character varying, 'q]'::character varying])::text[])))",
      "CHECK (((a)::text = ANY (ARRAY[('p'::character varying)::text, ('q]'::character varying)::text])))",
    ],
    [
      '(ARRAY[1, f(2, 3)])::public."my type"(1, 2)[]',
      'ARRAY[(1)::public."my type"(1, 2), (f(2, 3))::public."my type"(1, 2)]',
    ],
    [
      "(ARRAY[ARRAY[1], ARRAY[2]])::timestamp(3) without time zone[]",
      "ARRAY[ARRAY[(1)::timestamp(3) without time zone], ARRAY[(2)::timestamp(3) without time zone]]",
    ],
    ["(ARRAY[x((ARRAY[1])::bigint[])])::text[]", "ARRAY[(x(ARRAY[(1)::bigint]))::text]"],
  ])("is that of its elements: %s", (given, expected) => {
    expect(castElements(given)).toBe(expected);
  });

  it.each([
    "ARRAY[1, 2]",
    "(ARRAY[1, 2])[1]",
    "(ARRAY[1])::my_array",
    "'(ARRAY[1])::text[]'::text",
    "$$ (ARRAY[1])::text[] $$",
  ])("is no other expression: %s", (sql) => {
    expect(castElements(sql)).toBe(sql);
  });
});
