import { msg } from '#shared/localized-message.ts'
import { EngineError, type WordPressPerson } from '../../engine.ts'
import type { SiteRef } from '../../site-ref.ts'
import { localSiteUrl } from '../local-base.ts'
import type { LocalEngineOptions } from '../options.ts'
import type { LoginLinks } from '../sites/login-links.ts'
import { managedRecord, runScript, type ScriptContext } from './run-script.ts'

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
  const input = { ...person, as: login, check: true }
  const { found, refused } = await runScript(context, record, { script: 'login', input })
  if (found !== true) throw refusal(refused)
  return context.links.create(record, person, ttlSeconds, {
    siteUrl: localSiteUrl(context.options, record),
    as: login,
  })
}

function refusal(refused: unknown): EngineError {
  if (refused === 'missing') {
    return new EngineError('not_found', msg`This user does not exist on the site any more.`, {
      nextAction: msg`Refresh the list.`,
    })
  }
  if (refused === 'personal') {
    return new EngineError('conflict', msg`This user belongs to another person, who alone signs in as it.`, {
      nextAction: msg`Choose another user.`,
    })
  }
  return new EngineError('conflict', msg`This user may do more in WordPress than you.`, {
    nextAction: msg`Choose another user, or ask somebody who manages the site.`,
  })
}
