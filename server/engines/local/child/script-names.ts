import type { ScriptName } from './messages.ts'

/** What management scripts require. */
type IncludedName =
  | 'load'
  | 'replace'
  | 'grant'
  | 'secrets'
  | 'reader'
  | 'driver'
  | 'collation'
  | 'mysql'
  | 'relocate-mysql'
  | 'make-table'
  | 'browsing'
  | 'browse-mysql'
  | 'sql-result'
  | 'sql-mysql'
  | 'sql-reader'
  | 'sql-rows'
  | 'import-finish'
  | 'import-mysql'
  | 'import-prefix'
  | 'members'
  | 'sign-in'
  | 'sign-out'
  | `change-${'users' | 'network' | 'cache'}`
  | 'package-staged'
  | 'keep-deleted'
  | 'remove-tree'
  | 'forget-options'
  | 'plugin-list'
  | `merge-${'rules' | 'diff' | 'excerpt' | 'judge' | 'target' | 'mysql' | 'apply'}`

/** The files in `php/` that a site's process loads: management scripts, and what they require. */
export const scriptNames: readonly (ScriptName | IncludedName)[] = [
  'install',
  'address',
  'info',
  'cron',
  'login',
  'grant',
  'users',
  'options',
  'options-undo',
  'forget-options',
  'load',
  'inspect',
  'plugins',
  'plugin-list',
  'people',
  'change',
  'change-users',
  'change-network',
  'change-cache',
  'checksum',
  'health',
  'package',
  'package-staged',
  'languages',
  'replace',
  'relocate',
  'make-table',
  'tables',
  'database',
  'moved',
  'settle',
  'secrets',
  'reader',
  'browsing',
  'browse-mysql',
  'browse',
  'sql-result',
  'sql-mysql',
  'sql',
  'console',
  'merge-rules',
  'merge-diff',
  'merge-excerpt',
  'merge-judge',
  'merge-target',
  'merge-mysql',
  'merge-apply',
  'merge',
  'snapshot',
  'driver',
  'collation',
  'mysql',
  'relocate-mysql',
  'dump',
  'sql-reader',
  'sql-rows',
  'import-finish',
  'import-mysql',
  'import-prefix',
  'import',
  'content',
  'media',
  'adopt',
  'parity',
  'links',
  'core',
  'upgrade',
  'network',
  'members',
  'sign-in',
  'sign-out',
  'keep-deleted',
  'remove-tree',
  'deleted',
  'move',
]
