import { Suspense, useState, type ReactNode } from 'react'
import { LazyBoundary } from '../lazy-boundary.tsx'

/**
 * Holds a `React.lazy` overlay (dialog, drawer): its code is loaded when it is first opened, and it stays mounted from then on,
 * for its exit animation. A toast reports that the code failed to load.
 */
export function LazyOverlay({
  open,
  at = '',
  children,
}: {
  open: boolean
  /** What is shown. A new value tries again after a failed load. */
  at?: string
  children: ReactNode
}) {
  const [wasOpened, setWasOpened] = useState(open)
  if (open && !wasOpened) setWasOpened(true)
  return (
    wasOpened && (
      <LazyBoundary level="toast" at={at}>
        <Suspense fallback={null}>{children}</Suspense>
      </LazyBoundary>
    )
  )
}
