type Values = Readonly<Record<string, unknown>>

/** How an action of a site is taken back; a text: why nothing takes it back. */
export type Undo =
  /** The undo of the doctype, offered once it is done; for a call with these arguments on a site with these values. */
  | { readonly declared: string; readonly before?: Values; readonly args?: Values }
  /** The Undo button of a message, in the module `at` of `web/pages/sites`; `runs`: the one that names the actions, if it is another. */
  | { readonly button: string; readonly at: string; readonly runs?: string }
  /** Another action, which the page offers beside what was made. */
  | { readonly action: string }
  | string

const sameControl = 'the control that made the change shows the value and sets the one before'
const gone = 'what it deletes is gone, which is said before'
const keepsNothing = 'changes nothing of the site that anybody would want back'
const runsCode = 'what WordPress or its plugins do then is not known'

/** Every action of a site that changes something. A new one fails the suite until it stands here. */
export const siteUndo: Readonly<Record<string, Undo>> = {
  backup: keepsNothing,
  easyengine_backup: 'its key is used once or ends by itself, and changes nothing of the site',
  share: { button: 'share', at: 'use-shares.ts' },
  unshare: 'the web app takes a share away by one without rights, which has an Undo',
  set_owner: { button: 'set_owner', at: 'transfer-dialog.tsx' },
  login_link: keepsNothing,
  take_picture: keepsNothing,
  set_php_version: { declared: 'set_php_version', before: { php_version: '8.2' }, args: { php_version: '8.3' } },
  set_limits: { declared: 'set_limits', args: { memory_mb: '128' } },
  restart: keepsNothing,
  reload: keepsNothing,
  rebuild: keepsNothing,
  set_ssl: { action: 'set_ssl' },
  set_certificate: 'the private key before is not kept',
  set_proxy_cache: sameControl,
  purge_proxy_cache: 'caches fill again by themselves',
  set_mail_catcher: sameControl,
  set_debug: { declared: 'set_debug', args: { enabled: 1 } },
  maintenance: { declared: 'maintenance', args: { enabled: 1 } },
  set_http_auth: { declared: 'set_http_auth', args: { enabled: 1 } },
  regenerate_http_auth: 'the password before is not kept',
  reveal: keepsNothing,
  set_title: 'the web app changes it with all settings of WordPress, which has an Undo',
  save_wordpress_settings: {
    button: 'save_wordpress_settings',
    at: 'configurations/wordpress-card.tsx',
    runs: 'configurations/wordpress-settings.ts',
  },
  install_language: 'WordPress has no way to remove a language',
  create_preview_link: { action: 'end_preview_link' },
  end_preview_link: 'a link that was ended must never work again; a new one is made',
  suspend: { declared: 'resume' },
  resume: { action: 'suspend' },
  archive: { declared: 'restore_archive', before: { status: 'Live' } },
  restore_archive: { action: 'archive' },
  delete_permanently: gone,

  clear_log: gone,
  delete_mail: gone,
  clear_mails: gone,
  set_uptime_keyword: { button: 'set_uptime_keyword', at: 'monitoring/keyword-card.tsx' },

  set_protection: { declared: 'set_protection', args: { protection: 'hide_errors', enabled: 1 } },
  set_plugin: {
    declared: 'set_plugin',
    before: { plugin_active: false },
    args: { plugin: 'hello.php', do: 'activate' },
  },
  install_plugin: { action: 'set_plugin' },
  update_plugins: { action: 'set_plugin' },
  set_theme: {
    declared: 'set_theme',
    before: { active_theme: 'twentytwenty' },
    args: { theme: 'other', do: 'activate' },
  },
  install_theme: { action: 'set_theme' },
  update_themes: { action: 'set_theme' },
  stage_package: { action: 'discard_package' },
  discard_package: 'the file is uploaded again from where it came',
  install_package: { action: 'set_plugin' },
  restore_package: { action: 'set_plugin' },
  set_core: { action: 'roll_back_wordpress' },
  roll_back_wordpress: { action: 'roll_back_wordpress' },
  flush_cache: 'caches fill again by themselves',
  flush_cache_job: 'caches fill again by themselves',
  verify_checksum: keepsNothing,

  add_wordpress_user: { action: 'delete_wordpress_user' },
  set_wordpress_role: { button: 'set_wordpress_role', at: 'wordpress/user-changes.ts' },
  reset_wordpress_password: 'the password before is not known',
  rename_wordpress_user: { button: 'rename_wordpress_user', at: 'wordpress/user-changes.ts' },
  delete_wordpress_user: gone,
  run_cron: runsCode,
  run_due_events: runsCode,
  pause_scheduled_events: sameControl,

  convert_to_network: 'WordPress has no way back, which is said before',
  add_network_site: { action: 'delete_network_site' },
  delete_network_site: gone,
  set_theme_network: sameControl,
  set_super_admin: { button: 'set_super_admin', at: 'wordpress/user-changes.ts' },

  run_sql: { action: 'undo_sql' },
  undo_sql: { action: 'undo_sql' },
  run_php: runsCode,
  run_wp: runsCode,
  move_to_mysql: { declared: 'move_to_sqlite' },
  move_to_sqlite: { declared: 'move_to_mysql' },

  download_files: keepsNothing,
  write_file: 'the editor takes changes back while it is open; older versions of files are not kept',
  create_folder: { action: 'delete_files' },
  move_files: { button: 'move_files', at: 'files/use-file-commands.ts' },
  rename_file: { button: 'rename_file', at: 'files/use-file-commands.ts' },
  copy_file: { action: 'delete_files' },
  delete_files: { button: 'restore_files', at: 'files/use-file-commands.ts' },
  restore_files: { action: 'delete_files' },
  empty_trash: gone,
  put_file: { action: 'delete_files' },
  zip_files: { action: 'delete_files' },
  unzip_file: 'taken back if the site breaks; what it replaced is asked for before',

  connect_repository: { action: 'disconnect_repository' },
  disconnect_repository: { action: 'connect_repository' },
  deploy: { action: 'roll_back' },
  roll_back: { action: 'roll_back' },

  clone: { action: 'archive' },
  create_staging: { action: 'archive' },
  plan_push: keepsNothing,
  push_staging: { action: 'roll_back_push' },
  roll_back_push: 'says before what it loses; the next push brings it again',
  export_site: { action: 'delete_export' },
  download_export: keepsNothing,
  delete_export: 'an export is made again',
  close_import_report: 'only hides what was read',

  set_aliases: 'the web app adds and removes aliases one by one, each with an Undo',
  add_alias: { button: 'remove_alias', at: 'configurations/add-alias-form.tsx' },
  remove_alias: { button: 'add_alias', at: 'configurations/domains-settings.tsx' },
  set_alias_mode: {
    declared: 'set_alias_mode',
    before: { aliases: [{ domain: 'www.one.example', mode: 'serve' }] },
    args: { domain: 'www.one.example', mode: 'redirect' },
  },
  change_domain: { declared: 'change_domain', before: { url: 'https://one.example', aliases: [] } },
}
