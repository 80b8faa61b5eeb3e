import { describe, expect, it } from "vitest";
import { html } from "./html.js";

describe("html", () => {
  it("escapes what is put in, but not HTML", () => {
    const inner = html`<b>${"<i>\"&'"}</b>`;
    expect(html`<p title="${'"'}">${inner}${[inner, 1]}${undefined}</p>`.text).toBe(
      `<p title="&#34;">${inner.text}${inner.text}1</p>`,
    );
    expect(inner.text).toBe("<b>&#60;i&#62;&#34;&#38;&#39;</b>");
  });
});
