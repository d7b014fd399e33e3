import { X } from 'lucide-react'
import * as Radix from 'radix-ui/dialog'
import { useEffect, useRef, type ComponentProps, type ReactNode } from 'react'
import { cx } from '#web/lib/browser/cx.ts'
import { t } from '#web/lib/i18n/messages.ts'
import { closeOnEscape } from '../escape.ts'
import { IconButton } from '../../icon-button.tsx'
import { useReturnFocus } from '../return-focus.ts'
import { Scrim } from '../scrim.tsx'

/** See `../dialog-frame.tsx`. */
export function DialogFrame({
  open,
  onOpenChange,
  label,
  described = false,
  trapsFocus = true,
  className,
  children,
}: {
  open: boolean
  onOpenChange: (open: boolean) => void
  /** Its name, if its content has no title. */
  label?: string
  /** Its content includes a `Description`. */
  described?: boolean
  trapsFocus?: boolean
  /** Position and style. */
  className: string
  children: ReactNode
}) {
  const returnFocus = useReturnFocus()
  const content = useRef<HTMLDivElement>(null)
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange} modal={trapsFocus}>
      <Radix.Portal>
        {trapsFocus ? <Scrim open={open} /> : <InertPage open={open} onClick={() => onOpenChange(false)} />}
        <Radix.Content
          ref={content}
          {...returnFocus}
          onKeyDown={closeOnEscape(() => onOpenChange(false))}
          {...(!trapsFocus && { 'aria-modal': true, onInteractOutside: (event) => event.preventDefault() })}
          onOpenAutoFocus={(event) => {
            returnFocus.onOpenAutoFocus()
            const field = content.current && firstField(content.current)
            if (!field) return
            // The library focuses Close; a form begins in its first field.
            event.preventDefault()
            field.focus()
          }}
          {...(!described && { 'aria-describedby': undefined })}
          className={className}
        >
          {label === undefined ? null : <Radix.Title className="sr-only">{label}</Radix.Title>}
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

/** Backdrop that makes the page behind it inert, as far as the page exists when it appears. */
function InertPage(props: ComponentProps<typeof Scrim>) {
  const { open } = props
  useEffect(() => {
    if (!open) return
    const behind = [...document.body.children].filter(
      (element) => element instanceof HTMLElement && !element.inert && !element.matches('[data-scrim], [role=dialog]'),
    )
    for (const element of behind) element.toggleAttribute('inert', true)
    return () => {
      for (const element of behind) element.toggleAttribute('inert', false)
    }
  }, [open])
  return <Scrim {...props} data-scrim aria-hidden="true" />
}

/** The first field of the form in a dialog, the chosen one of radio buttons; null without a form. */
function firstField(content: HTMLElement): HTMLElement | null {
  const fields = 'form :is(input:not([type=hidden]), select, textarea):not(:disabled)'
  const first = content.querySelector<HTMLElement>(fields)
  if (!(first instanceof HTMLInputElement) || first.type !== 'radio') return first
  return content.querySelector<HTMLElement>(`form input[name="${CSS.escape(first.name)}"]:checked`) ?? first
}

/** Actions at the lower edge of a `DialogFrame`, above the safe area of phones. */
export function DialogFoot({ className, children }: { className: string; children: ReactNode }) {
  return (
    <div
      data-low
      className={cx(
        'flex flex-wrap gap-2 border-t px-5 py-3 max-md:pb-[calc(12px+env(safe-area-inset-bottom))]',
        className,
      )}
    >
      {children}
    </div>
  )
}

/** Close button in the corner of a `DialogFrame`. */
export function CloseCross({ className }: { className: string }) {
  return (
    <Radix.Close asChild>
      <IconButton size="md" label={t('common.close')} className={className}>
        <X size={16} strokeWidth={1.75} />
      </IconButton>
    </Radix.Close>
  )
}
