import { check, data, int } from '../../fields.ts'
import { consoleActions } from './console.ts'
import { databaseActions } from './database.ts'
import { sharedGrants } from './grants.ts'
import { wordpressHealthActions } from './wordpress-health.ts'
import { networkActions } from './networks.ts'
import { packageActions } from './packages.ts'
import { wordpressCoreActions } from './wordpress-core.ts'
import { undoActivatePlugin, undoActivateTheme, undoDeactivatePlugin } from './undo-rules.ts'

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
const enabled = check({ default: 1, label: 'Update automatically' })

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
  inspect_wordpress: { ...onWordPress, label: 'Refresh plugins and themes', reads: true, returns: 'WordPressFacts' },
  list_plugins: { ...onWordPress, label: 'Show plugins', reads: true, returns: 'PluginList' },
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
  activate_plugin: {
    ...onWordPress,
    label: 'Activate plugin',
    activity: 'activated a plugin',
    args: { plugin, network: check({ default: 0, label: 'On all sites of the network' }) },
    job: true,
    undo: undoActivatePlugin,
  },
  deactivate_plugin: {
    ...onWordPress,
    label: 'Deactivate plugin',
    activity: 'deactivated a plugin',
    args: { plugin },
    job: true,
    undo: undoDeactivatePlugin,
  },
  delete_plugin: {
    ...onWordPress,
    label: 'Delete plugin',
    activity: 'deleted a plugin',
    args: { plugin },
    job: true,
    danger: true,
  },
  install_plugin: {
    ...onWordPress,
    label: 'Install plugin',
    activity: 'installed a plugin',
    args: { slug },
    job: true,
  },
  update_plugin: {
    ...onWordPress,
    label: 'Update plugin',
    activity: 'updated a plugin',
    args: { plugin },
    job: true,
  },
  update_plugins: {
    ...onWordPress,
    label: 'Update all plugins',
    activity: 'updated all plugins',
    job: true,
  },
  roll_back_plugin: {
    ...onWordPress,
    label: 'Roll back plugin',
    activity: 'rolled back a plugin',
    args: { plugin },
    job: true,
  },
  install_theme: {
    ...onWordPress,
    label: 'Install theme',
    activity: 'installed a theme',
    args: { slug },
    job: true,
  },
  update_theme: {
    ...onWordPress,
    label: 'Update theme',
    activity: 'updated a theme',
    args: { theme },
    job: true,
  },
  update_themes: {
    ...onWordPress,
    label: 'Update all themes',
    activity: 'updated all themes',
    job: true,
  },
  roll_back_theme: {
    ...onWordPress,
    label: 'Roll back theme',
    activity: 'rolled back a theme',
    args: { theme },
    job: true,
  },
  set_plugin_auto_update: {
    ...onWordPress,
    label: 'Update plugin automatically',
    activity: 'changed the automatic updates of a plugin',
    args: { plugin, enabled },
    returns: 'WordPressChanged',
  },
  activate_theme: {
    ...onWordPress,
    label: 'Activate theme',
    activity: 'activated a theme',
    args: { theme },
    job: true,
    undo: undoActivateTheme,
  },
  delete_theme: {
    ...onWordPress,
    label: 'Delete theme',
    activity: 'deleted a theme',
    args: { theme },
    job: true,
    danger: true,
  },
  set_theme_auto_update: {
    ...onWordPress,
    label: 'Update theme automatically',
    activity: 'changed the automatic updates of a theme',
    args: { theme, enabled },
    returns: 'WordPressChanged',
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
  login_as: {
    ...onWordPress,
    label: 'Log in as WordPress user',
    activity: 'logged in as a WordPress user',
    from: ['Live'],
    args: { login },
    returns: 'LoginLink',
    capability: 'login_link',
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
  run_scheduled_event: {
    ...onWordPress,
    label: 'Run scheduled event',
    activity: 'ran a scheduled event',
    args: { event: data({ reqd: true, length: 300, label: 'Event' }) },
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
    activity: 'cleared the cache',
    returns: 'WordPressChanged',
    hidden: false,
  },
  // The same as a job, for bulk runs: a job is started or not, also when the process ends in between.
  flush_cache_job: { ...onWordPress, label: 'Clear cache', activity: 'cleared the cache', job: true },
  verify_checksums: {
    ...onWordPress,
    label: 'Verify checksums',
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
