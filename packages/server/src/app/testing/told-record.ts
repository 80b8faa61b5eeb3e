/** A record as auditors receive it. */
interface ReceivedRecord {
  readonly entry: string;
  readonly values?: Readonly<Record<string, string>> | undefined;
}

/** A record whose digests are replaced by the values for which they stand. */
export function toldRecord({ entry, values = {} }: ReceivedRecord): unknown {
  const record = JSON.parse(entry) as Record<string, unknown>;
  for (const [place, value] of Object.entries(values)) {
    const path = place.split(".");
    const isOutside = (path[0] === "by" || path[0] === "request") && path.length > 1;
    const within: unknown = isOutside ? record : record["detail"];
    setAt(within, path, value);
  }
  return record;
}

function setAt(target: unknown, path: readonly string[], value: string): void {
  const [member = "", ...rest] = path;
  if (typeof target !== "object" || target === null) return;
  const members = target as Record<string, unknown>;
  if (rest.length === 0) members[member] = value;
  else setAt(members[member], rest, value);
}
