/**
 * Stable counting sort, in linear time.
 * @param keys by index: a number from 0 and below `limit`.
 * @param places the indices to sort; absent: all indices in ascending order.
 * @returns the indices in ascending order of their keys.
 */
export function sortedByKey(keys: Int32Array, limit: number, places?: Int32Array): Int32Array {
  const next = keyStarts(keys, limit);
  const sorted = new Int32Array(keys.length);
  for (let index = 0; index < keys.length; index++) {
    const place = places === undefined ? index : (places[index] ?? 0);
    const key = keys[place] ?? 0;
    sorted[next[key] ?? 0] = place;
    next[key] = (next[key] ?? 0) + 1;
  }
  return sorted;
}

/** By key: the number of smaller keys. At `limit`: the number of all keys. */
export function keyStarts(keys: Int32Array, limit: number): Int32Array {
  const starts = new Int32Array(limit + 1);
  for (const key of keys) starts[key + 1] = (starts[key + 1] ?? 0) + 1;
  for (let key = 0; key < limit; key++)
    starts[key + 1] = (starts[key + 1] ?? 0) + (starts[key] ?? 0);
  return starts;
}
