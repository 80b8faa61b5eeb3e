/** Text that is already HTML. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Content = string | number | Html | undefined | readonly Content[];

/** HTML from a template: inserted values are escaped, unless they are {@link Html} themselves. */
export function html(literals: TemplateStringsArray, ...contents: readonly Content[]): Html {
  return new Html(
    literals.reduce((text, literal, index) => text + rendered(contents[index - 1]) + literal),
  );
}

function rendered(content: Content): string {
  if (content === undefined) return "";
  if (content instanceof Html) return content.text;
  if (typeof content === "object") return content.map(rendered).join("");
  return String(content).replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}
