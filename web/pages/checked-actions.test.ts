/** No screen takes an answer of an action for what it should be: `checked-response.ts` refuses any other. */
import { readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Action } from '#shared/doctype.ts'
import { doctypes } from '#shared/doctypes/registry.ts'

/** The module that checks the answer of an action. */
const checkedIn: Readonly<Record<string, string>> = {
  'Site.uptime': 'pages/sites/monitoring/monitoring-tab.tsx',
  'Site.check_now': 'pages/sites/monitoring/monitoring-tab.tsx',
  'Site.wordpress_facts': 'pages/sites/wordpress/use-wordpress.ts',
  'Site.inspect_wordpress': 'pages/sites/wordpress/use-wordpress.ts',
  'Site.check_wordpress_health': 'pages/sites/wordpress-health/health-card.tsx',
  'Site.wordpress_users': 'pages/sites/wordpress/users-card.tsx',
  'Site.checksum_report': 'pages/sites/wordpress-core/files-card.tsx',
  'Site.package_checksums': 'pages/sites/wordpress-core/packages-report.tsx',
  'Site.wordpress_versions': 'pages/sites/wordpress-core/version-dialog.tsx',
  'Site.read_wordpress_settings': 'pages/sites/configurations/wordpress-settings.ts',
  'Site.language_offers': 'pages/sites/configurations/add-language-dialog.tsx',
  'Site.list_shares': 'pages/sites/use-shares.ts',
  'Site.read_log': 'pages/sites/logs/use-text-log.ts',
  'Site.list_mails': 'pages/sites/logs/mailbox.tsx',
  'Site.list_files': 'pages/sites/files/file-data.ts',
  'Site.list_trash': 'pages/sites/files/trash-dialog.tsx',
  'Site.database_tables': 'pages/sites/database/database-data.ts',
  'WPC Site.list_shares': 'pages/sites/use-shares.ts',
  'WPC Site.list_privileged': 'pages/sites/use-shares.ts',
  'WPC Site.list_backups': 'pages/sites/wp-cloud/wpc-backups-tab.tsx',
  'WPC Site.list_ssh_users': 'pages/sites/wp-cloud/wpc-ssh-tab.tsx',
  'WPC Site.get_metrics': 'pages/sites/wp-cloud/wpc-monitoring-tab.tsx',
  'WPC Site.read_log': 'pages/sites/wp-cloud/wpc-log.tsx',
  'Server.get_costs': 'pages/servers/server-at-provider.tsx',
  'Server.get_alerts': 'pages/servers/monitoring/alerts.tsx',
  'Server.get_monitoring': 'pages/servers/monitoring/monitoring-tab.tsx',
  'Server.open_terminal': 'pages/servers/terminal/terminal-card.tsx',
  'Server.get_terminals': 'pages/servers/terminal/recordings-card.tsx',
  'Server.get_terminal_recording': 'pages/servers/terminal/recordings-card.tsx',
  'Organization.candidates_for_change_owner': 'pages/organization/owner-card.tsx',
  'Organization.list_login_links': 'pages/organization/auth/linked-members.tsx',
  'Organization.test_login_provider': 'pages/organization/auth/provider-form.tsx',
  'Connection.test': 'pages/organization/use-connection-form.ts',
  'Organization.test_connection': 'pages/organization/use-connection-form.ts',
  'Bulk Run.rows': 'pages/bulk/bulk-page.tsx',
  'Organization.list_members': 'pages/users/people.ts',
  'Organization.list_invitations': 'pages/users/people.ts',
  'Site.list_privileged': 'pages/sites/use-shares.ts',
  'Site.read_mail': 'pages/sites/logs/mail-drawer.tsx',
  'Site.install_language': 'pages/sites/configurations/wordpress-settings.ts',
  'Site.save_wordpress_settings': 'pages/sites/configurations/wordpress-settings.ts',
  'Site.list_plugins': 'pages/sites/wordpress/use-wordpress.ts',
  'Site.add_wordpress_user': 'pages/sites/wordpress/add-user-dialog.tsx',
  'Site.reset_wordpress_password': 'pages/sites/wordpress/users-card.tsx',
  'Site.run_cron': 'pages/sites/wordpress/events-card.tsx',
  'Site.run_due_events': 'pages/sites/wordpress/events-card.tsx',
  'Site.pause_scheduled_events': 'pages/sites/wordpress/events-card.tsx',
  'Site.database_rows': 'pages/sites/database/database-data.ts',
  'Site.database_cell': 'pages/sites/database/database-data.ts',
  'Site.run_sql': 'pages/sites/database/sql-console.tsx',
  'Site.undo_sql': 'pages/sites/database/sql-console.tsx',
  'Site.run_php': 'pages/sites/database/php-console.tsx',
  'Site.run_wp': 'pages/sites/database/wp-console.tsx',
  'Site.console_runs': 'pages/sites/database/run-list.tsx',
  'Site.compare_wordpress_file': 'pages/sites/wordpress-core/diff-drawer.tsx',
  'Site.files_folder': 'pages/sites/site-overview-tab.tsx',
  'Site.read_file': 'pages/sites/files/file-editor.tsx',
  'Site.clone': 'pages/sites/copies/clone-dialog.tsx',
  'Site.create_staging': 'pages/sites/copies/clone-dialog.tsx',
  'Site.push_plan': 'pages/sites/staging/push-panel.tsx',
  'Site.push_losses': 'pages/sites/staging/roll-back-dialog.tsx',
  'Site.read_import_report': 'pages/sites/portable/portable-cards.tsx',
  'Site.easyengine_backup': 'pages/sites/backups/easyengine-backup-dialog.tsx',
  'Site Backup.restore': 'pages/sites/backups/restore-dialog.tsx',
  'Site Backup.compare': 'pages/sites/backups/compare-counts.tsx',
  'Site Backup.contents': 'pages/sites/backups/part-chooser.tsx',
  'Site Backup.download_link': 'pages/sites/backups/backup-menu.tsx',
  'Site Backup.open': 'pages/sites/backups/open-backup.tsx',
  'Organization.download_recovery_key': 'features/backups/recovery-key.tsx',
  'Site.read_certificate': 'pages/sites/configurations/ssl-card.tsx',
  'Site.read_services': 'pages/sites/configurations/services-card.tsx',
  'Site.preview_domain_change': 'pages/sites/configurations/find-addresses.ts',
  'Subscription Organization.change_plan': 'pages/billing/use-plan-actions.ts',
  'Subscription Organization.undo_plan': 'pages/billing/use-plan-actions.ts',
  'Subscription Organization.cancel_plan': 'pages/billing/use-plan-actions.ts',
  'Subscription Organization.reactivate_plan': 'pages/billing/use-plan-actions.ts',
  'Organization.make_server_access_token': 'pages/organization/access-token-card.tsx',
  'Organization Member.password_link': 'pages/users/person-dialogs.tsx',
  'Member Invite.copy_link': 'pages/users/use-member-actions.tsx',
  'Member Invite.confirm': 'pages/users/use-member-actions.tsx',
  'Site.write_file': 'pages/sites/files/file-editor.tsx',
  'Site.delete_files': 'pages/sites/files/use-file-commands.ts',
  'Site.restore_files': 'pages/sites/files/use-file-commands.ts',
  'Site.add_alias': 'pages/sites/configurations/add-alias-form.tsx',
}

/**
 * Actions whose answers are not checked: nobody reads more of them than a job, or a single text whose type is looked at. Two have names that
 * only actions of sites at WP Cloud are called by.
 */
const unread = new Set(
  `Organization.transfer_ownership Organization.set_modules
  Organization.set_login_provider Member Invite.resend Server.candidates_for_change_owner
  Server.set_sites_owner
  WPC Site.share Site.share Site.set_owner Site.create_preview_link Site.login_link Site.set_plugin Site.set_theme Site.push_staging Site.change_domain
  Site.set_wordpress_role Site.rename_wordpress_user Site.delete_wordpress_user Site.add_network_site Site.delete_network_site
  Site.set_theme_network Site.set_super_admin Site.download_export
  Site.backup Site.set_alias_mode Site.remove_alias Site.set_aliases Server.get_metrics Site.deploy
  Site.roll_back`.split(/(?<=\.\w+)\s+/),
)

test('every action with an answer that the web app names has it checked, or nobody reads it', async () => {
  const sources = new Map<string, string>()
  const web = join(import.meta.dirname, '..')
  for await (const name of glob('**/*.{ts,tsx}', { cwd: web }))
    if (!name.includes('.test.')) sources.set(name, readFileSync(join(web, name), 'utf8'))
  const named = doctypes.flatMap((type) =>
    Object.entries<Action>(type.actions ?? {})
      .filter(([, { returns }]) => returns !== undefined && returns !== 'Nothing')
      .filter(([name]) => [...sources.values()].some((source) => source.includes(`'${name}'`)))
      .map(([name]) => `${type.name}.${name}`),
  )
  const declared = [...Object.keys(checkedIn), ...unread]
  expect(named.filter((id) => !declared.includes(id))).toEqual([])
  expect(declared.filter((id) => !named.includes(id))).toEqual([])
  const unchecked = Object.entries(checkedIn).filter(([id, module]) => {
    const name = id.split('.')[1] ?? ''
    // Nearby, so that the check of another answer in the same module does not count.
    const near = `[\\s\\S]{0,2000}`
    const checked = `(?:checkedResult\\(|settingsDoc\\(|returns[:,]|safeParse\\()`
    return !new RegExp(`${checked}${near}'${name}'|'${name}'${near}${checked}`).test(sources.get(module) ?? '')
  })
  expect(unchecked).toEqual([])
})
