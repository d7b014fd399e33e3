import type { Site } from '#shared/doctypes/site.ts'
import { t } from './database-kind-messages.ts'

/** Which database a site has where that can differ, and what that means; null for other sites. */
export function databaseKind(site: Site): { label: string; meaning: string } | null {
  const { site_type, engine, database, with_database } = site
  if (site_type === 'php' && with_database === 1) return { label: t('kind.mariadb'), meaning: t('kind.mariadb_hint') }
  if (site_type !== 'wp' || engine !== 'local') return null
  return database === 'mysql'
    ? { label: t('kind.mysql'), meaning: t('kind.mysql_hint') }
    : { label: t('kind.sqlite'), meaning: t('kind.sqlite_hint') }
}
