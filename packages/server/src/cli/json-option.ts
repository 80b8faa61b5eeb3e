/** Help text of `--json`. */
export const JSON_OPTION_HELP = "Print data, and errors, as JSON.";
