/**
 * Iterates over the items of all pages of a list. A page is requested when the items of the
 * previous page are used up.
 * @param read requests one page; an error that it rejects with ends the iteration.
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
