import { formatBytes } from '#web/lib/i18n/format.ts'
import { FileDrop } from '#web/ui/file-drop.tsx'
import { t } from './messages.ts'
import type { Recognition } from './recognize-files.ts'

/** Files that are named. */
const maxNamed = 8

/** Takes files that are dropped or chosen, and shows those it has and what they were recognized as. */
export function ArchiveDrop({
  files,
  found,
  onFiles,
}: {
  files: readonly File[]
  found: Recognition | null
  onFiles: (files: readonly File[]) => void
}) {
  return (
    <FileDrop
      label={t('import.drop')}
      button={t(files.length > 0 ? 'import.other' : 'import.choose')}
      inputLabel={t('import.file')}
      accept=".zip,.wpress,.gz,.daf,.xml,application/zip"
      multiple
      onFiles={onFiles}
    >
      {files.length > 0 ? (
        <Chosen files={files} found={found} />
      ) : (
        <p className="text-center text-muted">{t('import.drop')}</p>
      )}
    </FileDrop>
  )
}

/** Names and size, and what the files are. */
function Chosen({ files, found }: { files: readonly File[]; found: Recognition | null }) {
  const size = files.reduce((total, file) => total + file.size, 0)
  return (
    <>
      <ul className="grid max-w-full gap-0.5 text-center">
        {files.slice(0, maxNamed).map((file, index) => (
          <li key={index} className="wrap-anywhere">
            <bdi translate="no" className="font-medium">
              {file.name}
            </bdi>{' '}
            <span className="whitespace-nowrap text-muted">{formatBytes(file.size)}</span>
          </li>
        ))}
        {files.length > maxNamed ? (
          <li className="text-muted">
            {t('import.more_files', { count: files.length - maxNamed, size: formatBytes(size) })}
          </li>
        ) : null}
      </ul>
      <p role="status" className="min-h-4 text-center text-meta text-muted">
        {found === null ? t('import.recognizing') : 'format' in found ? t(`format.${found.format}`) : null}
      </p>
    </>
  )
}
