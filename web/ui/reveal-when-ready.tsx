import type { ReactNode } from 'react'

/**
 * What stands below a part whose height is not known yet: it is there and loads, and is seen once `ready`, so that it
 * never jumps. `narrow`: only where it stands below, in one column; beside the part it is seen at once.
 */
export function RevealWhenReady({
  ready,
  narrow = false,
  children,
}: {
  ready: boolean
  narrow?: boolean
  children: ReactNode
}) {
  return <div className={ready ? 'contents' : narrow ? 'hidden lg:contents' : 'hidden'}>{children}</div>
}
