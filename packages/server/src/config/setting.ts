import { assert } from "@steward/kernel/assert.js";

/** The type of a setting's values: how to parse a value, and how to describe valid values. */
export interface SettingType<T> {
  /** Describes valid values; completes "expected …". */
  readonly shape: string;
  /** The placeholder in `--flag <…>`. */
  readonly placeholder: string;
  /** A valid value, unless the setting has an example of its own. */
  readonly example?: string | undefined;
  /** @returns `undefined` for an invalid text. */
  readonly parse: (text: string) => T | undefined;
  /** Masks the secret parts of a text; absent: a text has none. */
  readonly mask?: (text: string) => string;
  /** Why a valid value cannot be used on this machine. */
  readonly obstacle?: (text: string) => Obstacle | undefined;
}

/** The reason why a value cannot be used, and how to correct it. */
export interface Obstacle {
  readonly reason: string;
  readonly fix: string;
}

/**
 * A setting: its value comes from a flag, else from the environment, else from its default.
 * @typeParam T type of its value in the configuration. It includes `undefined` when the setting may be
 * unset, and `null` when a valid text means that there is no value.
 */
export interface Setting<T> {
  /** Name of the environment variable. */
  readonly name: string;
  /**
   * Name of the flag, without dashes. Absent for secrets, which the list of processes would show.
   */
  readonly flag: string | undefined;
  readonly type: SettingType<T>;
  /** The default as text; absent: unset. */
  readonly default: string | undefined;
  /** The value when the setting is unset. */
  readonly whenUnset: T | undefined;
  /** A sentence for the help, `steward config` and the documentation. */
  readonly help: string;
  /** A valid value. */
  readonly example: string;
  /** Masks the secret parts of a value; absent: the value contains none. */
  readonly mask: ((value: string) => string) | undefined;
}

/** What an entry of the table says besides name and type. */
interface Details<T> {
  readonly help: string;
  /** The default, which is shown. */
  readonly default?: string | number | boolean;
  /** The value in the configuration when the setting is unset. */
  readonly whenUnset?: NoInfer<T>;
  /** Needed unless the type has one, or the default is one. */
  readonly example?: string;
  /** The setting gets no flag, and its value is masked as a whole unless the type masks it. */
  readonly secret?: true;
  /** The flag, unless it is the variable's name without `SERVICE_`. */
  readonly flag?: string;
}

type AlwaysGiven<T> =
  { readonly default: string | number | boolean } | { readonly whenUnset: NoInfer<T> };

/** An entry of the table of settings. */
export function setting<T>(
  name: string,
  type: SettingType<T>,
  details: Details<T> & AlwaysGiven<T>,
): Setting<T>;
export function setting<T>(
  name: string,
  type: SettingType<T>,
  details: Details<T>,
): Setting<T | undefined>;
export function setting<T>(
  name: string,
  type: SettingType<T>,
  { help, default: preset, whenUnset, secret, ...own }: Details<T>,
): Setting<T | undefined> {
  const example = own.example ?? type.example ?? preset;
  assert(example !== undefined, `${name} has an example`);
  const flag = own.flag ?? name.replace(SETTING_PREFIX, "").toLowerCase().replaceAll("_", "-");
  return {
    ...{ name, type, help, whenUnset },
    flag: secret ? undefined : flag,
    default: preset === undefined ? undefined : String(preset),
    example: String(example),
    mask: type.mask ?? (secret && (() => "***")),
  };
}

/** Most variables of settings begin with it. */
export const SETTING_PREFIX = "SERVICE_";

/** Settings in groups: an object of settings and of such objects. */
export interface SettingTree {
  readonly [key: string]: Setting<unknown> | SettingTree;
}

/** The settings of a tree, in its order. */
export function settingsOf(tree: SettingTree): readonly Setting<unknown>[] {
  return Object.values(tree).flatMap((node) => (isSetting(node) ? [node] : settingsOf(node)));
}

/** The values of a tree of settings; an absent value has no key. */
export type ValuesOf<Tree> = {
  readonly [K in keyof Tree as MayBeAbsent<Tree[K]> extends true ? never : K]: ValueOf<Tree[K]>;
} & {
  readonly [K in keyof Tree as MayBeAbsent<Tree[K]> extends true ? K : never]?: ValueOf<Tree[K]>;
};

type ValueOf<Node> = Node extends Setting<infer T> ? NonNullable<T> : ValuesOf<Node>;

type MayBeAbsent<Node> =
  Node extends Setting<infer T>
    ? Extract<T, null | undefined> extends never
      ? false
      : true
    : false;

/**
 * Replaces each setting of a tree by its value.
 * @param valueOf the valid value of a setting.
 */
export function valuesOf<Tree extends SettingTree>(
  tree: Tree,
  valueOf: (setting: Setting<unknown>) => unknown,
): ValuesOf<Tree> {
  const values = Object.entries(tree).flatMap(([key, node]) => {
    const value = isSetting(node) ? valueOf(node) : valuesOf(node, valueOf);
    return value === undefined || value === null ? [] : [[key, value] as const];
  });
  // Object.fromEntries loses the type of each key's value.
  return Object.fromEntries(values) as ValuesOf<Tree>;
}

function isSetting(node: Setting<unknown> | SettingTree): node is Setting<unknown> {
  return typeof node["help"] === "string";
}
