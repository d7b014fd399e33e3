import { useRef, useState, type DragEvent, type ReactNode } from 'react'
import { cx } from '#web/lib/browser/cx.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { droppedFiles, type ChosenFile } from './dropped-files.ts'
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
  const take = (files: readonly ChosenFile[]) => {
    if (files.length > 0) upload(files)
    else showToast({ title: t('drop.nothing'), description: t('drop.nothing_hint'), variant: 'warning' })
  }
  const isOfFiles = (event: DragEvent) => event.dataTransfer.types.includes('Files')
  const isWelcome = (event: DragEvent) => locked === null && isOfFiles(event)
  return (
    <div
      role="group"
      aria-label={t('files.list')}
      className={cx('relative min-w-0 rounded-card', isOver && 'outline-2 outline-offset-2 outline-ring')}
      onDragEnter={(event) => {
        if (!isWelcome(event)) return
        depth.current += 1
        setOver(true)
      }}
      onDragLeave={(event) => {
        if (!isWelcome(event)) return
        depth.current -= 1
        if (depth.current <= 0) setOver(false)
      }}
      onDragOver={(event) => {
        if (isOfFiles(event)) event.preventDefault()
      }}
      onDrop={(event) => {
        if (!isOfFiles(event)) return
        // Otherwise the browser would open the file in place of the page.
        event.preventDefault()
        depth.current = 0
        setOver(false)
        if (locked !== null) return showToast({ title: t('drop.locked'), description: locked, variant: 'warning' })
        void droppedFiles(event.dataTransfer).then(take, () =>
          showToast({ title: t('drop.unreadable'), description: t('drop.unreadable_hint'), variant: 'danger' }),
        )
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
