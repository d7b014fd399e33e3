import { ChevronRight } from 'lucide-react'
import * as Radix from 'radix-ui/dropdown-menu'
import { startTransition, useState, type FocusEvent, type ReactElement, type ReactNode } from 'react'
import { Link } from '#web/lib/routing/router.tsx'
import { cx } from '#web/lib/browser/cx.ts'
import { useBreakpoint } from '#web/lib/browser/use-breakpoint.ts'
import { closeOnEscape } from '../escape.ts'
import { popStyle } from '../pop-style.ts'
import { keepMovedFocus } from '../return-focus.ts'

const itemStyle =
  'flex min-h-8 w-full cursor-default items-center gap-2 rounded-ctl px-2 text-left text-table font-medium outline-none select-none max-md:min-h-11 ' +
  'data-[highlighted]:bg-hover data-[disabled]:text-muted [&>svg]:shrink-0 [&>svg]:text-muted'

const contentStyle = cx(
  popStyle,
  'max-h-[var(--radix-dropdown-menu-content-available-height)] max-md:max-w-[264px] overflow-y-auto p-1',
)

/** A menu opened by key begins in its first item. The library sees no key that was pressed before its code was here. */
function enterByKey({ currentTarget: menu, target }: FocusEvent<HTMLElement>): void {
  if (target === menu && menu.matches(':focus-visible'))
    menu.querySelector<HTMLElement>('[role=menuitem]')?.focus({ preventScroll: true })
}

/** See `../menu.tsx`. */
export function Menu({
  trigger,
  children,
  align = 'end',
  width = 'min-w-[220px]',
}: {
  /** One element that takes a ref and the props of a native button (Button, IconButton). */
  trigger: ReactElement
  children: ReactNode
  align?: 'start' | 'center' | 'end'
  width?: string
}) {
  const [open, setOpen] = useState(false)
  // A menu of many entries takes a while; until then the page answers.
  const change = (to: boolean) => (to ? startTransition(() => setOpen(true)) : setOpen(false))
  return (
    <Radix.Root modal={false} open={open} onOpenChange={change}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          align={align}
          sideOffset={6}
          collisionPadding={8}
          onFocus={enterByKey}
          onCloseAutoFocus={keepMovedFocus}
          onKeyDown={closeOnEscape(() => setOpen(false))}
          className={cx(contentStyle, width)}
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

/** See `../menu.tsx`. */
export function MenuItem({
  icon,
  children,
  aside,
  danger = false,
  reason,
  href,
  onSelect,
}: {
  icon?: ReactNode
  children: ReactNode
  /** At the end, e.g. a shortcut. */
  aside?: ReactNode
  danger?: boolean
  reason?: string | null
  href?: string
  onSelect?: (event: Event) => void
}) {
  const [lastReason, setLastReason] = useState(reason)
  if (reason && reason !== lastReason) setLastReason(reason)
  const content = (
    <>
      {icon}
      <span className="min-w-0 flex-1">
        {children}
        {lastReason && (
          <span
            className={cx('block text-meta font-normal text-muted', !reason && 'invisible')}
            aria-hidden={reason ? undefined : true}
          >
            {lastReason}
          </span>
        )}
      </span>
      {aside}
    </>
  )
  const className = cx(
    itemStyle,
    reason ? 'text-muted' : danger && 'text-bad [&>svg]:text-bad',
    reason && 'text-muted [&>svg]:opacity-65',
    lastReason && 'py-1.5',
  )
  if (href && !reason) {
    return (
      <Radix.Item asChild className={className}>
        <Link to={href}>{content}</Link>
      </Radix.Item>
    )
  }
  return (
    <Radix.Item
      className={className}
      aria-disabled={reason ? true : undefined}
      onSelect={(event) => {
        // Not `disabled`, so that the item stays focusable and its reason can be read.
        if (reason) event.preventDefault()
        else onSelect?.(event)
      }}
    >
      {content}
    </Radix.Item>
  )
}

/** See `../menu.tsx`. */
export function MenuSub({ icon, label, children }: { icon?: ReactNode; label: string; children: ReactNode }) {
  const isSmall = useBreakpoint() === 'phone'
  return (
    <Radix.Sub>
      <Radix.SubTrigger className={cx(itemStyle, 'data-[state=open]:bg-hover')}>
        {icon}
        <span className="min-w-0 flex-1">{label}</span>
        <ChevronRight size={14} strokeWidth={1.75} aria-hidden="true" />
      </Radix.SubTrigger>
      <Radix.Portal>
        <Radix.SubContent
          // There is no room beside a menu on a phone: over it, with its left edge in sight.
          sideOffset={isSmall ? -180 : 2}
          collisionPadding={8}
          className={cx(contentStyle, 'min-w-[200px]')}
        >
          {children}
        </Radix.SubContent>
      </Radix.Portal>
    </Radix.Sub>
  )
}

/** See `../menu.tsx`. */
export function MenuSeparator() {
  return <Radix.Separator className="-mx-1 my-1 h-px bg-hairline" />
}
