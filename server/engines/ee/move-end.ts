import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../engine.ts'
import type { SiteRef } from '../site-ref.ts'
import { setAliases } from './aliases.ts'
import { creationOf } from './create-steps.ts'
import { destroySite } from './destroy-site.ts'
import type { EeContext } from './ee-context.ts'
import { pauseEvents } from './events.ts'
import { aliasesOf } from './inventory.ts'
import { writeMark } from './marks.ts'
import { moveOperation, noteMove, readMove, siteAs, type Move } from './move-state.ts'
import { mutate, stop } from './remote.ts'
import { addressOf } from './request.ts'
import { createEeServices } from './services.ts'
import { setClosed } from './settings.ts'
import { existingSite } from './site-of.ts'
import { finishSwap, readSwap, stopSwap } from './swaps.ts'

/** Takes back a change that was not switched: the site before is as it was, and lets visitors in. Completes one that was. */
export async function undoMove(context: EeContext, site: SiteRef): Promise<void> {
  const move = await readMove(context, site)
  if (move === null || move.state === 'finished') return
  if (move.state === 'switched') return completeMove(context, site, move)
  const [before, target] = [siteAs(site, move, 'from'), siteAs(site, move, 'to')]
  await stop(context, site.server, creationOf(site.id))
  await stopSwap(context, target)
  const { row } = await existingSite(context, before)
  await setClosed(context, before, false)
  if (move.hadEvents) await pauseEvents(context, before, false)
  await destroySite(context, target)
  const missing = move.aliases.before.some(({ domain }) => !aliasesOf(row).includes(domain))
  if (missing) await setAliases(context, before, move.aliases.before)
  await noteMove(context, site, ['forget'])
  forgetKnown(context, site)
}

/** Makes a change final. From its note on it goes on until it is complete. */
export async function finishMove(context: EeContext, site: SiteRef): Promise<void> {
  const move = await readMove(context, site)
  if (move === null || move.state === 'finished') return
  if (move.state === 'begun') await assertWhole(context, siteAs(site, move, 'to'))
  await finishSwap(context, siteAs(site, move, 'to'))
  await noteMove(context, site, ['switch'])
  await completeMove(context, site, move)
}

/** Nothing is switched to a site that does not have everything. */
async function assertWhole(context: EeContext, target: SiteRef): Promise<void> {
  const swap = await readSwap(context, target)
  if (swap?.operation !== moveOperation || !['swapped', 'finished'].includes(swap.state))
    throw new EngineError('conflict', msg`The site under the new domain is not complete.`, {
      nextAction: msg`Retry the change.`,
    })
}

async function completeMove(context: EeContext, site: SiteRef, move: Move): Promise<void> {
  const [before, target] = [siteAs(site, move, 'from'), siteAs(site, move, 'to')]
  await setClosed(context, target, false)
  const { row } = await existingSite(context, target)
  const address = addressOf({ ...before, isSecure: (row.site_ssl ?? '') !== '' })
  await noteMove(context, site, ['carry', address])
  if (move.hadEvents) await pauseEvents(context, target, false)
  await destroySite(context, before)
  await takeAliases(context, target, move)
  await writeMark(context, target, 'live')
  if (row.proxy_cache === 'on') await createEeServices(context).purgeProxyCache(target)
  await noteMove(context, site, ['finish'])
  forgetKnown(context, site)
}

/** The site is there without an alias that it cannot have: its certificate is refused, for example. Whoever reads them sees that. */
async function takeAliases(context: EeContext, target: SiteRef, { aliases }: Move): Promise<void> {
  try {
    const { others, after } = aliases
    const isThere = async () => {
      const { row } = await existingSite(context, target)
      return others.every((one) => aliasesOf(row).includes(one))
    }
    if (!(await isThere()))
      await mutate(context, target.server, {
        id: `ee-${target.id}-aliases`,
        script: 'change',
        args: ['site', 'update', target.domain, `--add-alias-domains=${others.join(',')}`],
        isDone: isThere,
      })
    await setAliases(context, target, after)
  } catch (error) {
    if (!(error instanceof EngineError)) throw error
    context.log.warn('Aliases of a site could not be taken over', { site: target.id, reason: error.message })
  }
}

/** Removes a site, also in the middle of a change, or under its new domain if nobody has heard of that yet. */
export async function destroyMoving(context: EeContext, site: SiteRef): Promise<void> {
  const move = await readMove(context, site)
  if (move?.state === 'finished' && move.from === site.domain) return destroySite(context, siteAs(site, move, 'to'))
  if (move !== null && move.state !== 'finished')
    await destroySite(context, siteAs(site, move, move.to === site.domain ? 'from' : 'to'))
  await destroySite(context, site)
  await noteMove(context, site, ['forget'])
}

/** What was asked of the server for the domain before. */
function forgetKnown({ ownHeaders, certificates }: EeContext, { id }: SiteRef): void {
  ownHeaders.delete(id)
  certificates.delete(id)
}
