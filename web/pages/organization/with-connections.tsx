import type { ReactNode } from 'react'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { tConnection } from './connection-messages.ts'
import { useConnections, type ListedConnection } from './connections.ts'

/** Renders its content once the connections are there. */
export function WithConnections({
  children,
}: {
  children: (connections: readonly ListedConnection[]) => ReactNode
}): ReactNode {
  const { data, error, reload } = useConnections()
  if (data) return children(data)
  if (error) return <ErrorPanel title={tConnection('tab.failed')} error={error} onRetry={() => void reload()} />
  return <Skeleton className="h-64 w-full rounded-card" />
}
