import type { ReactNode } from 'react'

/**
 * Content below a part whose height isn't known yet. It mounts and loads immediately, but stays invisible until `ready`, so
 * that it never jumps. `narrow`: only in the single-column layout, because next to the part it can't jump.
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
