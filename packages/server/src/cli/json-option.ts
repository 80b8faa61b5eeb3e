/** What `--json` does, the same for every command. */
export const JSON_OPTION_HELP = "Print data, and errors, as JSON.";
