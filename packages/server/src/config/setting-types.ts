import { accessSync, constants } from "node:fs";
import { isIP } from "node:net";
import { byteText } from "@steward/kernel/byte-text.js";
import { isUuid } from "@steward/kernel/ids.js";
import { isLoopback } from "../kernel/loopback.js";
import { type Toolset, TOOLSETS_SHAPE, toolsetsOf } from "../kernel/toolsets.js";
import type { SettingType } from "./setting.js";

/** How a type describes its values. */
type Description = Pick<SettingType<unknown>, "shape" | "placeholder">;

/** A text that matches the pattern. */
export function text(pattern: RegExp, description: Description): SettingType<string> {
  return textThat((value) => pattern.test(value), description);
}

function textThat(
  isValid: (value: string) => boolean,
  description: Description,
): SettingType<string> {
  return { ...description, parse: (value) => (isValid(value) ? value : undefined) };
}

export const path: SettingType<string> = text(/^[^\0]+$/, { shape: "a path", placeholder: "path" });

/** A file that the server only reads. */
export const readableFile: SettingType<string> = {
  ...path,
  obstacle: (file) => {
    try {
      accessSync(file, constants.R_OK);
      return undefined;
    } catch {
      const fix = "give the path of a file that this user may read";
      return { reason: `the file ${file} cannot be read`, fix };
    }
  },
};

/** A whole number with a unit and bounds. */
export function integer(min: number, max: number, unit: string): SettingType<number> {
  return {
    shape: `a whole number of ${unit} from ${String(min)} to ${String(max)}`,
    placeholder: { milliseconds: "ms", days: "days" }[unit] ?? "n",
    parse: (value) => wholeNumber(value, min, max),
  };
}

export function milliseconds(min: number, max: number): SettingType<number> {
  return integer(min, max, "milliseconds");
}

/** A number of bytes, with a unit or without. */
export function bytes(max: number): SettingType<number> {
  return {
    shape: `a number of bytes such as 500MB or 10GiB, at most ${byteText(max)}; 0: no limit`,
    placeholder: "bytes",
    parse: (value) => {
      const [, amount = "", unit = "B"] = /^(\d{1,15})([KMGT]i?B|B)?$/.exec(value) ?? [];
      const number = amount === "" ? NaN : Number(amount) * (BYTES_BY_UNIT[unit] ?? NaN);
      return number <= max ? number : undefined;
    },
  };
}

const BYTES_BY_UNIT: Readonly<Record<string, number>> = {
  ...{ B: 1, KB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 },
  ...{ KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3, TiB: 1024 ** 4 },
};

/** A number of which 0 stands for no limit. */
export function unlimitedAtZero(type: SettingType<number>): SettingType<number | null> {
  return {
    ...type,
    parse: (value) => {
      const number = type.parse(value);
      return number === 0 ? null : number;
    },
  };
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

/** One word of a fixed set. */
export function oneOf<const T extends string>(words: readonly T[]): SettingType<T> {
  return {
    shape: `one of ${words.join(", ")}`,
    placeholder: words.join("|"),
    example: words[0] ?? "",
    parse: (value) => words.find((word) => word === value),
  };
}

/** A feature that is on or off. */
export const onOff: SettingType<boolean> = {
  ...oneOf(["off", "on"]),
  parse: (value) => ({ on: true, off: false })[value],
};

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

/** Toolsets of the MCP endpoint. */
export const toolsets: SettingType<readonly Toolset[]> = {
  shape: TOOLSETS_SHAPE,
  placeholder: "list",
  example: "ask,memory",
  parse: (value) => {
    const named = toolsetsOf(value);
    return "toolsets" in named ? named.toolsets : undefined;
  },
};

/** Comma-separated texts that the rule accepts, `max` at most. */
export function texts(
  isValid: (part: string) => boolean,
  { max = Infinity, ...description }: Description & { readonly max?: number },
): SettingType<readonly string[]> {
  return {
    ...description,
    parse: (value) => {
      const parts = splitList(value);
      return parts.length <= max && parts.every(isValid) ? parts : undefined;
    },
  };
}

/**
 * Parses comma-separated parts.
 * @returns `undefined` when a part is invalid, two have the same name, or there are too many.
 */
export function distinctParts<T>(
  value: string,
  max: number,
  parse: (part: string) => T | undefined,
  nameOf: (part: T) => string,
): readonly T[] | undefined {
  const texts = splitList(value);
  const parts = texts.map(parse).filter((part) => part !== undefined);
  const isDistinct = new Set(parts.map(nameOf)).size === texts.length;
  return isDistinct && texts.length <= max ? parts : undefined;
}

/**
 * Comma-separated `name=claim` pairs, without duplicates.
 * @param preset the claims by name, for names that are not in the text.
 */
export function claimNames<T extends Readonly<Record<keyof T, string>>>(preset: T): SettingType<T> {
  return {
    shape: `name=claim,name=claim with names among ${Object.keys(preset).join(", ")}`,
    placeholder: "claims",
    parse: (value) => {
      const pairs = distinctParts(value, Infinity, claimPair, ([name]) => name);
      const isKnown = pairs?.every(([name]) => Object.hasOwn(preset, name)) === true;
      return isKnown ? { ...preset, ...Object.fromEntries(pairs) } : undefined;
    },
  };
}

function claimPair(part: string): readonly [name: string, claim: string] | undefined {
  const [, name = "", claim = ""] = /^([a-z]+)=(\S+)$/.exec(part) ?? [];
  return claim === "" ? undefined : [name, claim];
}

/** The base URL of a server. */
export function httpUrl(shape: string): SettingType<string> {
  const isHttp = (value: string): boolean =>
    /^https?:\/\/[^/?#\s]+/i.test(value) && URL.canParse(value);
  return textThat(isHttp, { shape, placeholder: "url" });
}

export const trustedUrl: SettingType<string> = textThat(isTrustedUrl, {
  shape: "an https:// URL without a password; http:// on this machine only",
  placeholder: "url",
});

/** Whether responses from the URL cannot be tampered with: https, or http on loopback. */
export function isTrustedUrl(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, hostname, username, password } = new URL(value);
  if (`${username}${password}` !== "") return false;
  const isLocal = protocol === "http:" && isLoopback(hostname);
  return protocol === "https:" || isLocal;
}

const EXAMPLE_ORGANIZATION = "7d9f2c61-4b0e-4f0a-9a57-2f1f6f7f0b11";

export const organizationId: SettingType<string> = {
  shape: "the id of an organization, a UUID",
  placeholder: "uuid",
  example: EXAMPLE_ORGANIZATION,
  parse: (value) => (isUuid(value) ? value.toLowerCase() : undefined),
};

export const organizationIds: SettingType<readonly string[]> = {
  shape: "ids of organizations, UUIDs separated by commas",
  placeholder: "uuids",
  example: EXAMPLE_ORGANIZATION,
  parse: (value) => {
    const ids = splitList(value.toLowerCase());
    return ids.every(isUuid) ? ids : undefined;
  },
};

/** Whether a text is an IP address or a CIDR range. */
export function isAddressRange(range: string): boolean {
  const [address = "", prefix, ...rest] = range.split("/");
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return prefix === undefined || wholeNumber(prefix, 0, family === 6 ? 128 : 32) !== undefined;
}

function splitList(value: string): readonly string[] {
  return value.split(",").map((part) => part.trim());
}

function wholeNumber(value: string, min: number, max: number): number | undefined {
  const number = /^\d{1,15}$/.test(value) ? Number(value) : NaN;
  return number >= min && number <= max ? number : undefined;
}
