import type { ReactNode } from 'react'
import { cx } from '#web/lib/browser/cx.ts'
import { useSession } from '#web/lib/session/session.tsx'
import { Button, ButtonLink } from '#web/ui/button.tsx'
import { fullAt, sayLimit } from '../actions/limit-question.ts'

/** Leads to the page at `to` that creates something; with a full plan it says why not and what helps. */
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
  /** Where the page has its primary one already. */
  plain?: boolean | undefined
  children: ReactNode
}) {
  const full = fullAt(to, useSession().subscription)
  // Tours point at it by this name, whichever of the two it is.
  const look = {
    variant: plain ? ('default' as const) : ('primary' as const),
    className: cx('tour-create', className),
    block,
  }
  if (full === null)
    return (
      <ButtonLink to={to} {...look}>
        {children}
      </ButtonLink>
    )
  return (
    <Button {...look} onClick={() => sayLimit(full)}>
      {children}
    </Button>
  )
}
