import { describe, expect, it } from "vitest";
import { fileVariable } from "./read-settings.js";
import type { Setting } from "./setting.js";
import { ALL_SETTINGS, SERVER_URL_SETTING } from "./settings.js";

const PAGE = new URL("../../../../docs/settings.md", import.meta.url);

describe("docs/settings.md", () => {
  it("says what the table of settings says (vitest --update writes it)", async () => {
    await expect(settingsPage()).toMatchFileSnapshot(PAGE.pathname);
  });
});

/** Generates docs/settings.md from the table of settings. */
function settingsPage(): string {
  return `# Settings

A flag wins over the environment, the environment over the default. \`steward config\` shows the values in force and where each came from. A wrong value stops the start with all that is wrong at once.

## The server: \`steward dev\`, \`steward serve\`

${ALL_SETTINGS.map(entry).join("\n")}
## The client commands: \`steward plan …\`

${entry(SERVER_URL_SETTING)}
### STEWARD_API_KEY

API key to show to the server; \`STEWARD_API_KEY_FILE\` names a file that holds it, and \`STEWARD_TOKEN\` is a JSON Web Token instead.

- \`--api-key\`, which other users of the machine can see, or \`--api-key-file\`
- Default: unset

\`NO_COLOR\` turns colours off, \`FORCE_COLOR\` turns them on where there is no terminal.
`;
}

function entry(setting: Setting<unknown>): string {
  const { example } = setting;
  const flag = setting.flag === undefined ? "no flag: secret" : `\`--${setting.flag}\``;
  const preset = setting.default === undefined ? "unset" : `\`${setting.default}\``;
  return `### ${setting.name}

${setting.help}

- ${flag}
- Value: ${setting.type.shape}, for example ${example.includes("`") ? example : `\`${example}\``}${inFile(setting)}
- Default: ${preset}
`;
}

function inFile(setting: Setting<unknown>): string {
  const variable = fileVariable(setting);
  return variable === undefined ? "" : `; or in the file that \`${variable}\` names`;
}
