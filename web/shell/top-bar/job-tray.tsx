import { ListTodo } from 'lucide-react'
import { lazy, useState } from 'react'
import { cx } from '#web/lib/browser/cx.ts'
import { useUnfinishedJobs } from '#web/documents/jobs/unfinished-jobs.ts'
import { useSession } from '#web/lib/session/session.tsx'
import { Popover } from '#web/ui/overlay/popover.tsx'
import { Spinner } from '#web/ui/spinner.tsx'
import { tShell } from '../messages.ts'

const loadList = () => import('./job-tray-list.tsx')
const JobTrayList = lazy(() => loadList().then((module) => ({ default: module.JobTrayList })))
/** Before the first click, so that the tray opens with its content. A failure is said when it is opened. */
const preload = () => void loadList().catch(() => undefined)

/** Running jobs and the toasts since the page loaded, on every page. */
export function JobTray() {
  const [shown, setShown] = useState(false)
  const { organization } = useSession()
  const jobs = useUnfinishedJobs(organization !== null)
  const count = jobs.data?.length ?? 0
  const running = jobs.data?.filter(({ status }) => status !== 'Queued').length ?? 0
  const text =
    running > 0
      ? tShell('shell.running', { count: running })
      : count > 0
        ? tShell('shell.queued', { count })
        : tShell('shell.jobs')
  return (
    <Popover
      open={shown}
      onOpenChange={setShown}
      label={tShell('shell.jobs')}
      className="max-h-[min(560px,80dvh,var(--radix-popover-content-available-height))] overflow-y-auto w-[360px] max-w-[calc(100vw-16px)]"
      align="end"
      trigger={
        <button
          type="button"
          onPointerEnter={preload}
          onFocus={preload}
          aria-label={count > 0 ? `${tShell('shell.jobs')}, ${text}` : text}
          className={
            'tour-jobs flex h-9 items-center gap-2 rounded-ctl px-2.5 text-table font-medium hover:bg-hover data-[state=open]:bg-hover max-md:h-11'
          }
        >
          {running > 0 ? (
            <Spinner className="size-4 text-m-info" />
          ) : (
            <ListTodo size={16} strokeWidth={1.75} aria-hidden="true" />
          )}
          <span className={cx('max-lg:sr-only', count === 0 && 'text-muted')}>{text}</span>
        </button>
      }
    >
      <JobTrayList jobs={jobs} onClose={() => setShown(false)} />
    </Popover>
  )
}
