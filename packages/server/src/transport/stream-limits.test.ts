import { describe, expect, it } from "vitest";
import { openPerNetwork, streamsPerNetwork } from "./stream-limits.js";

describe("what one network may have open", () => {
  it("counts all addresses of one /64 of IPv6 together, and each address of IPv4", () => {
    const enter = openPerNetwork(2);
    const leave = enter("2001:db8:1:2::1");
    expect(enter("2001:db8:1:2:ffff::9")).toBeDefined();
    expect(enter("2001:db8:1:2::3")).toBeUndefined();
    expect(enter("2001:db8:1:3::3")).toBeDefined();
    for (const address of ["10.0.0.1", "::ffff:10.0.0.1"]) expect(enter(address)).toBeDefined();
    expect(enter("10.0.0.1")).toBeUndefined();
    expect(enter("10.0.0.2")).toBeDefined();
    leave?.();
    expect(enter("2001:db8:1:2::3")).toBeDefined();
  });

  it("refuses a stream too many", () => {
    const admit = streamsPerNetwork(1);
    admit("2001:db8::1");
    expect(() => admit("2001:db8::2")).toThrow(
      expect.objectContaining({ code: "QUOTA_EXCEEDED" }) as Error,
    );
  });
});
