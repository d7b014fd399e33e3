import type { Site } from '#shared/doctypes/site.ts'
import type { ColumnOptions } from '#web/documents/list/list-columns.ts'
import { favoriteField } from '#web/documents/list/list-rows-request.ts'
import { linkTitleKey } from '#web/documents/query/list-request.ts'

/** Key of the server's country in a row. */
export const countryKey = 'server_country'

/** Key of the title of the site that a staging site is of; beside it is that site's domain. */
export const sourceTitleKey = 'staging_of_site_title'

/**
 * Columns of the site list (docs/contracts/screens.md) for implemented features, without their words and cells. Members can't
 * read server locations; `privileged` users can.
 */
export const siteListColumns = (privileged: boolean) =>
  [
    {
      field: 'domain',
      also: [
        'title',
        'usr_alias_domains',
        'thumbnail',
        'thumbnail_taken',
        'url',
        'failure_reason',
        'failure_reason_i18n',
        'failure_since',
        'health_checked_at',
        'last_answer_at',
        'wordpress_version',
        'engine',
        'staging_of',
        `staging_of.title as ${sourceTitleKey}`,
        `staging_of.domain as ${linkTitleKey('staging_of')}`,
      ],
    },
    { field: favoriteField },
    { field: 'status' },
    { field: 'health', card: true },
    { field: 'server', card: true, also: privileged ? [`server.vm_country as ${countryKey}`] : [] },
    { field: 'site_type', off: true },
    { field: 'wordpress_version', from: 'desktop', also: ['engine'] },
    { field: 'php_version', from: 'desktop' },
    { field: 'wordpress_checksum', off: true },
    { field: 'disk_used', right: true, from: 'desktop', also: ['disk_used_at_least'] },
    { field: 'backup_at', from: 'desktop', also: ['backup_proof', 'backup_failed_at'] },
    { field: 'createdby_email', off: true },
    { field: 'creation', off: true },
  ] as const satisfies readonly (ColumnOptions & { field: keyof Site })[]
