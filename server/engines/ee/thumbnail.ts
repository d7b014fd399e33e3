import { labelMessage, msg } from '#shared/localized-message.ts'
import { EngineError, type SiteThumbnail } from '../engine.ts'
import type { SiteRef } from '../site-ref.ts'
import type { EeContext } from './ee-context.ts'
import { noScreenshots } from './lacks.ts'
import { addressOf, readAsOurselves } from './request.ts'
import { existingSite } from './site-of.ts'

/** Milliseconds for each file of a page. */
const timeoutMs = 20_000

/** Takes a screenshot of the homepage in a browser of this machine, which gets every byte through our own requests to the server. */
export async function takeThumbnail(
  context: EeContext,
  site: SiteRef,
  signal: AbortSignal,
  requestedByUser: boolean | undefined,
): Promise<SiteThumbnail> {
  const { screenshots } = context
  if (screenshots === null)
    throw new EngineError('unsupported', labelMessage(noScreenshots), {
      nextAction: msg`Ask the operator of this installation.`,
    })
  const { row } = await existingSite(context, site, signal)
  const shown = { ...site, isSecure: (row.site_ssl ?? '') !== '' }
  const read = (path: string, accept: string) =>
    readAsOurselves(context, shown, path, { timeoutMs, signal, headers: { accept } })
  return screenshots.take({ origin: addressOf(shown), read }, signal, requestedByUser)
}
