import { BlockList, isIP } from "node:net";
import { byteText } from "@steward/kernel/byte-text.js";

/** The type of a setting's values: how to parse a value, and how to describe valid values. */
export interface SettingType<T> {
  /** Describes valid values; completes "expected …". */
  readonly shape: string;
  /** The placeholder in `--flag <…>`. */
  readonly placeholder: string;
  /** A valid value. */
  readonly example: string;
  /** @returns `undefined` for an invalid text. */
  readonly parse: (text: string) => T | undefined;
}

/** An integer with a unit and bounds. */
export function integer(options: {
  readonly min: number;
  readonly max: number;
  readonly unit: string;
  readonly placeholder: string;
  readonly example: string;
}): SettingType<number> {
  const { min, max, unit, placeholder, example } = options;
  return {
    shape: `a whole number of ${unit} from ${String(min)} to ${String(max)}`,
    placeholder,
    example,
    parse: (text) => wholeNumber(text, min, max),
  };
}

/** A number of bytes, with a unit or without. */
export function bytes(options: {
  readonly max: number;
  readonly example: string;
}): SettingType<number> {
  return {
    shape: `a number of bytes such as 500MB or 10GiB, at most ${byteText(options.max)}; 0: no limit`,
    placeholder: "bytes",
    example: options.example,
    parse: (text) => {
      const [, amount = "", unit = "B"] = /^(\d{1,15})([KMGT]i?B|B)?$/.exec(text) ?? [];
      const factor = BYTES_BY_UNIT[unit];
      const value = amount === "" || factor === undefined ? NaN : Number(amount) * factor;
      return value <= options.max ? value : undefined;
    },
  };
}

const BYTES_BY_UNIT: Readonly<Record<string, number>> = {
  ...{ B: 1, KB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 },
  ...{ KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3, TiB: 1024 ** 4 },
};

/** One word of a fixed set. */
export function oneOf<const T extends string>(words: readonly T[]): SettingType<T> {
  return {
    shape: words.length === 1 ? `only ${words.join()}` : `one of ${words.join(", ")}`,
    placeholder: words.join("|"),
    example: words[0] ?? "",
    parse: (text) => words.find((word) => word === text),
  };
}

/** Comma-separated words of a fixed set, without duplicates. */
export function listOf<const T extends string>(words: readonly T[]): SettingType<readonly T[]> {
  return {
    shape: `one or several of ${words.join(", ")}, separated by commas`,
    placeholder: "list",
    example: words.slice(0, 2).join(","),
    parse: (value) => {
      const named = splitList(value);
      const known = words.filter((word) => named.includes(word));
      return known.length === named.length ? known : undefined;
    },
  };
}

/** Comma-separated texts. */
export function texts(
  shape: string,
  placeholder: string,
  example: string,
): SettingType<readonly string[]> {
  return {
    shape,
    placeholder,
    example,
    parse: (value) => {
      const parts = splitList(value);
      return parts.every((part) => part !== "") ? parts : undefined;
    },
  };
}

/** Comma-separated `name=text` pairs with names of a fixed set, without duplicates. */
export function namedParts<const T extends string>(
  names: readonly T[],
  example: string,
): SettingType<Partial<Readonly<Record<T, string>>>> {
  return {
    shape: `name=claim,name=claim with names among ${names.join(", ")}`,
    placeholder: "claims",
    example,
    parse: (value) => {
      const parts: Partial<Record<T, string>> = {};
      for (const part of splitList(value)) {
        const [, named, claim] = /^([a-z]+)=(\S+)$/.exec(part) ?? [];
        const name = names.find((each) => each === named);
        if (name === undefined || parts[name] !== undefined) return undefined;
        parts[name] = claim;
      }
      return parts;
    },
  };
}

/** A URL whose responses cannot be tampered with: https, or http on loopback. */
export function trustedUrl(example: string): SettingType<string> {
  return {
    shape: "an https:// URL without a password; http:// on this machine only",
    placeholder: "url",
    example,
    parse: (value) => {
      if (!URL.canParse(value)) return undefined;
      const { protocol, hostname, username, password } = new URL(value);
      if (`${username}${password}` !== "") return undefined;
      const isLocal = protocol === "http:" && isLoopback(hostname.replace(/^\[|\]$/g, ""));
      return protocol === "https:" || isLocal ? value : undefined;
    },
  };
}

/** Text accepted by a rule. */
export function text(options: {
  readonly shape: string;
  readonly placeholder: string;
  readonly example: string;
  readonly pattern: RegExp;
}): SettingType<string> {
  const { pattern, ...described } = options;
  return { ...described, parse: (value) => (pattern.test(value) ? value : undefined) };
}

/** A TCP port; 0 lets the system choose a free one. */
export const port: SettingType<number> = {
  shape: "a TCP port from 0 to 65535 (0: any free one)",
  placeholder: "port",
  example: "8080",
  parse: (value) => wholeNumber(value, 0, 65_535),
};

export const boolean: SettingType<boolean> = {
  shape: "true or false",
  placeholder: "true|false",
  example: "true",
  parse: (value) =>
    ({ true: true, on: true, "1": true, false: false, off: false, "0": false })[value],
};

/** Comma-separated IP addresses and CIDR ranges. */
export const addressRanges: SettingType<readonly string[]> = {
  shape: "IP addresses or CIDR ranges separated by commas",
  placeholder: "ranges",
  example: "10.0.0.0/8,192.0.2.7",
  parse: (value) => {
    const ranges = splitList(value);
    return ranges.every(isAddressRange) ? ranges : undefined;
  },
};

/** A shared secret, or two of them during a rotation. */
export const secrets: SettingType<readonly string[]> = {
  shape:
    "at least 16 printable characters without spaces or commas, or two such secrets separated by a comma",
  placeholder: "secret",
  example: "the output of `openssl rand -hex 32`",
  parse: (value) => {
    const parts = splitList(value);
    return parts.length <= 2 && parts.every((part) => SECRET.test(part)) ? parts : undefined;
  },
};

/** Visible ASCII characters except the comma. */
const SECRET = /^[\x21-\x2b\x2d-\x7e]{16,}$/;

/** Whether a listener on this host can only be reached from this machine. */
export function isLoopback(host: string): boolean {
  if (host === "localhost") return true;
  const family = isIP(host);
  return family !== 0 && LOOPBACK.check(host, family === 6 ? "ipv6" : "ipv4");
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4");
LOOPBACK.addAddress("::1", "ipv6");

function splitList(value: string): readonly string[] {
  return value.split(",").map((part) => part.trim());
}

function wholeNumber(value: string, min: number, max: number): number | undefined {
  const number = /^\d{1,15}$/.test(value) ? Number(value) : NaN;
  return number >= min && number <= max ? number : undefined;
}

function isAddressRange(range: string): boolean {
  const [address = "", prefix, ...rest] = range.split("/");
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return prefix === undefined || wholeNumber(prefix, 0, family === 6 ? 128 : 32) !== undefined;
}
