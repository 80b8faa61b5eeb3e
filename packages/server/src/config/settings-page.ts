import { fileVariable } from "./read-settings.js";
import { SERVER_URL_SETTING, SETTINGS } from "./settings.js";
import type { Setting } from "./settings.js";

/** Generates docs/settings.md from the table of settings. */
export function settingsPage(): string {
  const settings = Object.values<Setting<unknown>>({ ...SETTINGS });
  return `# Settings

A flag wins over the environment, the environment over the default. \`steward config\` shows what is
in force and where it came from; a wrong value stops the start with all that is wrong at once.

## The server: \`steward dev\`, \`steward serve\`

${settings.map(entry).join("\n")}
## The client commands: \`steward plan …\`

${entry(SERVER_URL_SETTING)}
### STEWARD_API_KEY

API key to show to the server; \`STEWARD_API_KEY_FILE\` names a file that holds it, and \`STEWARD_TOKEN\` is a JSON Web Token
instead.

- \`--api-key\`, which other users of the machine can see, or \`--api-key-file\`
- Default: unset

\`NO_COLOR\` turns colours off, \`FORCE_COLOR\` turns them on where there is no terminal.
`;
}

function entry(setting: Setting<unknown>): string {
  const flag = setting.flag === undefined ? "no flag: secret" : `\`--${setting.flag}\``;
  const preset = setting.default === undefined ? "unset" : `\`${setting.default}\``;
  return `### ${setting.name}

${setting.help}

- ${flag}
- Value: ${setting.type.shape}, for example ${example(setting)}${inFile(setting)}
- Default: ${preset}
`;
}

function inFile(setting: Setting<unknown>): string {
  const variable = fileVariable(setting);
  return variable === undefined ? "" : `; or in the file that \`${variable}\` names`;
}

function example({ type }: Setting<unknown>): string {
  return type.example.includes("`") ? type.example : `\`${type.example}\``;
}
