import { createHash } from "node:crypto";

/** The texts that an organization has read and written, by field name. */
export class KnownValues {
  readonly #byName = new Map<string, Set<string>>();

  /** Adds every text of a JSON value. */
  learn(value: unknown, name = ""): void {
    if (typeof value === "string" && value !== "") {
      this.#byName.set(name, (this.#byName.get(name) ?? new Set()).add(value));
    } else if (Array.isArray(value)) {
      for (const each of value) this.learn(each, name);
    } else if (typeof value === "object" && value !== null) {
      for (const [key, each] of Object.entries(value)) this.learn(each, key);
    }
  }

  /** Possible ids for a field of this name, without texts that somebody has written. */
  idsOf(name: string): readonly string[] {
    return this.of(name).filter((value) => !isWritten(value));
  }

  /** Possible values for a field of this name. */
  of(name: string): readonly string[] {
    return [name, ...(ALIASES[name] ?? [])].flatMap((each) => [...(this.#byName.get(each) ?? [])]);
  }
}

const COMMITS = ["commit", "commits", "name", "branch"];
/** Fields that accept values of answers under another name. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  ...{ at: COMMITS, from: COMMITS, to: COMMITS, expected: ["commit"] },
  ...{ cursor: ["next_cursor"], step_id: ["id"], depends_on: ["step_id", "id"] },
  ...{ query: ["content"], subject: ["iri"], object: ["iri"], graph: ["iri"] },
};

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;
const COMMIT_ID = /\bbagu[a-z2-7]{40,}/g;
const DIGEST = /\b[0-9a-f]{64}\b/g;
const KEY_ID = /\b[0-9a-f]{24}\b/g;
const MARKER = /zq[0-9a-f]{12}/g;

/** Whether an organization wrote a text, rather than the service. */
export function isWritten(text: string): boolean {
  return text.match(MARKER) !== null;
}

/** Texts that identify something of one organization: ids, digests and its marker. */
export function namesIn(text: string): ReadonlySet<string> {
  return new Set(
    [UUID, COMMIT_ID, DIGEST, KEY_ID, MARKER].flatMap((pattern) => text.match(pattern) ?? []),
  );
}

/**
 * A text of the same form in which every name is unknown. The same text always has the same twin.
 * An id that begins with its time (UUID v7) keeps the time, so that it has the same position in a
 * list.
 */
export function unknownTwin(text: string): string {
  const digest = (name: string): string =>
    createHash("sha256").update(`twin ${name}`).digest("hex");
  return text
    .replace(UUID, (name) => {
      const hex = digest(name);
      const kept = name[14] === "7" ? 14 : 0;
      return name.replace(/(?<!^.{14})(?<!^.{19})[0-9a-f]/gi, (digit: string, at: number) =>
        at < kept ? digit : (hex[at] ?? "0"),
      );
    })
    .replace(COMMIT_ID, (name) => {
      const letters = digest(name).replaceAll(/[0189]/g, "q");
      return name.slice(0, 12) + letters.slice(0, 30) + name.slice(42);
    })
    .replace(DIGEST, digest)
    .replace(KEY_ID, (name) => digest(name).slice(0, 24))
    .replace(MARKER, (name) => `zq${digest(name).slice(0, 12)}`);
}

/**
 * An answer without the parts that may differ between two equivalent answers: names, times,
 * durations, and the size of a dataset, which the first of two imports has increased.
 */
export function meaningOf(text: string): string {
  return text
    .replace(UUID, "<uuid>")
    .replace(COMMIT_ID, "<commit>")
    .replace(DIGEST, "<digest>")
    .replace(KEY_ID, "<key id>")
    .replace(/(urn:steward:schema:\w+:)[0-9a-f]{32}/g, "$1<object>")
    .replace(MARKER, "<marker>")
    .replace(/\bbafk[a-z2-7]{40,}/g, "<root>")
    .replace(/\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT/g, "<date>")
    .replace(/stw_(live|test)_\w+/g, "<key>")
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z?/g, "<time>")
    .replace(/("duration_ms":\s*"?|waiting_?calls":\s*"?|"size":\s*)\d+/gi, "$1<n>");
}
