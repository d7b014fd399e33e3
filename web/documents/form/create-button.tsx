import type { ReactNode } from 'react'
import { cx } from '#web/lib/browser/cx.ts'
import { useSession } from '#web/lib/session/session.tsx'
import { Button, ButtonLink } from '#web/ui/button.tsx'
import { limitReachedAt, showLimit } from '../actions/limit-notice.ts'

/** Links to the creation page at `to`. If the plan's limit is reached, explains that and what to do instead. */
export function CreateButton({
  to,
  className,
  block,
  plain = false,
  children,
}: {
  to: '/site/create' | '/server/create'
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
  if (full === null)
    return (
      <ButtonLink to={to} {...buttonProps}>
        {children}
      </ButtonLink>
    )
  return (
    <Button {...buttonProps} onClick={() => showLimit(full)}>
      {children}
    </Button>
  )
}
