import { isIP } from "node:net";
import { AddressSet } from "./address-set.js";
import type { ShownIdentity } from "../services.js";

/** The IP address of the client that sent a request, as far as it can be known. */
export type ClientAddress = (shown: Pick<ShownIdentity, "headers" | "peerAddress">) => string;

/** Addresses that are read of one `X-Forwarded-For`, beginning with the nearest proxy's. */
const FORWARDED_MAX = 16;

/**
 * Reads the client's address from `X-Forwarded-For`, to which each proxy appends the address of its
 * own client. Only what trusted proxies have appended counts: the first address from the right that
 * is no trusted proxy's is the client's, and what stands before it may be forged.
 * @param trustedProxies Addresses or CIDR ranges.
 */
export function clientAddressBy(trustedProxies: readonly string[]): ClientAddress {
  const proxies = new AddressSet(trustedProxies);
  return ({ headers, peerAddress }) => {
    if (!proxies.has(peerAddress)) return peerAddress;
    const value = headers["x-forwarded-for"] ?? "";
    const hops = (typeof value === "string" ? value : value.join(",")).split(",");
    let client = peerAddress;
    for (const hop of hops.reverse().slice(0, FORWARDED_MAX)) {
      const address = withoutPort(hop.trim());
      if (isIP(address) === 0) return client;
      client = address;
      if (!proxies.has(address)) return client;
    }
    return client;
  };
}

/** Some proxies append the port, and then write an IPv6 address in brackets. */
function withoutPort(hop: string): string {
  const [, bracketed, plain] = /^\[([^\]]*)\](?::\d+)?$|^([\d.]+):\d+$/.exec(hop) ?? [];
  return bracketed ?? plain ?? hop;
}
