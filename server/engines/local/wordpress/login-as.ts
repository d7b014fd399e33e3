import type { WordPressPerson } from '../../engine.ts'
import type { SiteRef } from '../../site-ref.ts'
import { localSiteUrl } from '../local-base.ts'
import type { LocalEngineOptions } from '../options.ts'
import type { LoginLinks } from '../sites/login-links.ts'
import { managedRecord, type ScriptContext } from './run-script.ts'

/** What links as another user need. */
export interface LoginAsContext extends ScriptContext {
  readonly options: LocalEngineOptions
  readonly links: LoginLinks
}

/** See `WordPressManagement.loginAs`. The site is asked now, for a clear refusal, and again when the link is used. */
export async function loginAs(
  context: LoginAsContext,
  site: SiteRef,
  { person, login, ttlSeconds }: { person: WordPressPerson; login: string; ttlSeconds: number },
): Promise<string> {
  const record = managedRecord(context, site)
  return context.links.create(record, person, ttlSeconds, {
    siteUrl: localSiteUrl(context.options, record),
    as: login,
  })
}
