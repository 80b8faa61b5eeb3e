import { BlockList, isIP } from "node:net";

/** A set of IP addresses and ranges. */
export class AddressSet {
  readonly #addresses = new BlockList();
  readonly #isEmpty: boolean;

  /**
   * @param entries Addresses or CIDR ranges, IPv4 or IPv6.
   * @throws Error when one is neither.
   */
  constructor(entries: readonly string[]) {
    this.#isEmpty = entries.length === 0;
    for (const entry of entries) {
      const [address = "", prefix] = entry.split("/");
      if (prefix === undefined) this.#addresses.addAddress(address, familyOf(address));
      else this.#addresses.addSubnet(address, Number(prefix), familyOf(address));
    }
  }

  /** An IPv4 address also matches in its IPv6 form, in which a dual-stack listener reports it. */
  has(address: string): boolean {
    if (this.#isEmpty) return false;
    return isIP(address) !== 0 && this.#addresses.check(address, familyOf(address));
  }
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 6 ? "ipv6" : "ipv4";
}
