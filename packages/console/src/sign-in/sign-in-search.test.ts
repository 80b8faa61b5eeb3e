import { expect, it } from "vitest";
import { signInSearchOf } from "./sign-in-search.js";

it("a sign-in returns to a path of this console only", () => {
  expect(signInSearchOf({ return_to: "/plans?status=failed" })).toEqual({
    return_to: "/plans?status=failed",
  });
  for (const target of ["//evil.test", "/\\evil.test", "https://evil.test/", "javascript:x", 7]) {
    expect(signInSearchOf({ return_to: target })).toEqual({});
  }
});

it("an error of the address is one of the known ones, never its text", () => {
  expect(signInSearchOf({ error: "Call +1 555" })).toEqual({ error: "failed" });
  expect(signInSearchOf({ error: "unavailable" })).toEqual({ error: "unavailable" });
});
