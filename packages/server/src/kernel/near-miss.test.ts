import { describe, expect, it } from "vitest";
import { nearMiss } from "./near-miss.js";

it("prefers the name that differs in case and separators only to one that is a part", () => {
  expect(nearMiss("InvoiceLine", ["invoice", "invoice_line"])).toBe("invoice_line");
});

describe("nearMiss", () => {
  it.each([
    ["PROT", "PORT"],
    ["hsot", "HOST"],
    ["GRPC_PROT", "GRPC_PORT"],
    ["DATA_SORCES", "DATA_SOURCES"],
    ["nme", "name"],
  ])("finds what %s meant: %s", (word, meant) => {
    expect(nearMiss(word, ["DATA_SOURCES", "GRPC_PORT", "HOST", "PORT", "name"])).toBe(meant);
  });

  it("takes a part for the whole, and the whole for a part", () => {
    const columns = ["id", "email_address", "name"];
    expect(nearMiss("email", columns)).toBe("email_address");
    expect(nearMiss("customer_name", columns)).toBe("name");
    expect(nearMiss("paid", columns)).toBeUndefined();
  });

  it("says nothing when no candidate is near", () => {
    expect(nearMiss("banana", ["HOST", "PORT"])).toBeUndefined();
    expect(nearMiss("x", [])).toBeUndefined();
  });

  it("prefers the nearest, then the first", () => {
    expect(nearMiss("orders", ["order", "borders", "orders"])).toBe("orders");
    expect(nearMiss("cat", ["bat", "rat"])).toBe("bat");
  });
});
