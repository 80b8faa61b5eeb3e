/**
 * Sorts places by their keys, in linear time. The sort is stable: where keys are equal, places stay in their order.
 * @param keys by place: a number from 0 and below `limit`.
 * @param places what is sorted; left out: all places in ascending order.
 * @returns the places in ascending order of their keys.
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

/** By key: how many keys are smaller. At `limit`: how many keys there are. */
export function keyStarts(keys: Int32Array, limit: number): Int32Array {
  const starts = new Int32Array(limit + 1);
  for (const key of keys) starts[key + 1] = (starts[key + 1] ?? 0) + 1;
  for (let key = 0; key < limit; key++)
    starts[key + 1] = (starts[key + 1] ?? 0) + (starts[key] ?? 0);
  return starts;
}
