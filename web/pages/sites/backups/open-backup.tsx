import { ExternalLink } from 'lucide-react'
import { useState } from 'react'
import { SiteBackupDoctype, type SiteBackup } from '#shared/doctypes/site-backup.ts'
import { openedBackup } from '#shared/responses/backups.ts'
import { openMinutes } from '#shared/rules/backups.ts'
import { ActionButton } from '#web/documents/actions/action-button.tsx'
import { useAttempt } from '#web/documents/actions/use-attempt.ts'
import { useOpenJob } from '#web/documents/jobs/job-link.ts'
import { runAction } from '#web/lib/api/api.ts'
import { checkedResult } from '#web/lib/api/checked-response.ts'
import { useNow } from '#web/lib/browser/use-now.ts'
import { parseTime } from '#web/lib/i18n/format-day.ts'
import { formatClock } from '#web/lib/i18n/format.ts'
import { Button, buttonStyle } from '#web/ui/button.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { WorkingPanel } from '../working-panel.tsx'
import { isOpening } from './backup-columns.tsx'
import { t } from './messages.ts'

/** Opens a backup as a site that can only be looked at, and leads there. */
export function OpenBackup({ backup, reload }: { backup: SiteBackup; reload: () => Promise<void> }) {
  /** What the action said last; its address is in no document. */
  const [opened, setOpened] = useState<{ readonly job: string; readonly url: string } | null>(null)
  const { failure, attempt } = useAttempt()
  const openJob = useOpenJob()
  const now = useNow(30_000)
  const until = parseTime(backup.opened_until)
  const isOpen = until !== null && until.getTime() > now
  const open = () =>
    attempt(async () => {
      const result = checkedResult(openedBackup, await runAction('Site Backup', backup.name, 'open'))
      // What it says of its job must not be older than that.
      await reload()
      setOpened(result)
    })
  return (
    <section aria-labelledby="backup-open" className="grid justify-items-start gap-2 text-table">
      <h3 id="backup-open" className="font-semibold">
        {t('open.title')}
      </h3>
      <p>{t('open.text', { minutes: openMinutes })}</p>
      {failure === null ? null : (
        <Notice tone="bad" title={t('open.failed')}>
          {failure}
        </Notice>
      )}
      {isOpening(backup) ? (
        <div className="w-full">
          <WorkingPanel job={backup.opened_by_job ?? ''} title={t('open.working')} />
        </div>
      ) : opened !== null && until === null ? (
        <Notice tone="bad" title={t('open.failed')}>
          <Button size="md" className="mt-2" onClick={() => openJob(opened.job)}>
            {t('open.why')}
          </Button>
        </Notice>
      ) : (
        <div role="status" className="flex flex-wrap items-center gap-x-3 gap-y-2">
          {isOpen && opened !== null && opened.job === backup.opened_by_job ? (
            <a href={opened.url} target="_blank" rel="noopener noreferrer" className={buttonStyle({ size: 'md' })}>
              <ExternalLink size={16} strokeWidth={1.75} aria-hidden="true" />
              {t('open.link')}
            </a>
          ) : (
            <ActionButton
              type={SiteBackupDoctype}
              doc={{ ...backup, doctype: 'Site Backup' }}
              name="open"
              size="md"
              onStart={() => void open()}
            />
          )}
          {isOpen ? (
            <span className="text-muted">{t('open.until', { time: formatClock(backup.opened_until) })}</span>
          ) : opened === null ? null : (
            <span className="text-muted">{t('open.over')}</span>
          )}
        </div>
      )}
    </section>
  )
}
