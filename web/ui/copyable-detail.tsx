import { t } from '#web/lib/i18n/messages.ts'
import { CopyField } from './copy-button.tsx'

/** A labeled value to copy. */
export function CopyableDetail({ label, value }: { label: string; value: string }) {
  return (
    <div className="grid grid-cols-[72px_minmax(0,1fr)] items-center gap-3 text-table">
      <span className="text-muted">{label}</span>
      <CopyField value={value} label={`${t('common.copy')} ${label}`} />
    </div>
  )
}
