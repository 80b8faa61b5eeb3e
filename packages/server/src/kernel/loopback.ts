import { BlockList, isIP } from "node:net";

/**
 * Whether a host is this machine: localhost, or an address of loopback.
 * @param host A name or an IP address, with or without the brackets of IPv6.
 */
export function isLoopback(host: string): boolean {
  if (host === "localhost") return true;
  const address = host.replace(/^\[|\]$/g, "");
  const family = isIP(address);
  // An IPv4 address also matches in its IPv6 form, in which a dual-stack listener reports it.
  return family !== 0 && LOOPBACK.check(address, family === 6 ? "ipv6" : "ipv4");
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4");
LOOPBACK.addAddress("::1", "ipv6");
