/** A fenced block of a document. */
export interface Snippet {
  /** `README.md:35`, the line of its first fence. */
  readonly place: string;
  /** The word after the fence: `sh`, `ts`, `sql`, or nothing. */
  readonly language: string;
  readonly text: string;
  /** The text between the previous block and this one. */
  readonly prose: string;
}

/** The fenced blocks of a Markdown document, in order. */
export function snippetsOf(file: string, markdown: string): readonly Snippet[] {
  const snippets: Snippet[] = [];
  let end = 0;
  // A block in a list is indented.
  for (const match of markdown.matchAll(/^( *)```(\w*)\n(.*?)^\1```$/gms)) {
    const [block, indent = "", language = "", indented = ""] = match;
    const text = indented.replaceAll(new RegExp(`^${indent}`, "gm"), "");
    const line = markdown.slice(0, match.index).split("\n").length;
    const prose = markdown.slice(end, match.index);
    snippets.push({ place: `${file}:${String(line)}`, language, text, prose });
    end = match.index + block.length;
  }
  return snippets;
}
