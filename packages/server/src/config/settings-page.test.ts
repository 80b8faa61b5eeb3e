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

The flag of \`SERVICE_DATA_DIR\` is \`--data-dir\`, and so on; a secret has none. Where \`…_FILE\` stands before a value, the variable with that ending may name a file that holds the value. The value https is an https:// URL without a password; http:// is taken for this machine only.

## The server: \`steward dev\`, \`steward serve\`

${HEAD}
${ALL_SETTINGS.map(row).join("\n")}

## The client commands: \`steward plan …\`

${HEAD}
${row(SERVER_URL_SETTING)}
| \`STEWARD_API_KEY\` | unset | API key to show to the server (\`--api-key\`, which other users of the machine can see, or \`--api-key-file\`). \`STEWARD_API_KEY_FILE\` names a file that holds it; \`STEWARD_TOKEN\` is a JSON Web Token instead. |  |

\`NO_COLOR\` turns colours off, \`FORCE_COLOR\` turns them on where there is no terminal.
`;
}

const HEAD = `| variable | default | what it says | value |
| --- | --- | --- | --- |`;

function row(setting: Setting<unknown>): string {
  const { name, default: preset, help } = setting;
  const shown = preset === undefined ? "unset" : `\`${preset}\``;
  const value = [...sourcesOf(setting), valueOf(setting)].join("; ");
  const cells = [`\`${name}\``, shown, help, value];
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

/** The shape of the value, shorter than in an error: the help has the unit of a number. */
function valueOf({ type, example, default: preset, flag }: Setting<unknown>): string {
  const shape = type.shape
    .replace(/^a whole number of \w+ from /, "")
    .replace(TRUSTED_URL, "https");
  const isPlain = example === preset || example === type.example;
  const isSecret = flag === undefined;
  if (isPlain || isSecret || /^(a path|https|\d+ to \d+)$/.test(shape)) return shape;
  return `${shape}, such as ${example.includes("`") ? example : `\`${example}\``}`;
}

const TRUSTED_URL = /^an https:\/\/ URL .* on this machine only$/;

/** Other sources of the value than the variable and the flag that its name tells. */
function sourcesOf(setting: Setting<unknown>): readonly string[] {
  const { name, flag = flagOf(name) } = setting;
  return [
    ...(flag === flagOf(name) ? [] : [`\`--${flag}\``]),
    ...(fileVariable(setting) === undefined ? [] : ["`…_FILE`"]),
  ];
}

function flagOf(name: string): string {
  return name.replace("SERVICE_", "").toLowerCase().replaceAll("_", "-");
}
