import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../engine.ts'
import type { SiteRef } from '../site-ref.ts'
import { setAliases } from './aliases.ts'
import { creationOf } from './create-steps.ts'
import { destroySite } from './destroy-site.ts'
import type { EeContext } from './ee-context.ts'
import { pauseEvents } from './events.ts'
import { aliasesOf, type EeRow } from './inventory.ts'
import { writeMark } from './marks.ts'
import { moveOperation, noteMove, readMove, siteAs, type Move } from './move-state.ts'
import { mutate, persistent, stop } from './remote.ts'
import { addressOf } from './request.ts'
import { createEeServices } from './services.ts'
import { setClosed } from './settings.ts'
import { existingSite } from './site-of.ts'
import { finishSwap, readSwap, stopSwap } from './swaps.ts'

/** For an end that nobody may break off: the server may be busy with others for hours. */
const inTime = () => AbortSignal.timeout(14_400_000)
/** So long a server may be away: until then visitors get the maintenance page, and nobody else would let them in. */
const mostAwayMs = 1_800_000

/** Takes back a change that was not switched: the site before is as it was, and lets visitors in. Completes one that was. */
export const undoMove = (context: EeContext, site: SiteRef, signal = inTime()): Promise<void> =>
  persistent(context, signal, () => undo(context, site, signal), mostAwayMs)

async function undo(context: EeContext, site: SiteRef, signal: AbortSignal): Promise<void> {
  const move = await readMove(context, site, signal)
  if (move === null || move.state === 'finished') return
  if (move.state === 'switched') return completeMove(context, site, move, signal)
  const [before, target] = [siteAs(site, move, 'from'), siteAs(site, move, 'to')]
  await stop(context, site.server, creationOf(site.id), signal)
  await stopSwap(context, target, signal)
  const { row } = await existingSite(context, before, signal)
  await noteMove(context, site, ['undo'], signal)
  await setClosed(context, before, false, signal)
  if (move.hadEvents) await pauseEvents(context, before, false, signal)
  await destroySite(context, target, signal)
  const missing = move.aliases.before.some(({ domain }) => !aliasesOf(row).includes(domain))
  if (missing) await setAliases(context, before, move.aliases.before, signal)
  await noteMove(context, site, ['forget', move.from, move.to], signal)
  forgetKnown(context, site)
}

/** Makes a change final. From its note on it goes on until it is complete. */
export const finishMove = (context: EeContext, site: SiteRef, signal = inTime()): Promise<void> =>
  persistent(context, signal, () => finish(context, site, signal), mostAwayMs)

async function finish(context: EeContext, site: SiteRef, signal: AbortSignal): Promise<void> {
  const move = await readMove(context, site, signal)
  if (move === null || move.state === 'finished') return
  if (move.state === 'undoing')
    throw new EngineError(
      'conflict',
      msg`The change was being taken back, and visitors may be on the site before again.`,
      {
        nextAction: msg`Change the domain once more.`,
      },
    )
  const target = siteAs(site, move, 'to')
  if (move.state === 'begun') await assertWhole(context, target, signal)
  await finishSwap(context, target, signal)
  await noteMove(context, site, ['switch'], signal)
  await completeMove(context, site, move, signal)
}

/** Nothing is switched to a site that does not have everything. */
async function assertWhole(context: EeContext, target: SiteRef, signal: AbortSignal): Promise<void> {
  const swap = await readSwap(context, target, signal)
  if (swap?.operation !== moveOperation || !['swapped', 'finished'].includes(swap.state))
    throw new EngineError('conflict', msg`The site under the new domain is not complete.`, {
      nextAction: msg`Retry the change.`,
    })
}

async function completeMove(context: EeContext, site: SiteRef, move: Move, signal: AbortSignal): Promise<void> {
  const [before, target] = [siteAs(site, move, 'from'), siteAs(site, move, 'to')]
  await setClosed(context, target, false, signal)
  const { row } = await existingSite(context, target, signal)
  const address = addressOf({ ...before, isSecure: (row.site_ssl ?? '') !== '' })
  await noteMove(context, site, ['carry', address], signal)
  if (move.hadEvents) await pauseEvents(context, target, false, signal)
  await destroySite(context, before, signal)
  await takeAliases(context, target, move, signal)
  await writeMark(context, target, 'live', signal)
  if (row.proxy_cache === 'on') await createEeServices(context).purgeProxyCache(target, signal)
  await noteMove(context, site, ['finish'], signal)
  forgetKnown(context, site)
}

/** The site is there without an alias that it cannot have: its certificate is refused, for example. Whoever reads them sees that. */
async function takeAliases(
  context: EeContext,
  target: SiteRef,
  { aliases: { others, after } }: Move,
  signal: AbortSignal,
): Promise<void> {
  const missing = async () => othersMissing(others, (await existingSite(context, target, signal)).row)
  // One that is refused must not cost those that people chose here, nor another one.
  await orWarn(context, target, () => setAliases(context, target, after, signal))
  for (const other of await missing())
    await orWarn(context, target, () =>
      mutate(context, target.server, {
        id: `ee-${target.id}-aliases`,
        script: 'change',
        args: ['site', 'update', target.domain, `--add-alias-domains=${other}`],
        signal,
        isDone: async () => !(await missing()).includes(other),
      }),
    )
  context.certificates.delete(target.id)
}

/** Aliases that somebody made on the server, and that the site has no more. */
export const othersMissing = (others: readonly string[], row: EeRow): string[] =>
  others.filter((one) => !aliasesOf(row).includes(one))

async function orWarn(context: EeContext, { id }: SiteRef, take: () => Promise<void>): Promise<void> {
  try {
    await take()
  } catch (error) {
    if (!(error instanceof EngineError)) throw error
    context.log.warn('Aliases of a site could not be taken over', { site: id, reason: error.message })
  }
}

/** Removes a site, also in the middle of a change, or under its new domain if nobody has heard of that yet. */
export async function destroyMoving(context: EeContext, site: SiteRef): Promise<void> {
  const move = await readMove(context, site)
  if (move?.state === 'finished' && move.from === site.domain) return destroySite(context, siteAs(site, move, 'to'))
  if (move !== null && move.state !== 'finished')
    await destroySite(context, siteAs(site, move, move.to === site.domain ? 'from' : 'to'))
  await destroySite(context, site)
  await noteMove(context, site, ['forget'], AbortSignal.timeout(120_000))
}

/** What was asked of the server for the domain before. */
function forgetKnown({ ownHeaders, certificates }: EeContext, { id }: SiteRef): void {
  ownHeaders.delete(id)
  certificates.delete(id)
}
