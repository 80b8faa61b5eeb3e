/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment of this process. Other code must not read it, but gets the values it needs. */
export function processEnvironment(): Environment {
  return process.env;
}

const VARIABLE = /\$\{([A-Za-z_]\w*)\}/g;

/** The variables that a text names as `${NAME}` and that are not set. */
export function missingIn(text: string, env: Environment): readonly string[] {
  return [...text.matchAll(VARIABLE)].flatMap(([, name = ""]) =>
    env[name] === undefined ? [name] : [],
  );
}

/** The text with the values of the variables that it names. */
export function withVariables(text: string, env: Environment): string {
  return text.replace(VARIABLE, (_whole, name: string) => env[name] ?? "");
}
