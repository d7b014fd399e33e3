import * as Radix from 'radix-ui/dropdown-menu'
import type { ReactElement, ReactNode } from 'react'
import { Link } from '#web/lib/routing/router.tsx'
import { cx } from '#web/lib/browser/cx.ts'
import { popStyle } from './pop-style.ts'
import { keepMovedFocus } from './return-focus.ts'

const itemStyle =
  'flex min-h-8 w-full cursor-default items-center gap-2 rounded-ctl px-2 text-left text-table font-medium outline-none select-none max-md:min-h-11 ' +
  'data-[highlighted]:bg-hover data-[disabled]:text-muted [&>svg]:shrink-0 [&>svg]:text-muted'

/** A button with a dropdown menu. */
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
  return (
    <Radix.Root modal={false}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          align={align}
          sideOffset={6}
          collisionPadding={8}
          onCloseAutoFocus={keepMovedFocus}
          className={cx(
            popStyle,
            'max-h-[var(--radix-dropdown-menu-content-available-height)] overflow-y-auto p-1',
            width,
          )}
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

/** A menu item. `reason` disables it and explains why; `href` (below /web) makes it a link. */
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
  const content = (
    <>
      {icon}
      <span className="min-w-0 flex-1">
        {children}
        {reason && <span className="block text-meta font-normal text-muted">{reason}</span>}
      </span>
      {aside}
    </>
  )
  const className = cx(itemStyle, danger && !reason && 'text-bad [&>svg]:text-bad', reason && 'py-1.5')
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

/** A separator between groups. */
export function MenuSeparator() {
  return <Radix.Separator className="-mx-1 my-1 h-px bg-hairline" />
}
