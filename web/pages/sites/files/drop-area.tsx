import { useRef, useState, type DragEvent, type ReactNode } from 'react'
import { cx } from '#web/lib/browser/cx.ts'
import { droppedFiles } from './dropped-files.ts'
import { shownName } from './file-data.ts'
import { t } from './messages.ts'
import { useUploadQuestion } from './use-upload-question.tsx'

/** Files and folders dropped here are uploaded into the shown folder. */
export function DropArea({
  site,
  folder,
  names,
  locked,
  children,
}: {
  site: string
  folder: string
  names: ReadonlySet<string>
  locked: string | null
  children: ReactNode
}) {
  const [isOver, setOver] = useState(false)
  /** Entering a child comes before leaving its parent. */
  const depth = useRef(0)
  const { upload, question } = useUploadQuestion(site, folder, names)
  const hasFiles = (event: DragEvent) => locked === null && event.dataTransfer.types.includes('Files')
  return (
    <div
      role="group"
      aria-label={t('files.list')}
      className={cx('relative min-w-0 rounded-card', isOver && 'outline-2 outline-offset-2 outline-ring')}
      onDragEnter={(event) => {
        if (!hasFiles(event)) return
        depth.current += 1
        setOver(true)
      }}
      onDragLeave={(event) => {
        if (!hasFiles(event)) return
        depth.current -= 1
        if (depth.current <= 0) setOver(false)
      }}
      onDragOver={(event) => {
        if (hasFiles(event)) event.preventDefault()
      }}
      onDrop={(event) => {
        if (!hasFiles(event)) return
        event.preventDefault()
        depth.current = 0
        setOver(false)
        void droppedFiles(event.dataTransfer).then(upload)
      }}
    >
      {children}
      {isOver ? (
        <p className="pointer-events-none absolute inset-x-0 top-12 z-3 mx-auto w-fit rounded-card border border-border bg-raised px-4 py-2 text-table shadow-pop">
          {t('files.drop', { folder: folder === '' ? t('files.root') : shownName(folder) })}
        </p>
      ) : null}
      {question}
    </div>
  )
}
