import { expect, it } from "vitest";
import { recordRow } from "./record-row.js";

it.each([
  [{ kind: "person", key: "k1" }, { "by.user": "bob" }, "bob by key k1"],
  [{ kind: "agent", key: "k2" }, { "by.agent": "bot", "by.user": "ada" }, "bot for ada by key k2"],
  [{ kind: "agent" }, { "by.agent": "bot", "by.user": "ada" }, "bot for ada"],
  [{ kind: "program", key: "k3" }, { "request.peer": "::1" }, "program by key k3"],
  [{ kind: "person", key: "k4" }, undefined, "person (erased) by key k4"],
])("tells a person from the key that the request carried: %j", (by, values, who) => {
  const about = { at: "2026-01-01T00:00:00Z", kind: "plan.changed", subject: "p", detail: {} };
  const entry = JSON.stringify({ ...about, by, personal: "sha256:" });
  expect(recordRow({ index: 1, entry, ...(values === undefined ? {} : { values }) })[3]).toBe(who);
});
