import { check, data, int, select } from '../../fields.ts'
import { consoleActions } from './console.ts'
import { databaseActions } from './database.ts'
import { sharedGrants } from './grants.ts'
import { wordpressHealthActions } from './wordpress-health.ts'
import { networkActions } from './networks.ts'
import { packageActions } from './packages.ts'
import { wordpressCoreActions } from './wordpress-core.ts'
import { pluginOperations, themeOperations } from '../../rules/wordpress-changes.ts'
import { undoSetPlugin, undoSetTheme } from './undo-rules.ts'

/** What all actions on a site's WordPress have in common. They have places of their own on the site's page. */
const ofWordPress = {
  allow: sharedGrants('write'),
  for: ['site_type', '=', 'wp'],
  capability: 'wordpress',
  hidden: true,
} as const

/** Those that need the site itself. */
const onWordPress = { ...ofWordPress, from: ['Live', 'Failed'] } as const

const plugin = data({ reqd: true, length: 200, label: 'Plugin' })
const theme = data({ reqd: true, length: 200, label: 'Theme' })
const slug = data({ reqd: true, length: 100, label: 'Name on wordpress.org' })
const login = data({ reqd: true, length: 60, label: 'Username' })
const role = data({ reqd: true, length: 60, label: 'Role' })

/** Actions on the WordPress of a site. */
export const wordpressActions = {
  ...wordpressHealthActions,
  wordpress_facts: {
    ...ofWordPress,
    label: 'Show plugins and themes',
    reads: true,
    returns: 'WordPressFacts',
    while_locked: true,
  },
  inspect_wordpress: {
    ...onWordPress,
    label: 'Refresh plugins and themes',
    reads: true,
    keeps: true,
    returns: 'WordPressFacts',
  },
  list_plugins: { ...onWordPress, label: 'Show plugins', reads: true, returns: 'PluginList' },
  list_themes: { ...onWordPress, label: 'Show themes', reads: true, returns: 'ThemeList' },
  list_users: { ...onWordPress, label: 'List WordPress users', reads: true, returns: 'UserList' },
  list_cron: { ...onWordPress, capability: 'cron', label: 'Show scheduled events', reads: true, returns: 'CronList' },
  wordpress_users: {
    ...onWordPress,
    label: 'Show WordPress users',
    reads: true,
    returns: 'WordPressUsers',
    args: {
      search: data({ length: 100, label: 'Search' }),
      page: int({ min: 0, max: 100_000, default: 0, label: 'Page' }),
    },
  },
  // Most of it is a job, whose type has the wording in the activity log.
  set_plugin: {
    ...onWordPress,
    label: 'Change plugin',
    activity: 'changed a plugin',
    args: {
      plugin,
      do: select(pluginOperations, { reqd: true, label: 'What' }),
      network: check({ default: 0, label: 'On all sites of the network', description: 'Only to activate it.' }),
    },
    job: true,
    returns: 'PackageChanged',
    undo: undoSetPlugin,
  },
  set_theme: {
    ...onWordPress,
    label: 'Change theme',
    activity: 'changed a theme',
    args: { theme, do: select(themeOperations, { reqd: true, label: 'What' }) },
    job: true,
    returns: 'PackageChanged',
    undo: undoSetTheme,
  },
  install_plugin: {
    ...onWordPress,
    label: 'Install plugin',
    activity: 'installed a plugin',
    args: { slug },
    job: true,
  },
  update_plugins: {
    ...onWordPress,
    label: 'Update all plugins',
    activity: 'updated all plugins',
    job: true,
  },
  install_theme: {
    ...onWordPress,
    label: 'Install theme',
    activity: 'installed a theme',
    args: { slug },
    job: true,
  },
  update_themes: {
    ...onWordPress,
    label: 'Update all themes',
    activity: 'updated all themes',
    job: true,
  },
  add_wordpress_user: {
    ...onWordPress,
    label: 'Add WordPress user',
    activity: 'added a WordPress user',
    args: { login, email: data({ reqd: true, format: 'email', label: 'Email address' }), role },
    returns: 'NewPassword',
    tokens: false,
  },
  set_wordpress_role: {
    ...onWordPress,
    label: 'Change WordPress role',
    activity: 'changed the role of a WordPress user',
    args: { login, role },
    returns: 'WordPressChanged',
  },
  reset_wordpress_password: {
    ...onWordPress,
    label: 'Reset WordPress password',
    activity: 'reset the password of a WordPress user',
    args: { login },
    returns: 'NewPassword',
    tokens: false,
  },
  rename_wordpress_user: {
    ...onWordPress,
    label: 'Rename WordPress user',
    activity: 'renamed a WordPress user',
    args: { login, new_login: data({ reqd: true, length: 32, label: 'New username' }) },
    returns: 'WordPressChanged',
  },
  delete_wordpress_user: {
    ...onWordPress,
    label: 'Delete WordPress user',
    activity: 'deleted a WordPress user',
    args: { login, reassign_to: data({ reqd: true, length: 60, label: 'New author of their content' }) },
    returns: 'WordPressChanged',
    danger: true,
  },
  run_cron: {
    ...onWordPress,
    label: 'Run scheduled event',
    activity: 'ran a scheduled event',
    args: {
      hook: data({ reqd: true, length: 300, label: 'Hook' }),
      event: data({ length: 300, label: 'Event', description: 'One of several of the hook. Left out: all of them.' }),
    },
    capability: 'cron',
    returns: 'WordPressChanged',
  },
  run_due_events: {
    ...onWordPress,
    label: 'Run due events',
    activity: 'ran the due scheduled events',
    capability: 'cron',
    returns: 'WordPressChanged',
  },
  pause_scheduled_events: {
    ...onWordPress,
    label: 'Pause scheduled events',
    activity: 'paused or resumed scheduled events',
    args: { paused: check({ default: 1, label: 'Paused' }) },
    capability: 'cron',
    returns: 'WordPressChanged',
  },
  flush_cache: {
    ...onWordPress,
    label: 'Clear cache',
    phrase: 'Clear the cache of {title}',
    activity: 'cleared the cache',
    returns: 'WordPressChanged',
    hidden: false,
  },
  // The same as a job, for bulk runs: a job is started or not, also when the process ends in between.
  flush_cache_job: { ...onWordPress, label: 'Clear cache', activity: 'cleared the cache', job: true },
  verify_checksum: {
    ...onWordPress,
    label: 'Verify checksums',
    phrase: 'Verify the checksums of {title}',
    activity: 'verified the files of WordPress',
    capability: 'checksums',
    job: true,
    hidden: false,
  },
  checksum_report: {
    ...ofWordPress,
    label: 'Show changed files of WordPress',
    reads: true,
    returns: 'ChecksumReport',
    capability: 'checksums',
    while_locked: true,
  },
  ...packageActions,
  ...databaseActions,
  ...consoleActions,
  ...wordpressCoreActions,
  ...networkActions,
} as const
