import { msg } from '#shared/localized-message.ts'
import { EngineError, type SiteSpec } from '../../engine.ts'
import type { LocalMysql } from './local-mysql.ts'

/** Throws unless a new site can be on MySQL. */
export function assertMysql({ capability }: LocalMysql, { siteType }: Pick<SiteSpec, 'siteType'>): void {
  if (siteType !== 'wp') {
    throw new EngineError('invalid', msg`Only a WordPress site can have a MySQL database.`, {
      nextAction: msg`Choose WordPress, or another database.`,
    })
  }
  if (!capability.supported) {
    throw new EngineError('unsupported', msg`MySQL can’t be used here: ${capability.reason}`, {
      nextAction: msg`Choose SQLite.`,
    })
  }
}
