import { FileDrop } from '#web/ui/file-drop.tsx'
import { t } from './messages.ts'

/** Takes a ZIP file that is dropped or chosen. */
export function PackageDrop({ onFiles }: { onFiles: (files: readonly File[]) => void }) {
  return (
    <FileDrop
      label={t('package.drop')}
      button={t('package.choose')}
      inputLabel={t('package.file')}
      accept=".zip,application/zip"
      onFiles={onFiles}
    >
      <p className="text-muted">{t('package.drop')}</p>
    </FileDrop>
  )
}
