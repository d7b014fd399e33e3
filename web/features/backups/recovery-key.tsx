import { recoveryKey } from '#shared/responses/backups.ts'
import { usePasswordCheck } from '#web/documents/actions/password-check.tsx'
import { useAttempt } from '#web/documents/actions/use-attempt.ts'
import { runAction } from '#web/lib/api/api.ts'
import { checkedResult } from '#web/lib/api/checked-response.ts'
import { refetch } from '#web/lib/api/data-client.ts'
import { docKey } from '#web/lib/api/data-keys.ts'
import { useDoc } from '#web/lib/api/frappe.tsx'
import { saveText } from '#web/lib/browser/save-file.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { formatRelative } from '#web/lib/i18n/format.ts'
import { Button } from '#web/ui/button.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { t } from './messages.ts'

/**
 * For owners: asks to download the recovery key of the organization's backups until that was done; then, unless it is only a `reminder`,
 * offers it again.
 */
export function RecoveryKey({ organization, reminder }: { organization: string; reminder: boolean }) {
  const { data, error } = useDoc('Organization', organization)
  const { checked, dialog } = usePasswordCheck()
  const { busy, failure, attempt } = useAttempt()
  if (!data) return error ? <Notice tone="warn">{`${t('key.error')}. ${error.message}`}</Notice> : null
  const done = data.recovery_key_downloaded
  if (done && reminder) return null
  const download = () =>
    attempt(async () => {
      const answer = await checked(() => runAction('Organization', organization, 'download_recovery_key'))
      if (answer === null) return
      const { file_name: name, content } = checkedResult(recoveryKey, answer)
      saveText(name, content)
      showToast({ title: t('key.downloaded'), variant: 'success' })
      await refetch(docKey('Organization', organization))
    })
  return (
    <Notice tone={done ? 'info' : 'warn'} title={t(done ? 'key.title' : 'key.missing')} className="mt-2">
      <p className="mt-0.5">{done ? t('key.done', { when: formatRelative(done) }) : t('key.why')}</p>
      {failure ? (
        <p role="alert" className="mt-1 text-bad">
          {failure}
        </p>
      ) : null}
      <div className="mt-3">
        <Button size="md" busy={busy} onClick={() => void download()}>
          {t(done ? 'key.again' : 'key.download')}
        </Button>
      </div>
      {dialog}
    </Notice>
  )
}
