import { select } from '../../fields.ts'
import { siteDatabases } from '../../rules/site-databases.ts'
import { sharedGrants } from './grants.ts'

/** The kind of a WordPress site's database. */
export const siteDatabaseFields = {
  /** Null: what the engine has where there is no choice; on this machine that is SQLite. */
  database: select(siteDatabases, { set_only_once: true, label: 'Database' }),
} as const

const moving = {
  keywords: ['Database', 'MySQL', 'MariaDB', 'SQLite'],
  allow: sharedGrants('write'),
  from: ['Live'],
  capability: 'mysql',
  confirm:
    'Visitors see for a while that the site is back in a moment. The content is copied and compared. If anything differs, or the site does not answer, it keeps the database it has.',
  job: true,
  hidden: true,
} as const

/** Actions on the kind of database. */
export const siteDatabaseActions = {
  move_to_mysql: {
    ...moving,
    label: 'Move to MySQL',
    phrase: 'Move {title} to MySQL',
    activity: 'moved the database of the site to MySQL',
    for: ['database', '!=', 'mysql'],
    undo: 'move_to_sqlite',
  },
  move_to_sqlite: {
    ...moving,
    label: 'Move to SQLite',
    phrase: 'Move {title} to SQLite',
    activity: 'moved the database of the site to SQLite',
    for: ['database', '=', 'mysql'],
    undo: 'move_to_mysql',
  },
} as const
