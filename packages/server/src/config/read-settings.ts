import { readFileSync } from "node:fs";
import type { Environment } from "./env.js";
import { SETTINGS } from "./settings.js";
import type { Setting, Settings } from "./settings.js";

/** Where values come from, the strongest first; each keyed by the variable's name. */
export interface SettingSources {
  readonly flags?: Environment;
  readonly env: Environment;
  /** Defaults of one command, before those of the table. */
  readonly defaults?: Environment;
}

/** Which source a value came from. */
export type SettingOrigin = "flag" | "environment" | "file" | "default" | "unset";

/** One setting as it stands, fit to be shown. */
export interface SettingReport {
  readonly setting: Setting<unknown>;
  readonly origin: SettingOrigin;
  /** Secrets masked; absent: unset. */
  readonly shown?: string;
}

/** A setting that stops the start. */
export interface SettingProblem {
  /** Name of the variable. */
  readonly setting: string;
  /** What is wrong, with secrets masked. */
  readonly reason: string;
  /** What to do about it. */
  readonly fix: string;
}

/** A value read: of its type, or absent when it is unset or wrong. */
export interface SettingValue<T> extends SettingReport {
  readonly value?: T;
  readonly problem?: SettingProblem;
}

/** The values of all settings. */
export type SettingValues = { readonly [K in keyof Settings]: ValueOf<Settings[K]> };

type ValueOf<S> = S extends Setting<infer T> ? SettingValue<T> : never;

/** Reads every setting, right or wrong. */
export function readSettings(sources: SettingSources): SettingValues {
  const entries = Object.entries<Setting<unknown>>({ ...SETTINGS });
  const values = entries.map(([key, setting]) => [key, readSetting(setting, sources)]);
  // Each key keeps its own setting's type; Object.fromEntries cannot say so.
  return Object.fromEntries(values) as SettingValues;
}

/**
 * Reads one setting from the strongest source that has it. An empty text counts as unset. A setting that
 * may hold a secret is also read from the file that the variable `<name>_FILE` names.
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

/** The variable that names a file with the setting's value; `undefined` for what is no secret. */
export function fileVariable({ name, mask }: Setting<unknown>): string | undefined {
  return mask === undefined ? undefined : `${name}_FILE`;
}

/** The text of a setting and where it came from, or why its file has none. */
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

/** More is not a secret but another file. */
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
