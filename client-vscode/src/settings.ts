/**
 * The editor's settings as they are sent to the server.
 *
 * The keys are those of `callwright.toml`, and those of what is shown beside the text. Only values that the user set are
 * passed on: a default would otherwise override the configuration file. Must not know: the editor's API, the server.
 */

/** The section of all settings. */
export const SECTION = "callwright";

/** Keys that belong to the server; all others stay in the editor. */
export const SERVER_KEYS = [
  "tools",
  "dialect",
  "accept",
  "strict",
  "files",
  "exclude",
  "select",
  "ignore",
  "severity",
  "markup",
  "reasoning",
  "provider",
  "template",
  "max_mistakes",
  "shipped",
] as const;

/** What is shown beside the text. These are not keys of `callwright.toml`, and have defaults. */
export const VIEW_KEYS = [
  "inlayHints.types",
  "inlayHints.defaults",
  "inlayHints.strikes",
  "codeLens.outcomes",
  "codeLens.feedback",
  "codeLens.convert",
] as const;

/** What is done with chat templates. It is no key of `callwright.toml`, and has a default. */
export const CHAT_TEMPLATES_KEY = "chatTemplates";

/** Settings by key, for as many keys as have a value. */
export type ServerSettings = Partial<Record<(typeof SERVER_KEYS)[number] | (typeof VIEW_KEYS)[number] | typeof CHAT_TEMPLATES_KEY, unknown>>;

/** Keep the keys that the server knows and that have a value. */
export function serverSettings(read: (key: string) => unknown): ServerSettings {
  const settings: ServerSettings = {};
  for (const key of [...SERVER_KEYS, ...VIEW_KEYS, CHAT_TEMPLATES_KEY] as const) {
    const value = read(key);
    if (value !== null && value !== undefined) {
      settings[key] = value;
    }
  }
  return settings;
}
