/** What a command of WP-CLI takes. */
export interface WpCommand {
  /** Numbers of words; the second may be Infinity. */
  readonly words: readonly [number, number]
  /** Options with a value. */
  readonly values?: readonly string[]
  readonly flags?: readonly string[]
}

const list = ['format', 'fields', 'field']
const packageSource = ['version']

/**
 * The commands of WP-CLI that are simulated, with the options that Easydash may use.
 * Source: https://developer.wordpress.org/cli/commands/
 */
export const wpCommands = {
  'core version': { words: [0, 0], flags: ['extra'] },
  'core is-installed': { words: [0, 0], flags: ['network'] },
  'core check-update': { words: [0, 0], values: list, flags: ['minor', 'major'] },
  'core update': { words: [0, 1], values: ['version', 'locale', 'format'], flags: ['minor', 'force'] },
  'core update-db': { words: [0, 0], flags: ['network', 'dry-run'] },
  'core verify-checksums': {
    words: [0, 0],
    values: ['version', 'locale', 'format', 'exclude'],
    flags: ['include-root'],
  },
  'plugin list': { words: [0, Infinity], values: [...list, 'status', 'update'], flags: ['skip-update-check'] },
  'plugin install': { words: [1, Infinity], values: packageSource, flags: ['activate', 'activate-network', 'force'] },
  'plugin activate': { words: [0, Infinity], values: ['exclude'], flags: ['all', 'network'] },
  'plugin deactivate': { words: [0, Infinity], values: ['exclude'], flags: ['all', 'network', 'uninstall'] },
  'plugin update': {
    words: [0, Infinity],
    values: ['version', 'format', 'exclude'],
    flags: ['all', 'dry-run', 'minor', 'patch'],
  },
  'plugin delete': { words: [0, Infinity], values: ['exclude'], flags: ['all'] },
  'plugin verify-checksums': {
    words: [0, Infinity],
    values: ['format', 'exclude', 'version'],
    flags: ['all', 'strict'],
  },
  'theme list': { words: [0, Infinity], values: [...list, 'status', 'update'], flags: ['skip-update-check'] },
  'theme install': { words: [1, Infinity], values: packageSource, flags: ['activate', 'force'] },
  'theme activate': { words: [1, 1] },
  'theme update': {
    words: [0, Infinity],
    values: ['version', 'format', 'exclude'],
    flags: ['all', 'dry-run', 'minor', 'patch'],
  },
  'theme delete': { words: [0, Infinity], flags: ['all', 'force'] },
  'user list': { words: [0, 0], values: [...list, 'role', 'search', 'number', 'offset'], flags: ['network'] },
  'user get': { words: [1, 1], values: list },
  'user create': {
    words: [2, 2],
    values: ['prompt', 'role', 'user_pass', 'user_registered', 'display_name', 'first_name', 'last_name'],
    flags: ['porcelain', 'send-email'],
  },
  'user update': {
    words: [1, Infinity],
    values: ['prompt', 'role', 'user_pass', 'user_email', 'display_name', 'first_name', 'last_name'],
    flags: ['skip-email'],
  },
  'user set-role': { words: [1, 2] },
  'user delete': { words: [1, Infinity], values: ['reassign'], flags: ['network', 'yes'] },
  'user session destroy': { words: [1, 2], flags: ['all'] },
  'easydash sync': { words: [0, 0] },
  'option get': { words: [1, 1], values: ['format'] },
  'option list': { words: [0, 0], values: [...list, 'search', 'autoload'] },
  'option update': { words: [1, 2], values: ['format', 'autoload'] },
  'option delete': { words: [1, Infinity] },
  'search-replace': {
    words: [2, Infinity],
    values: ['format', 'precise', 'regex-flags', 'skip-columns', 'include-columns', 'skip-tables', 'report'],
    flags: [
      'dry-run',
      'regex',
      'network',
      'all-tables',
      'all-tables-with-prefix',
      'precise',
      'report-changed-only',
      'recurse-objects',
    ],
  },
  'cron event list': { words: [0, 0], values: list },
  'cron event run': { words: [0, Infinity], flags: ['due-now', 'all'], values: ['exclude'] },
  'cron event schedule': { words: [1, 2] },
  'cache flush': { words: [0, 0] },
  'cache type': { words: [0, 0] },
  'transient delete': { words: [0, 1], flags: ['all', 'expired', 'network'] },
  'rewrite flush': { words: [0, 0], flags: ['hard'] },
  'config get': { words: [0, 1], values: ['type', 'format'], flags: [] },
  'config set': { words: [2, 2], values: ['type', 'anchor', 'placement', 'separator'], flags: ['raw', 'add'] },
  'config delete': { words: [1, 1], values: ['type'] },
  'config has': { words: [1, 1], values: ['type'] },
  'db export': {
    words: [0, 1],
    values: ['tables', 'exclude_tables'],
    flags: ['add-drop-table', 'porcelain', 'single-transaction', 'hex-blob'],
  },
  'db import': { words: [0, 1], flags: ['skip-optimization'] },
  'db query': { words: [0, 1], flags: ['skip-column-names'] },
  'db size': { words: [0, 0], values: ['format', 'size_format'], flags: ['tables', 'human-readable'] },
  'db check': { words: [0, 0] },
  'maintenance-mode status': { words: [0, 0] },
  'maintenance-mode activate': { words: [0, 0], flags: ['force'] },
  'maintenance-mode deactivate': { words: [0, 0] },
} as const satisfies Readonly<Record<string, WpCommand>>

export type WpCommandName = keyof typeof wpCommands

/** Options of every command. */
export const wpGlobals: WpCommand = {
  words: [0, 0],
  values: ['path', 'url', 'user', 'skip-plugins', 'skip-themes', 'exec', 'require'],
  flags: ['skip-plugins', 'skip-themes', 'skip-packages', 'quiet', 'no-color', 'color', 'debug'],
}
