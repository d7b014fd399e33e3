import { check, data, longText } from '../../fields.ts'
import { consoleLimits } from '../../rules/site-console.ts'

/** Whoever can use a console can do everything on the site, and read every secret of it: only owners and admins, with a fresh password. */
const ofAdmins = {
  allow: { Owner: true, 'Organization Admin': true },
  for: ['site_type', '=', 'wp'],
  from: ['Live', 'Failed'],
  reauth: true,
  tokens: false,
  hidden: true,
} as const

const confirmed = check({ label: 'Confirmed', description: 'The person knows what it can change.' })

/** SQL, PHP and WP-CLI on a site. */
export const consoleActions = {
  run_sql: {
    ...ofAdmins,
    label: 'Run SQL',
    activity: 'ran an SQL statement on the site:',
    capability: 'sql_console',
    args: { sql: longText({ reqd: true, length: consoleLimits.code, label: 'SQL' }), confirmed },
    returns: 'SqlResult',
    danger: true,
  },
  undo_sql: {
    ...ofAdmins,
    label: 'Undo SQL',
    activity: 'put back the database of the site as it was before an SQL statement',
    capability: 'sql_console',
    args: {
      undo: data({ reqd: true, length: 32, label: 'State before' }),
      anyway: check({ label: 'Also if the database was changed since' }),
    },
    returns: 'SqlUndone',
    danger: true,
  },
  run_php: {
    ...ofAdmins,
    label: 'Run PHP',
    activity: 'ran PHP code on the site',
    capability: 'php_console',
    args: {
      code: longText({ reqd: true, length: consoleLimits.code, label: 'PHP' }),
      safe: check({ label: 'Without plugins and themes' }),
      confirmed,
    },
    returns: 'PhpResult',
    danger: true,
  },
  run_wp: {
    ...ofAdmins,
    label: 'Run WP-CLI',
    activity: 'ran a command of WP-CLI on the site:',
    capability: 'wp_cli',
    args: {
      command: data({
        reqd: true,
        length: consoleLimits.command,
        label: 'Command',
        description: 'As for a shell, with or without `wp` first; only quotes and backslashes are special.',
      }),
      confirmed,
    },
    returns: 'WpResult',
    danger: true,
  },
  console_runs: {
    ...ofAdmins,
    label: 'Show what was run',
    from: ['Live', 'Updating', 'Failed', 'Suspended', 'Archived'],
    reads: true,
    returns: 'ConsoleRuns',
    while_locked: true,
  },
} as const
