import { useState } from 'react'
import { copyText } from '#web/lib/browser/copy-text.ts'
import { formatDay } from '#web/lib/i18n/format-day.ts'
import { Button } from '#web/ui/button.tsx'
import { Checkbox } from '#web/ui/form/checkbox.tsx'
import { Dialog } from '#web/ui/overlay/dialog.tsx'
import { t } from './messages.ts'
import { saveText } from '#web/lib/browser/save-file.ts'

/** Recovery codes, shown only once: the dialog stays open until the user confirms that they are saved. */
export function RecoveryCodes({
  user,
  codes,
  justEnabled,
  onClose,
}: {
  user: string
  codes: readonly string[]
  /** Two-factor authentication was just turned on. */
  justEnabled: boolean
  onClose: () => void
}) {
  const [kept, setKept] = useState(false)
  const [isSubmitted, setIsSubmitted] = useState(false)
  const [copied, setCopied] = useState(false)
  const text = () => `${t('codes.file', { user, day: formatDay(new Date()) })}\n\n${codes.join('\n')}\n`
  const done = () => {
    if (kept) onClose()
    else setIsSubmitted(true)
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) done()
      }}
      title={t('codes.title')}
      description={justEnabled ? `${t('codes.on')} ${t('codes.text')}` : t('codes.text')}
      width="md:w-[420px]"
      footer={
        <Button variant="primary" onClick={done}>
          {t('codes.done')}
        </Button>
      }
    >
      <div className="grid gap-4">
        <ul
          aria-label={t('codes.list')}
          className="grid grid-cols-2 gap-x-6 gap-y-1.5 rounded-card border border-border bg-sunken p-4 font-mono text-table"
        >
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
        <div className="flex flex-wrap gap-2">
          <Button onClick={() => void copyText(text()).then(setCopied)}>
            {t(copied ? 'codes.copied' : 'codes.copy')}
          </Button>
          <Button onClick={() => saveText('easydash-recovery-codes.txt', text())}>{t('codes.download')}</Button>
        </div>
        <Checkbox
          label={t('codes.kept')}
          error={isSubmitted && !kept ? t('codes.not_kept') : null}
          checked={kept}
          onChange={(event) => setKept(event.target.checked)}
        />
      </div>
    </Dialog>
  )
}
