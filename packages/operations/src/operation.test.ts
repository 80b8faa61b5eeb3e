import { expect, it } from "vitest";
import * as z from "zod";
import { operation, placesOf } from "./operation.js";

const TEXTS = {
  ...{ summary: "Move a thing", description: "Moves it.", tag: "Things" },
  ...({ output: z.object({}), errors: [], retry: false } as const),
};

it("sends each member of an input in the path, the query or the body", () => {
  const input = z.strictObject({ id: z.string(), to: z.string(), dry: z.string() });
  const route = { path: "/things/{id}", answered: "It is moved" } as const;
  expect(placesOf({ input, rest: { ...route, method: "POST" } })).toEqual({
    ...{ path: ["id"], query: [], body: ["to", "dry"] },
  });
  expect(placesOf({ input, rest: { ...route, method: "DELETE" } })).toEqual({
    ...{ path: ["id"], query: ["to", "dry"], body: [] },
  });
});

it("refuses an operation whose path has a parameter that its input lacks", () => {
  const rest = { method: "GET", path: "/things/{id}", answered: "The thing" } as const;
  const input = z.strictObject({});
  const make = () => operation({ ...TEXTS, name: "getThing", action: "things:read", input, rest });
  expect(make).toThrow("getThing has no id in its input");
});

it("lets only operations that read say nothing about their record", () => {
  const spec = { ...TEXTS, name: "moveThing", input: z.strictObject({}) } as const;
  operation({ ...spec, action: "things:read" });
  operation({ ...spec, action: "things:write", audit: "nothing" });
  // @ts-expect-error an operation that may change something says how it is recorded
  operation({ ...spec, action: "things:write" });
  expect(spec).not.toHaveProperty("audit");
});
