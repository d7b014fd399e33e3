import { Upload } from 'lucide-react'
import { lazy, Suspense, useEffect, useEffectEvent, useRef, useState, type DragEvent, type ReactNode } from 'react'
import { limitReachedAt, showLimit } from '#web/documents/actions/limit-notice.ts'
import { cx } from '#web/lib/browser/cx.ts'
import { useSession } from '#web/lib/session/session.tsx'
import { useSearchParams } from '#web/lib/routing/router.tsx'
import { Button } from '#web/ui/button.tsx'
import { t } from './button-messages.ts'

const ImportDialog = lazy(async () => ({ default: (await import('./import-dialog.tsx')).ImportDialog }))

/** Opens the dialog, for the search of commands. */
const importParam = 'import'

/** The button that imports a site, its dialog, and the area around the list that takes a dropped archive. */
export function useSiteImport(): {
  button: ReactNode
  dialog: ReactNode
  area: (children: ReactNode) => ReactNode
} {
  const full = limitReachedAt('/site/create', useSession().subscription)
  const [params, setParams] = useSearchParams()
  const [opened, setOpened] = useState<{ files: readonly File[] } | null>(null)
  const open = (files: readonly File[]) => (full === null ? setOpened({ files }) : showLimit(full))
  const isAsked = params.get(importParam) === '1'
  const onAsked = useEffectEvent(() => {
    open([])
    setParams(
      (current) => {
        const next = new URLSearchParams(current)
        next.delete(importParam)
        return next
      },
      { replace: true },
    )
  })
  useEffect(() => {
    if (isAsked) onAsked()
  }, [isAsked])
  return {
    button: (
      <Button onClick={() => open([])}>
        <Upload size={16} strokeWidth={1.75} aria-hidden="true" className="text-muted" />
        {t('import.button')}
      </Button>
    ),
    dialog: opened ? (
      <Suspense>
        <ImportDialog dropped={opened.files} onClose={() => setOpened(null)} />
      </Suspense>
    ) : null,
    area: (children) => <DropArea onFiles={open}>{children}</DropArea>,
  }
}

function DropArea({ onFiles, children }: { onFiles: (files: readonly File[]) => void; children: ReactNode }) {
  const [isOver, setOver] = useState(false)
  /** Entering a child comes before leaving its parent. */
  const depth = useRef(0)
  const hasFiles = (event: DragEvent) => event.dataTransfer.types.includes('Files')
  const moved = (by: number) => (event: DragEvent) => {
    if (!hasFiles(event)) return
    depth.current = Math.max(0, depth.current + by)
    setOver(depth.current > 0)
  }
  return (
    <div
      className={cx('relative min-w-0 rounded-card', isOver && 'outline-2 outline-offset-2 outline-ring')}
      onDragEnter={moved(1)}
      onDragLeave={moved(-1)}
      onDragOver={(event) => {
        if (hasFiles(event)) event.preventDefault()
      }}
      onDrop={(event) => {
        if (!hasFiles(event)) return
        event.preventDefault()
        depth.current = 0
        setOver(false)
        onFiles([...event.dataTransfer.files])
      }}
    >
      {children}
      {isOver ? (
        <p className="pointer-events-none absolute inset-x-0 top-12 z-3 mx-auto w-fit rounded-card border border-border bg-raised px-4 py-2 text-table shadow-pop">
          {t('import.drop_here')}
        </p>
      ) : null}
    </div>
  )
}
