import { describe, expect, it } from "vitest";
import { clientAddressBy } from "./client-address.js";

const addressOf = clientAddressBy(["10.0.0.0/8", "fd00::1"]);

describe("the address of a client", () => {
  it.each([
    ["that connects itself, whatever it says", "192.0.2.1", "198.51.100.7", "192.0.2.1"],
    ["behind a proxy", "10.0.0.1", "198.51.100.7", "198.51.100.7"],
    ["behind two proxies", "10.0.0.1", "198.51.100.7, 10.0.0.2", "198.51.100.7"],
    [
      "that forges what stands before",
      "10.0.0.1",
      "1.1.1.1, 10.0.0.9, 198.51.100.7",
      "198.51.100.7",
    ],
    ["with a port", "::ffff:10.0.0.1", "198.51.100.7:4711", "198.51.100.7"],
    ["with IPv6 and a port", "fd00::1", "[2001:db8::7]:4711", "2001:db8::7"],
    ["that sends nonsense through a proxy", "10.0.0.1", "unknown", "10.0.0.1"],
    ["of the proxy itself", "10.0.0.1", "", "10.0.0.1"],
  ])("%s", (_who, peerAddress, forwarded, expected) => {
    expect(addressOf({ headers: { "x-forwarded-for": forwarded }, peerAddress })).toBe(expected);
  });

  it("is that of the connection where no proxy is trusted", () => {
    const shown = { headers: { "x-forwarded-for": "192.0.2.1" }, peerAddress: "127.0.0.1" };
    expect(clientAddressBy([])(shown)).toBe("127.0.0.1");
  });
});
