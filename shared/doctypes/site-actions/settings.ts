import { check, data, datetime, int, json, revealable, select } from '../../fields.ts'
import { revealAction } from '../../reveal-action.ts'
import { maxDebugHours } from '../../rules/debug-mode.ts'
import { memoryLimitsMb, uploadLimitsMb } from '../../rules/php-limits.ts'
import { languageActions } from './languages.ts'
import { sharedGrants } from './grants.ts'
import { undoDebug, undoHttpAuth, undoMaintenance, undoPhpLimits } from './undo-rules.ts'

const measured = { read_only: true, server_owned: true } as const

/** Settings of a site, as its engine applies them. Null or 0: the default. */
export const settingsFields = {
  /** In MB, as is the next one. */
  memory_mb: int({ ...measured, label: 'Memory limit' }),
  upload_mb: int({ ...measured, label: 'Upload limit' }),
  /** Until when debug mode is on. */
  debug_until: datetime({ ...measured, label: 'Debug mode until' }),
  maintenance: check({ ...measured, label: 'Maintenance mode' }),
  /** User name of HTTP authentication; null: it is off. */
  http_auth_user: data({ ...measured, length: 32, label: 'HTTP auth user' }),
  /** Until when its preview link works; null: there is none. */
  preview_until: datetime({ ...measured, label: 'Preview link until' }),
  http_auth_password: revealable({ server_owned: true, label: 'HTTP auth password' }),
  /** What its WordPress is protected from, as `parseProtections` reads it. */
  protections: data({ ...measured, length: 100, label: 'Protection' }),
  /** When its owners suspended it; null: they did not. */
  suspended_at: datetime({ ...measured, label: 'Suspended' }),
} as const

const whileLive = ['Live'] as const

/** Actions that change the settings of a site. */
export const settingsActions = {
  ...languageActions,
  set_limits: {
    label: 'Change PHP limits',
    activity: 'changed the PHP limits',
    allow: sharedGrants('write'),
    from: whileLive,
    for: ['site_type', '!=', 'html'],
    capability: 'php_limits',
    args: {
      /** One that is left out stays as it is, also if it is none that is offered. */
      memory_mb: select(memoryLimitsMb, { label: 'Memory limit (MB)' }),
      upload_mb: select(uploadLimitsMb, { label: 'Upload limit (MB)' }),
    },
    confirm: 'The site restarts; visitors wait a moment. If its homepage fails afterward, the limits are set back.',
    job: true,
    undo: undoPhpLimits,
    hidden: true,
  },
  // Its jobs are `site.start_debug` and `site.stop_debug`, which have the wordings in the activity log.
  set_debug: {
    label: 'Debug mode',
    activity: 'changed debug mode',
    allow: sharedGrants('write'),
    from: whileLive,
    for: ['site_type', '=', 'wp'],
    capability: 'debug_mode',
    args: {
      enabled: check({ label: 'On' }),
      hours: int({ default: 1, min: 1, max: maxDebugHours, label: 'Turn off after (hours)' }),
      /** Instead of the hours: the end that it had, UTC, if turning it off is undone. */
      until: datetime({ hidden: true }),
    },
    confirm: 'The site restarts and records its errors. Visitors do not see them.',
    job: true,
    undo: undoDebug,
    hidden: true,
  },
  maintenance: {
    label: 'Maintenance mode',
    activity: 'changed maintenance mode',
    allow: sharedGrants('write'),
    from: whileLive,
    capability: 'maintenance',
    args: { enabled: check({ label: 'On' }) },
    returns: 'Nothing',
    undo: undoMaintenance,
    hidden: true,
  },
  set_http_auth: {
    label: 'HTTP authentication',
    activity: 'changed HTTP authentication',
    allow: sharedGrants('write'),
    from: whileLive,
    capability: 'http_auth',
    args: { enabled: check({ label: 'On' }) },
    returns: 'Nothing',
    undo: undoHttpAuth,
    hidden: true,
  },
  regenerate_http_auth: {
    label: 'New password',
    phrase: 'Replace the HTTP authentication password of {title}',
    activity: 'made a new HTTP auth password',
    allow: sharedGrants('write'),
    from: whileLive,
    capability: 'http_auth',
    confirm: 'Everyone who uses the current password has to enter the new one.',
    returns: 'Nothing',
    hidden: true,
  },
  reveal: revealAction(['http_auth_password'], sharedGrants('write'), 'revealed a password of the site'),
  read_wordpress_settings: {
    label: 'WordPress settings',
    allow: sharedGrants('write'),
    from: whileLive,
    for: ['site_type', '=', 'wp'],
    capability: 'wordpress_settings',
    reads: true,
    tokens: 'sites:write',
    returns: 'WordPressSettings',
    hidden: true,
  },
  set_title: {
    label: 'Change title',
    activity: 'changed the title of the site',
    allow: sharedGrants('write'),
    from: whileLive,
    for: ['site_type', '=', 'wp'],
    capability: 'wordpress_settings',
    args: { title: data({ reqd: true, length: 200, label: 'Title' }) },
    returns: 'WordPressSettings',
    hidden: true,
  },
  save_wordpress_settings: {
    label: 'Change WordPress settings',
    activity: 'changed WordPress settings',
    allow: sharedGrants('write'),
    from: whileLive,
    for: ['site_type', '=', 'wp'],
    capability: 'wordpress_settings',
    args: {
      changes: json<Record<string, unknown>>({ reqd: true, label: 'Changes', max_bytes: 8_192 }),
      expected: json<Record<string, unknown>>({ reqd: true, label: 'Values before', max_bytes: 8_192 }),
    },
    returns: 'WordPressSettings',
    hidden: true,
  },
  suspend: {
    label: 'Suspend',
    keywords: ['Stop', 'Take offline'],
    activity: 'suspended the site',
    allow: sharedGrants('share'),
    from: whileLive,
    capability: 'suspend',
    confirm:
      '{count, plural, one {The site stops, and visitors see a page that says it is suspended. Nothing of it is removed.} other {The sites stop, and visitors see a page that says they are suspended. Nothing of them is removed.}}',
    job: true,
    undo: 'resume',
    danger: true,
  },
  resume: {
    label: 'Resume',
    activity: 'resumed the site',
    allow: sharedGrants('share'),
    from: ['Suspended'],
    capability: 'suspend',
    job: true,
  },
} as const
