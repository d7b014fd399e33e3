import { ListTodo } from 'lucide-react'
import { Popover } from 'radix-ui'
import { useState } from 'react'
import type { Job } from '#shared/doctypes/job.ts'
import { cx } from '#web/lib/cx.ts'
import { useList } from '#web/lib/frappe.tsx'
import { t } from '#web/lib/messages.ts'
import { popStyle } from '#web/ui/menu.tsx'
import { Spinner } from '#web/ui/spinner.tsx'
import { JobTrayList } from './job-tray-list.tsx'

/** What the tray reads of a job. */
export type TrayJob = Pick<
  Job,
  'name' | 'label' | 'status' | 'percent' | 'steps' | 'reference_title' | 'started' | 'usual_seconds'
>

const open = ['Queued', 'Running', 'Cancelling', 'Lost Contact']
const fields = ['name', 'label', 'status', 'percent', 'steps', 'reference_title', 'started', 'usual_seconds']

/** Jobs under way and the messages of this visit, from every page. */
export function JobTray() {
  const [shown, setShown] = useState(false)
  const jobs = useList<TrayJob>('Job', {
    fields,
    filters: [['status', 'in', open]],
    order_by: 'creation desc',
    limit: 20,
  })
  const count = jobs.data?.length ?? 0
  return (
    <Popover.Root open={shown} onOpenChange={setShown}>
      <Popover.Trigger
        className="flex h-9 items-center gap-2 rounded-ctl px-2.5 text-table font-medium hover:bg-hover data-[state=open]:bg-hover max-md:h-11"
        aria-label={count > 0 ? `${t('shell.jobs')}, ${t('shell.running', { count })}` : t('shell.jobs')}
      >
        {count > 0 ? (
          <Spinner className="size-4 text-m-info" />
        ) : (
          <ListTodo size={16} strokeWidth={1.75} aria-hidden="true" />
        )}
        <span className={cx('max-md:sr-only', count === 0 && 'text-muted')}>
          {count > 0 ? t('shell.running', { count }) : t('shell.jobs')}
        </span>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          align="end"
          sideOffset={6}
          collisionPadding={8}
          aria-label={t('shell.jobs')}
          className={cx(
            popStyle,
            'max-h-[min(560px,80dvh)] w-[360px] max-w-[calc(100vw-16px)] overflow-y-auto outline-none',
          )}
        >
          <JobTrayList jobs={jobs} onClose={() => setShown(false)} />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}
