import type { Tx } from '#server/contracts/transaction.ts'
import { EngineError } from '#server/engines/engine.ts'
import { capabilitiesOf } from '#server/engines/facets.ts'
import type { EngineHost } from '#server/engines/hosts.ts'
import { formatTimestamp, systemClock } from '#server/jobs/clock.ts'
import { systemSession } from '#server/jobs/session.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { msg, type LocalizedMessage } from '#shared/localized-message.ts'
import type { SitesDeps } from './deps.ts'
import { siteRef } from './engine-of.ts'
import {
  answerThumbnailRequest,
  nextThumbnailRequest,
  settleThumbnailRequest,
  writeThumbnail,
  requestStaleThumbnail,
  storedThumbnail,
  type StoredThumbnail,
  type ThumbnailRequest,
} from './thumbnail-table.ts'

/** Takes the thumbnails of a machine's sites in the background, one at a time. */
export interface ThumbnailWorker {
  /** Takes all requested thumbnails; call it when a site changed. Resolves when none is left or none can be taken at the moment. */
  catchUp(): Promise<void>
  /** Cancels the current thumbnail; it is taken after the next start. */
  stop(): Promise<void>
}

/** URL of a site's thumbnail. It changes with every image, so that caches never show an old one. */
export function thumbnailUrl(site: string, tag: string): string {
  return `/api/method/easydash.api.site.thumbnail?site=${site}&v=${tag}`
}

/** Shows the user why there is no thumbnail yet. */
async function reportDelay(tx: Tx, request: ThumbnailRequest, reason: LocalizedMessage): Promise<void> {
  const site = await tx.get(SiteDoctype, request.site.name, { lock: true })
  if (!site) return
  await answerThumbnailRequest(tx, request)
  await writeThumbnail(tx, site, { problem: reason })
}

/**
 * Takes the thumbnails of one machine's sites: requested ones (after creation and other visible changes, by jobs or without, and
 * when a user asks), and at most one a day for a site that is visited. It never wakes a site without visits.
 */
export function runThumbnailWorker(deps: SitesDeps, machine: EngineHost<'thumbnail'>): ThumbnailWorker {
  const { engine, name: host } = machine
  const clock = deps.clock ?? systemClock
  const stopping = new AbortController()
  const now = () => formatTimestamp(clock.now())
  const transaction = <T>(work: Parameters<ReturnType<SitesDeps['documents']>['transaction']>[1]): Promise<T> =>
    deps.documents().transaction(systemSession('schedule'), work) as Promise<T>
  let running: Promise<void> | null = null
  let runAgain = false

  const isPossible = () => !stopping.signal.aborted && capabilitiesOf(engine, machine.server).thumbnail.supported

  /** Takes one; false if it cannot be taken now and stays requested. */
  async function take(request: ThumbnailRequest): Promise<boolean> {
    const { site } = request
    try {
      const ref = siteRef(site, machine.server)
      const { content } = await engine.thumbnail(ref, stopping.signal, request.requestedByUser)
      await settle(request, storedThumbnail(content))
      return true
    } catch (error) {
      if (stopping.signal.aborted) return false
      if (error instanceof EngineError && (error.retryable || error.code === 'unsupported')) {
        if (request.requestedByUser)
          await transaction((tx) => reportDelay(tx, request, msg`${error.localized} ${error.nextAction}`))
        return false
      }
      deps.log.info('The thumbnail of a site could not be taken', { site: site.name, error })
      await settle(
        request,
        null,
        error instanceof EngineError ? error.localized : msg`The screenshot could not be taken.`,
      )
      return true
    }
  }

  async function settle(
    request: ThumbnailRequest,
    thumbnail: StoredThumbnail | null,
    problem: LocalizedMessage | null = null,
  ): Promise<void> {
    const { name } = request.site
    const at = now()
    await transaction(async (tx) => {
      const site = await tx.get(SiteDoctype, name, { lock: true })
      if (!site) return
      await settleThumbnailRequest(tx, request, at, thumbnail)
      // If the site is no longer Live, the failed thumbnail does not matter.
      if (thumbnail === null && site.status !== 'Live') return
      await writeThumbnail(
        tx,
        site,
        thumbnail === null
          ? { problem }
          : { thumbnail: thumbnailUrl(name, thumbnail.tag), thumbnail_taken: at, problem: null },
      )
    })
  }

  async function work(): Promise<void> {
    do {
      runAgain = false
      let isDelayed = false
      while (isPossible()) {
        const request = await transaction<ThumbnailRequest | null>((tx) => nextThumbnailRequest(tx, host, now()))
        // The others wait for the next change, but a user who asked meanwhile gets an answer now.
        if (request === null || (isDelayed && !request.requestedByUser)) break
        isDelayed = !(await take(request))
      }
      if (isDelayed) runAgain = false
    } while (runAgain && isPossible())
  }

  const catchUp = (): Promise<void> => {
    if (!isPossible()) return Promise.resolve()
    runAgain = true
    running ??= work()
      .catch((error: unknown) => deps.log.warn('Screenshots could not be taken', { error }))
      .finally(() => {
        running = null
        // A request arrived after the last check.
        if (runAgain) void catchUp()
      })
    return running
  }

  const endVisits = engine.events?.onVisit((id) => {
    if (!isPossible()) return
    transaction<boolean>((tx) => requestStaleThumbnail(tx, id, now()))
      .then((wanted) => (wanted ? catchUp() : undefined))
      .catch((error: unknown) => deps.log.warn('A visit could not be recorded', { site: id, error }))
  })
  return {
    catchUp,
    stop: async () => {
      endVisits?.()
      stopping.abort(new EngineError('unavailable', msg`Easydash is stopping.`, { nextAction: msg`Start it again.` }))
      await running
    },
  }
}
