import { sha256 } from "./merkle.js";

/** What the list shows of a record; a record of another version may lack any of it. */
export interface RecordEntry {
  readonly at: string | undefined;
  readonly kind: string | undefined;
  readonly subject: string | undefined;
  /** Who asked for it; absent: Steward itself. */
  readonly by: Readonly<Record<"kind" | "key", string | undefined>> | undefined;
}

/** Reads a record. What is no record has no members. */
export function entryOf(json: string): RecordEntry {
  const { at, kind, subject, by } = membersOf(parsed(json));
  const { kind: party, key } = membersOf(by);
  return {
    ...{ at: textOf(at), kind: textOf(kind), subject: textOf(subject) },
    by: by === undefined ? undefined : { kind: textOf(party), key: textOf(key) },
  };
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/**
 * Whether a record has the digest of these personal values: SHA-256 of the salt, a NUL byte and the
 * canonical JSON of the values by their places.
 */
export async function hasDigestOf(
  entry: string,
  salt: string,
  values: Readonly<Record<string, string>>,
): Promise<boolean> {
  const members = Object.keys(values)
    .sort()
    .map((place) => `${JSON.stringify(place)}:${JSON.stringify(values[place])}`);
  const hash = await sha256(new TextEncoder().encode(`${salt}\0{${members.join(",")}}`));
  const digest = btoa(String.fromCharCode(...hash))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
  return membersOf(parsed(entry))["personal"] === `sha256:${digest}`;
}
