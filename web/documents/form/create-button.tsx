import type { ReactNode } from 'react'
import { cx } from '#web/lib/browser/cx.ts'
import { shortcutsEnabled } from '#web/lib/browser/shortcuts.ts'
import { createKeys } from '#web/lib/routing/create-keys.ts'
import { useSession } from '#web/lib/session/session.tsx'
import { Button, ButtonLink } from '#web/ui/button.tsx'
import { Kbd } from '#web/ui/kbd.tsx'
import { limitReachedAt, showLimit } from '../actions/limit-notice.ts'

/** Links to the creation page at `to`. If the plan's limit is reached, explains that and what to do instead. */
export function CreateButton({
  to,
  search = '',
  className,
  block = false,
  plain = false,
  children,
}: {
  to: keyof typeof createKeys
  /** What the page starts with: `?server=…`. Its keys open it without. */
  search?: string
  className?: string | undefined
  block?: boolean
  /** Not primary, because the page already has a primary button. */
  plain?: boolean | undefined
  children: ReactNode
}) {
  const full = limitReachedAt(to, useSession().subscription)
  // Tours target this class name on both variants.
  const buttonProps = {
    variant: plain ? ('default' as const) : ('primary' as const),
    className: cx('tour-create', className),
    block,
  }
  const content = (
    <>
      {children}
      {plain || block || search !== '' || !shortcutsEnabled() ? null : (
        <Kbd filled aria-hidden="true" className="max-xl:hidden touch:hidden">
          {createKeys[to].join(' ')}
        </Kbd>
      )}
    </>
  )
  if (full === null)
    return (
      <ButtonLink to={`${to}${search}`} {...buttonProps}>
        {content}
      </ButtonLink>
    )
  return (
    <Button {...buttonProps} onClick={() => showLimit(full)}>
      {content}
    </Button>
  )
}
