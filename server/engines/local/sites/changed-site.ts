/** Looks at a site after its content came from elsewhere. */
import type { StepContext } from '../../engine.ts'
import { thisMachine } from '../../site-ref.ts'
import type { LocalContext } from '../local-context.ts'
import { requestSite } from '../site-operations.ts'
import { runScript } from '../wordpress/run-script.ts'
import type { SiteRecord } from './site-record.ts'

/** What a WordPress says of itself now, for its record; nothing for other sites. */
export async function changedFacts(
  context: LocalContext,
  record: SiteRecord,
  signal: AbortSignal,
): Promise<Partial<Pick<SiteRecord, 'nextCronAt' | 'wordpressVersion'>>> {
  if (record.siteType !== 'wp') return {}
  const { nextCron, version } = await runScript(context, record, { script: 'info', input: {}, signal })
  return {
    nextCronAt: typeof nextCron === 'number' ? nextCron * 1000 : null,
    ...(typeof version === 'string' && { wordpressVersion: version.slice(0, 40) }),
  }
}

/** Loads the homepage and logs how long it took. Throws what `failure` makes of an error of the server. */
export async function loadHomepage(
  context: LocalContext,
  record: SiteRecord,
  { signal, log }: Pick<StepContext, 'signal' | 'log'>,
  failure: (status: number) => Error,
): Promise<void> {
  const { status, tookMs } = await requestSite(context, { ...record, server: thisMachine }, '/', { signal })
  if (status >= 500) throw failure(status)
  log(`The home page answered in ${Math.round(tookMs)} ms`)
}
