import { readFileSync } from "node:fs";
import type { Environment } from "./env.js";
import { SETTINGS } from "./settings.js";
import type { Setting, Settings } from "./settings.js";

/** The sources of values in order of precedence; each is keyed by the variable's name. */
export interface SettingSources {
  readonly flags?: Environment;
  readonly env: Environment;
  /** Defaults of one command, which override those of the table. */
  readonly defaults?: Environment;
}

export type SettingOrigin = "flag" | "environment" | "file" | "default" | "unset";

/** A setting and its value as text, for display. */
export interface SettingReport {
  readonly setting: Setting<unknown>;
  readonly origin: SettingOrigin;
  /** The value with secrets masked; absent: unset. */
  readonly shown?: string;
}

/** An error in a setting, which stops the start. */
export interface SettingProblem {
  readonly setting: string;
  /** The problem, as text with secrets masked. */
  readonly reason: string;
  /** How to correct it. */
  readonly fix: string;
}

/** A setting with its parsed value; the value is absent when unset or invalid. */
export interface SettingValue<T> extends SettingReport {
  readonly value?: T;
  readonly problem?: SettingProblem;
}

export type SettingValues = { readonly [K in keyof Settings]: ValueOf<Settings[K]> };

type ValueOf<S> = S extends Setting<infer T> ? SettingValue<T> : never;

/** Reads all settings, valid or not. */
export function readSettings(sources: SettingSources): SettingValues {
  const entries = Object.entries<Setting<unknown>>({ ...SETTINGS });
  const values = entries.map(([key, setting]) => [key, readSetting(setting, sources)]);
  // Object.fromEntries loses the type of each key's value.
  return Object.fromEntries(values) as SettingValues;
}

/**
 * Reads one setting from the first source that has it. An empty text counts as unset. A setting
 * that may hold a secret is also read from the file named by the variable `<name>_FILE`.
 */
export function readSetting<T>(setting: Setting<T>, sources: SettingSources): SettingValue<T> {
  const { origin, text, unreadable } = find(setting, sources);
  if (unreadable !== undefined) return { setting, origin, problem: unreadable };
  if (text === undefined) return { setting, origin };
  const shown = setting.mask === undefined ? text : setting.mask(text);
  const value = setting.type.parse(text);
  if (value !== undefined) return { setting, origin, shown, value };
  return { setting, origin, shown, problem: wrongValue(setting, origin, shown) };
}

/**
 * The variable that names the file with a secret setting's value; `undefined` for other settings.
 */
export function fileVariable({ name, mask }: Setting<unknown>): string | undefined {
  return mask === undefined ? undefined : `${name}_FILE`;
}

/** A setting's text and its source, or why the file could not be read. */
interface Found {
  readonly origin: SettingOrigin;
  readonly text?: string;
  readonly unreadable?: SettingProblem;
}

function find(setting: Setting<unknown>, sources: SettingSources): Found {
  const { name } = setting;
  const file = fileOf(setting, sources);
  if (file !== undefined) return fromFile(setting, sources, file);
  const layers: readonly (readonly [SettingOrigin, string | undefined])[] = [
    ["flag", sources.flags?.[name]],
    ["environment", sources.env[name]],
    ["default", sources.defaults?.[name]],
    ["default", setting.default],
  ];
  for (const [origin, text] of layers) {
    if (text !== undefined && text.trim() !== "") return { origin, text: text.trim() };
  }
  return { origin: "unset" };
}

function fileOf(setting: Setting<unknown>, { flags, env }: SettingSources): string | undefined {
  const variable = fileVariable(setting);
  const file = variable === undefined ? undefined : env[variable]?.trim();
  const isOverruled = (flags?.[setting.name] ?? "").trim() !== "";
  return file === "" || isOverruled ? undefined : file;
}

function fromFile(setting: Setting<unknown>, { env }: SettingSources, file: string): Found {
  const { name } = setting;
  const problem = (reason: string, fix: string): Found => ({
    origin: "file",
    unreadable: { setting: name, reason: `${name}_FILE: ${reason}`, fix },
  });
  if ((env[name] ?? "").trim() !== "") {
    return problem(`${name} is set as well`, "set one of the two");
  }
  try {
    const content = readFileSync(file);
    const text = content.byteLength > SECRET_FILE_BYTES_MAX ? "" : content.toString("utf8").trim();
    if (text !== "") return { origin: "file", text };
    return problem(`the file ${file} holds no value`, "write the value into it, and nothing else");
  } catch {
    return problem(`the file ${file} cannot be read`, "name a file that this user may read");
  }
}

/** A larger file is probably the wrong file. */
const SECRET_FILE_BYTES_MAX = 64 * 1024;

function wrongValue(
  setting: Setting<unknown>,
  origin: SettingOrigin,
  shown: string,
): SettingProblem {
  const where = origin === "flag" ? ` of --${setting.flag ?? setting.name}` : "";
  return {
    setting: setting.name,
    reason: `unknown value "${shown}"${where}: expected ${setting.type.shape}`,
    fix: `set it to, for example, ${setting.type.example}`,
  };
}
