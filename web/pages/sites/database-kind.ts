import type { Site } from '#shared/doctypes/site.ts'
import { t } from './database-kind-messages.ts'

/** Which database a WordPress site on this machine has, and what that means; null for other sites. */
export function databaseKind({ site_type, engine, database }: Site): { label: string; meaning: string } | null {
  if (site_type !== 'wp' || engine !== 'local') return null
  return database === 'mysql'
    ? { label: t('kind.mysql'), meaning: t('kind.mysql_hint') }
    : { label: t('kind.sqlite'), meaning: t('kind.sqlite_hint') }
}
