import { useEffect, useEffectEvent, useRef } from 'react'
import { keepReadyUndo, removeUndoOffer, useUndoOffers, type ReadyUndo } from '#web/documents/actions/undo-store.ts'
import { readLeft } from '#web/documents/actions/undo-values.ts'
import { useUndo } from '#web/documents/actions/use-undo.ts'
import { useSmallList } from '#web/lib/api/frappe.tsx'
import { showToast, updateToast } from '#web/lib/browser/toasts.ts'
import { useSession } from '#web/lib/session/session.tsx'
import { useEndMark } from './end-mark.ts'
import { endedJobFields, jobEndsToast, jobEndToast, type EndedJob } from './job-end-toasts.ts'
import { storedEnds, storeEnds, toldAfter, untoldEnds, type ToldEnds } from './told-ends.ts'

/** If more jobs end at once, one message counts them. */
const toldOneByOne = 3
/** Ended jobs that are read. */
const limit = 50

/**
 * Tells the user of their own jobs that end while the job's drawer is closed, on whichever page they are: a toast, which stays
 * in the tray, and a mark in the title of a tab in the background. Each tab tells each end once, because it remembers which of
 * the newest ends it has told: what a failed request, a page without the shell or a reload hides for a while is told after it.
 */
export function JobEnds() {
  const { user, organization } = useSession()
  const own = user ?? ''
  const tenant = organization?.name ?? ''
  const offers = useUndoOffers()
  const undo = useUndo()
  const jobs = useSmallList(tenant === '' ? null : 'Job', {
    fields: endedJobFields,
    filters: [
      ['owner', '=', own],
      ['ended', 'is', 'set'],
      // Those of a bulk run are told by its page and `BulkEnds`: they can be hundreds.
      ['bulk_run', 'is', 'not set'],
    ],
    order_by: 'ended desc',
    limit,
  }).data
  const told = useRef<ToldEnds | null>(null)
  /** Toasts of single jobs. */
  const toasts = useRef(new Map<string, number>())
  const markTab = useEndMark()

  // With the page and address of the moment.
  const takeBack = useEffectEvent(({ offer, left }: ReadyUndo) => undo(offer, left))
  const tell = useEffectEvent((newest: readonly EndedJob[]) => {
    const before = told.current ?? storedEnds(own, tenant)
    const open = new URLSearchParams(location.search).get('job')
    const undoable: { job: EndedJob; ready: ReadyUndo }[] = []
    for (const job of newest) {
      const offer = offers.find((one) => one.job === job.name)
      if (!offer) continue
      removeUndoOffer(job.name)
      if (job.status !== 'Done') continue
      const ready = { offer, left: readLeft(offer) }
      keepReadyUndo(ready)
      undoable.push({ job, ready })
    }
    const others = untoldEnds(newest, before).filter(
      (job) => job.name !== open && !undoable.some((one) => one.job === job),
    )
    if (others.length > toldOneByOne) showToast(jobEndsToast(others))
    else for (const job of others.toReversed()) toasts.current.set(job.name, showToast(jobEndToast(job)))
    // Last, because it is the last message that stays on screen. Also with the drawer open, which may be closed by then; and if
    // the job ended before the action that started it was answered, the message that told it gets the button.
    for (const { job, ready } of undoable.toReversed())
      updateToast(
        toasts.current.get(job.name) ?? 0,
        jobEndToast(job, () => takeBack(ready)),
      )
    const ended = [...others, ...undoable.map(({ job }) => job)]
    if (ended.length > 0) markTab(ended.some(({ status }) => status === 'Failed'))
    told.current = toldAfter(newest, before, limit)
    storeEnds(own, tenant, told.current)
  })
  useEffect(() => {
    if (jobs) tell(jobs)
  }, [jobs, offers])

  return null
}
