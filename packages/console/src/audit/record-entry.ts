import { sha256 } from "./merkle.js";

/** What the list shows of a record; a record of another version may lack any of it. */
export interface RecordEntry {
  readonly at: string | undefined;
  readonly kind: string | undefined;
  readonly subject: string | undefined;
  /** Who asked for it; absent: Steward itself. */
  readonly by: Readonly<Record<"kind" | "agent" | "key", string | undefined>> | undefined;
}

/** Reads a record. What is no record has no members. */
export function entryOf(json: string): RecordEntry {
  const { at, kind, subject, by } = membersOf(parsed(json));
  const { kind: party, agent, key } = membersOf(by);
  return {
    ...{ at: textOf(at), kind: textOf(kind), subject: textOf(subject) },
    by:
      by === undefined
        ? undefined
        : { kind: textOf(party), agent: textOf(agent), key: textOf(key) },
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
 * The places of personal values whose digests are not in the record: SHA-256 of salt, place and value
 * with NUL bytes between them.
 */
export async function strangeValues(
  entry: string,
  salt: string,
  values: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const strange: string[] = [];
  for (const [place, value] of Object.entries(values)) {
    const hash = await sha256(new TextEncoder().encode(`${salt}\0${place}\0${value}`));
    const digest = btoa(String.fromCharCode(...hash))
      .replaceAll("+", "-")
      .replaceAll("/", "_")
      .replaceAll("=", "");
    if (!entry.includes(`"sha256:${digest}"`)) strange.push(place);
  }
  return strange;
}
