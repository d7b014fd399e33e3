import { fileListing, fileTrash } from '#shared/responses/site-files.ts'
import { bulkRows } from '#shared/responses/bulk.ts'
import { databaseRows, databaseTables } from '#shared/responses/site-database.ts'
import { logChunk, mailPage } from '#shared/responses/site-logs.ts'
import { storedPackageChecksums } from '#shared/responses/package-checksums.ts'
import { siteFindings } from '#shared/responses/site-findings.ts'
import { uptime } from '#shared/responses/uptime.ts'
import { storedChecksum } from '#shared/responses/wordpress-checksum.ts'
import { languageOffers } from '#shared/responses/wordpress-languages.ts'
import { wordpressSettings } from '#shared/responses/wordpress-settings.ts'
import { pluginList, storedFacts, wordpressUsers } from '#shared/responses/wordpress.ts'
import { sampleOf, sampleTime } from './sample.ts'
import { owner } from './screen.tsx'

/** What actions of documents answer when nothing is wrong, by name. */
export const actionAnswers: Readonly<Record<string, unknown>> = {
  wordpress_facts: sampleOf(storedFacts),
  inspect_wordpress: sampleOf(storedFacts),
  list_plugins: sampleOf(pluginList),
  wordpress_users: sampleOf(wordpressUsers),
  checksum_report: sampleOf(storedChecksum),
  package_checksums: sampleOf(storedPackageChecksums),
  check_wordpress_health: sampleOf(siteFindings),
  uptime: sampleOf(uptime),
  list_members: [
    {
      name: 'm1',
      user: owner.user,
      full_name: 'Ann Lee',
      user_image: null,
      organization_role: 'Admin',
      is_owner: true,
      joined: sampleTime,
      sites: null,
      ssh_keys: 1,
      two_factor: true,
      last_active: sampleTime,
    },
  ],
  rows: sampleOf(bulkRows),
  files_folder: { folder: '/srv/blog' },
  read_wordpress_settings: sampleOf(wordpressSettings),
  language_offers: sampleOf(languageOffers),
  read_log: { ...logChunk.parse(sampleOf(logChunk)), more: false },
  list_mails: sampleOf(mailPage),
  list_files: sampleOf(fileListing),
  list_trash: sampleOf(fileTrash),
  database_tables: sampleOf(databaseTables),
  database_rows: sampleOf(databaseRows),
}
