import { describe, expect, it } from "vitest";
import { isLoopback } from "./loopback.js";

describe("isLoopback", () => {
  it.each([
    ...["localhost", "127.0.0.1", "127.255.255.255", "::1", "[::1]", "0:0:0:0:0:0:0:1"],
    "::ffff:127.0.0.1",
  ])("is true for this machine: %s", (host) => {
    expect(isLoopback(host)).toBe(true);
  });

  it.each([
    ...["", "localhost.example.com", "127.0.0.1.example.com", "127.1", "127.0.0.256", "0.0.0.0"],
    ...["::", "::2", "::ffff:128.0.0.1", "127.0.0.1:80", "fe80::1"],
  ])("is false for any other host: %j", (host) => {
    expect(isLoopback(host)).toBe(false);
  });
});
