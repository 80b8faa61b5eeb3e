import { readFileSync } from "node:fs";
import { assert } from "@steward/kernel/assert.js";
import type { Environment } from "./env.js";
import type { Obstacle, Setting } from "./setting.js";
import { ALL_SETTINGS } from "./settings.js";

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

/** An error in a setting, which stops the start; secrets are masked. */
export interface SettingProblem extends Obstacle {
  /** Name of the variable. */
  readonly setting: string;
}

/** A setting with its parsed value; the value is absent when unset or invalid. */
export interface SettingValue<T> extends SettingReport {
  readonly value?: T | undefined;
  readonly problem?: SettingProblem;
}

/** The values of all settings, valid or not. */
export class SettingValues {
  readonly #values: ReadonlyMap<Setting<unknown>, SettingValue<unknown>>;

  constructor(sources: SettingSources) {
    const read = ALL_SETTINGS.map((each) => [each, readSetting(each, sources)] as const);
    this.#values = new Map(read);
  }

  /** In the table's order. */
  all(): readonly SettingValue<unknown>[] {
    return [...this.#values.values()];
  }

  of<T>(setting: Setting<T>): SettingValue<T> {
    const value = this.#values.get(setting);
    assert(value !== undefined, `${setting.name} is in the table of settings`);
    // The map has the type of no single setting; readSetting gave this one a T.
    return value as SettingValue<T>;
  }
}

/**
 * Reads one setting from the first source that has it. An empty text counts as unset. A setting
 * that may hold a secret is also read from the file named by the variable `<name>_FILE`.
 */
export function readSetting<T>(setting: Setting<T>, sources: SettingSources): SettingValue<T> {
  const { type, mask, whenUnset } = setting;
  const { origin, text, unreadable: problem } = find(setting, sources);
  if (problem !== undefined) return { setting, origin, problem };
  if (text === undefined) return { setting, origin, value: whenUnset };
  const shown = mask === undefined ? text : mask(text);
  const parsed = type.parse(text);
  const obstacle =
    parsed === undefined ? wrongValue(setting, origin, shown) : type.obstacle?.(text);
  if (obstacle === undefined) return { setting, origin, shown, value: parsed };
  return { setting, origin, shown, problem: { setting: setting.name, ...obstacle } };
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
  { name, flag, type, example }: Setting<unknown>,
  origin: SettingOrigin,
  shown: string,
): Obstacle {
  const where = origin === "flag" ? ` of --${flag ?? name}` : "";
  return {
    reason: `unknown value "${shown}"${where}: expected ${type.shape}`,
    fix: `set it to, for example, ${example}`,
  };
}
