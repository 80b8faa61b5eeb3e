/** The name that was most likely meant, or `undefined` when none comes near. Case does not count. */
export function nearestName(wanted: string, names: readonly string[]): string | undefined {
  let nearest: string | undefined;
  let least = Math.max(1, Math.ceil(wanted.length / 3)) + 1;
  for (const name of names) {
    const distance = likeness(wanted.toLowerCase(), name.toLowerCase());
    if (distance < least) {
      least = distance;
      nearest = name;
    }
  }
  return nearest;
}

/** Shortest text that is worth finding inside another one. */
const PART_LENGTH_MIN = 3;

/** Edit distance, but for a name that is a part of the other: `email` and `email_address` are near. */
function likeness(wanted: string, name: string): number {
  const [short, long] = wanted.length < name.length ? [wanted, name] : [name, wanted];
  const isPart = short.length >= PART_LENGTH_MIN && long.includes(short);
  return isPart ? Math.min(1, long.length - short.length) : editDistance(wanted, name);
}

/** Levenshtein distance: insertions, deletions and substitutions from one text to the other. */
function editDistance(a: string, b: string): number {
  const row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (const [index, character] of [...a].entries()) {
    let diagonal = index;
    row[0] = index + 1;
    for (let column = 1; column <= b.length; column += 1) {
      const above = row[column] ?? 0;
      const substituted = diagonal + (character === b[column - 1] ? 0 : 1);
      row[column] = Math.min(above + 1, (row[column - 1] ?? 0) + 1, substituted);
      diagonal = above;
    }
  }
  return row[b.length] ?? 0;
}
