/** What can be done to many sites in one bulk run, by its name, with the action that each site gets. */
export const bulkActions = {
  set_php_version: { action: 'set_php_version', label: 'Change PHP version', arg: 'php_version' },
  flush_cache: { action: 'flush_cache_job', label: 'Clear cache', arg: null },
  verify_checksum: { action: 'verify_checksum', label: 'Verify checksums', arg: null },
  update_plugin: { action: 'set_plugin', label: 'Update plugin', arg: 'plugin', args: { do: 'update' } },
  suspend: { action: 'suspend', label: 'Suspend', arg: null },
  resume: { action: 'resume', label: 'Resume', arg: null },
  archive: { action: 'archive', label: 'Archive', arg: 'backup' },
  restore_archive: { action: 'restore_archive', label: 'Restore from archive', arg: null },
  delete_permanently: { action: 'delete_permanently', label: 'Delete permanently', arg: null },
} as const

/** Name of something that can be done to many sites. */
export type BulkActionName = keyof typeof bulkActions

/** The names of `bulkActions`. */
export const bulkActionNames = [
  'set_php_version',
  'flush_cache',
  'verify_checksum',
  'update_plugin',
  'archive',
  'restore_archive',
  'suspend',
  'resume',
  'delete_permanently',
] as const satisfies readonly BulkActionName[]

/** States of a site in a bulk run. */
export const bulkRowStates = ['waiting', 'running', 'done', 'failed', 'skipped', 'canceled'] as const

/** State of a site in a bulk run. */
export type BulkRowState = (typeof bulkRowStates)[number]

/** The argument of a bulk run, of an action's arguments; null if it has none. */
export function bulkArgument(name: BulkActionName, args: Readonly<Record<string, string | number>>): string | null {
  const { arg } = bulkActions[name]
  return arg === null ? null : String(args[arg] ?? '')
}
