import { useState } from 'react'
import type { Site } from '#shared/doctypes/site.ts'
import { easyengineBackup } from '#shared/responses/backups.ts'
import { useAttempt } from '#web/documents/actions/use-attempt.ts'
import { runAction } from '#web/lib/api/api.ts'
import { checkedResult } from '#web/lib/api/checked-response.ts'
import { formatAbsolute } from '#web/lib/i18n/format.ts'
import { Button } from '#web/ui/button.tsx'
import { CopyButton } from '#web/ui/copy-button.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { Dialog } from '#web/ui/overlay/dialog.tsx'
import { t } from './messages.ts'

/** Commands for the server with which EasyEngine makes a backup by itself, and reports it here. */
export function EasyEngineBackupDialog({ site, onClose }: { site: Site; onClose: () => void }) {
  const [made, setMade] = useState<{ readonly dash_auth: string; readonly until: string } | null>(null)
  const { busy, failure, attempt } = useAttempt()
  const make = () =>
    attempt(async () => {
      setMade(checkedResult(easyengineBackup, await runAction('Site', site.name, 'easyengine_backup')))
    })
  const commands = [
    `ee config set ed-api-url ${window.location.origin}/api/method/`,
    `ee site backup ${site.domain} --dash-auth=${made?.dash_auth ?? ''}`,
  ].join('\n')
  return (
    <Dialog
      open
      onOpenChange={(open) => (open ? undefined : onClose())}
      title={t('ee.title')}
      footer={
        <>
          <Button onClick={onClose}>{t('ee.close')}</Button>
          {made === null ? (
            <Button variant="primary" busy={busy} onClick={() => void make()}>
              {t('ee.make')}
            </Button>
          ) : null}
        </>
      }
    >
      <div className="grid gap-3 text-table">
        <p>{t('ee.text')}</p>
        {failure === null ? null : <Notice tone="bad">{failure}</Notice>}
        {made === null ? null : (
          <>
            <div className="flex items-start gap-2">
              <pre translate="no" className="grow font-mono text-meta whitespace-pre-wrap wrap-anywhere">
                {commands}
              </pre>
              <CopyButton value={commands} label={t('ee.copy')} />
            </div>
            <p className="text-muted">{t('ee.until', { when: formatAbsolute(made.until) })}</p>
          </>
        )}
      </div>
    </Dialog>
  )
}
