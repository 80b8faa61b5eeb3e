/**
 * The items of every page of a list, each page asked for when the items of the one before are used up.
 * @param read one page; what it rejects with ends the iteration.
 */
export async function* eachItem<Item, Query extends { readonly cursor?: string }>(
  query: Query,
  read: (
    query: Query,
  ) => Promise<{ readonly items: readonly Item[]; readonly next?: string | undefined }>,
): AsyncGenerator<Item, void> {
  let page = await read(query);
  for (;;) {
    yield* page.items;
    if (page.next === undefined) return;
    page = await read({ ...query, cursor: page.next });
  }
}
