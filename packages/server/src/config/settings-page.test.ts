import { describe, expect, it } from "vitest";
import { settingsPage } from "./settings-page.js";

const PAGE = new URL("../../../../docs/settings.md", import.meta.url);

describe("docs/settings.md", () => {
  it("says what the table of settings says (vitest --update writes it)", async () => {
    await expect(settingsPage()).toMatchFileSnapshot(PAGE.pathname);
  });
});
