import { FileArchive } from 'lucide-react'
import { useRef, useState, type DragEvent, type ReactNode } from 'react'
import { cx } from '#web/lib/browser/cx.ts'
import { Button } from './button.tsx'

/** Takes archives that are dropped or chosen. `children`: what stands above the button. */
export function FileDrop({
  label,
  button,
  inputLabel,
  accept,
  multiple = false,
  onFiles,
  children,
}: {
  label: string
  button: string
  inputLabel: string
  accept: string
  multiple?: boolean
  onFiles: (files: readonly File[]) => void
  children: ReactNode
}) {
  const input = useRef<HTMLInputElement>(null)
  const [isOver, setOver] = useState(false)
  const hasFiles = (event: DragEvent) => event.dataTransfer.types.includes('Files')
  return (
    <div
      role="group"
      aria-label={label}
      className={cx(
        'grid justify-items-center gap-2 rounded-card border border-dashed border-border px-4 py-5 text-table',
        isOver && 'outline-2 outline-offset-2 outline-ring',
      )}
      onDragOver={(event) => {
        if (!hasFiles(event)) return
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        if (!hasFiles(event)) return
        event.preventDefault()
        setOver(false)
        onFiles([...event.dataTransfer.files])
      }}
    >
      <FileArchive size={20} strokeWidth={1.75} aria-hidden="true" className="text-muted" />
      {children}
      <Button size="md" onClick={() => input.current?.click()}>
        {button}
      </Button>
      <input
        ref={input}
        type="file"
        multiple={multiple}
        accept={accept}
        hidden
        aria-label={inputLabel}
        onChange={(event) => {
          const chosen = [...(event.target.files ?? [])]
          event.target.value = ''
          if (chosen.length > 0) onFiles(chosen)
        }}
      />
    </div>
  )
}
