const row = 'site actions (cache, PHP, alias, clone, WP login, DB/SFTP reveal)'

/**
 * Actions of a site that need what changing it needs, and nothing else: plugins and themes, the file manager, names, links.
 * Those that only people do, never a token, stand at the end.
 */
export const plainSiteActions: Readonly<
  Record<string, { readonly row: string; readonly tokens?: false; readonly reads?: true; readonly people?: true }>
> = {
  ...named(
    `
  flush_cache_job install_plugin install_theme set_plugin set_theme
  set_protection rename_wordpress_user update_plugins update_themes   stage_package discard_package install_package restore_package set_core roll_back_wordpress
  export_site download_export delete_export read_import_report close_import_report
  list_files read_file list_trash download_files write_file create_folder move_files rename_file copy_file delete_files
  restore_files empty_trash put_file zip_files unzip_file
  end_preview_link   database_tables database_rows database_cell
  convert_to_network add_network_site delete_network_site set_theme_network set_super_admin
  add_alias set_alias_mode remove_alias set_aliases preview_domain_change change_domain
  read_certificate read_services set_ssl set_certificate set_proxy_cache purge_proxy_cache set_mail_catcher   move_to_mysql move_to_sqlite
  language_offers install_language   clone create_staging plan_push push_plan push_staging push_losses roll_back_push`,
  ),
  ...named('restart reload rebuild'),
  'Site.create_preview_link': { row, tokens: false },
  'Site.wordpress_versions': { row, reads: true },
  'Site.list_plugins': { row, reads: true },
  'Site.list_themes': { row, reads: true },
  'Site.list_cron': { row, reads: true },
  'Site.list_users': { row, reads: true, people: true },
  'Site.site_health': { row },
  'Site.compare_wordpress_file': { row, reads: true },
  'Site.package_checksums': { row, reads: true },
}

function named(actions: string): Record<string, { row: string }> {
  return Object.fromEntries(
    actions
      .trim()
      .split(/\s+/)
      .map((name) => [`Site.${name}`, { row }]),
  )
}

const consoles = 'SQL and PHP console, web terminal'

/**
 * What not everybody who can edit a site can do. Consoles are for owners and admins, with a fresh password. Who steers jobs
 * steers bulk runs: only people start and resume one, never a token.
 */
export const adminActions = {
  'Site.run_sql': { row: consoles, reauth: true },
  'Site.undo_sql': { row: consoles, reauth: true },
  'Site.run_php': { row: consoles, reauth: true },
  'Site.run_wp': { row: consoles, reauth: true },
  'Site.console_runs': { row: consoles, reauth: true, reads: true, people: true },
  'Bulk Run.rows': { row: 'Job cancel, retry', reads: true },
  'Bulk Run.pause': { row: 'Job cancel, retry', tokens: false },
  'Bulk Run.resume': { row: 'Job cancel, retry', tokens: false },
  'Bulk Run.cancel': { row: 'Job cancel, retry', tokens: false },
  'Bulk Run.retry_failed': { row: 'Job cancel, retry', tokens: false },
} as const
