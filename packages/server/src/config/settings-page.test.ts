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

The flag of \`SERVICE_DATA_DIR\` is \`--data-dir\`, and so on; a secret has none. Where \`…_FILE\` is mentioned, the variable with that ending may name a file that holds the value.

## The server: \`steward dev\`, \`steward serve\`

${HEAD}
${ALL_SETTINGS.map(row).join("\n")}

## The client commands: \`steward plan …\`

${HEAD}
${row(SERVER_URL_SETTING)}
| \`STEWARD_API_KEY\` | unset | API key to show to the server (\`--api-key\`, which other users of the machine can see, or \`--api-key-file\`). \`STEWARD_API_KEY_FILE\` names a file that holds it; \`STEWARD_TOKEN\` is a JSON Web Token instead. |

\`NO_COLOR\` turns colours off, \`FORCE_COLOR\` turns them on where there is no terminal.
`;
}

const HEAD = `| variable | default | what it says, and its value |
| --- | --- | --- |`;

function row(setting: Setting<unknown>): string {
  const { name, type, example, help } = setting;
  const preset = setting.default === undefined ? "unset" : `\`${setting.default}\``;
  const shown = example.includes("`") ? example : `\`${example}\``;
  const isPlain = example === setting.default || example === type.example;
  const value = isPlain ? type.shape : `${type.shape}, such as ${shown}`;
  const cells = [`\`${name}\``, preset, `${help} _Value${sourcesOf(setting)}: ${value}._`];
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

/** Other sources of the value than the variable and the flag that its name tells. */
function sourcesOf(setting: Setting<unknown>): string {
  const flag = setting.flag === flagOf(setting.name) ? [] : [setting.flag ?? "no flag"];
  const file = fileVariable(setting) === undefined ? [] : ["`…_FILE`"];
  const sources = [...flag.map((each) => (each === "no flag" ? each : `\`--${each}\``)), ...file];
  return sources.length === 0 ? "" : ` (${sources.join(", ")})`;
}

function flagOf(name: string): string {
  return name.replace("SERVICE_", "").toLowerCase().replaceAll("_", "-");
}
