/**
 * Configuration: what a start is told, read once from flags, environment and defaults.
 *
 * Glossary. **Setting**: one thing that can be told. **Origin**: where its value came from.
 * **Problem**: a setting that stops the start. **Config**: all of them, typed and frozen.
 */
export type { Config, DataSourceConfig, ToolConfig, ToolsConfig } from "./config.js";
export { clonesDirectory, nodeFile, stateDirectory } from "./data-dir.js";
export { maskDatabaseUrl, sqliteFile } from "./database-url.js";
export { processEnvironment, type Environment } from "./env.js";
export { loadConfig, readConfig, type ConfigReading } from "./load-config.js";
export {
  readSetting,
  type SettingProblem,
  type SettingReport,
  type SettingSources,
} from "./read-settings.js";
export { SERVER_URL_SETTING, SETTINGS, type Setting } from "./settings.js";
