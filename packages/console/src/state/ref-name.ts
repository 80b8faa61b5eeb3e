/** The name of a branch or tag as a commit is named: without `heads/` or `tags/`. */
export function commitName(ref: string): string {
  return ref.replace(/^(heads|tags)\//, "");
}

/** Characters of a content id that people compare; its beginning is the same for all. */
const SHOWN = 10;

/** The end of a content id. */
export function shortId(commit: string): string {
  return commit.slice(-SHOWN);
}
