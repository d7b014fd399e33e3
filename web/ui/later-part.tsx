import { lazy, Suspense, useState, type ComponentType, type ReactNode } from 'react'
import { LazyBoundary } from './lazy-boundary.tsx'

/**
 * A part whose code is loaded later, for dialogs and popovers of pages that load it in advance (`useLoadLater`). Unlike
 * `React.lazy` alone it renders at once what is here already, so that the focus goes where it belongs. A toast reports that the code failed to load.
 */
export function laterPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  fallback: ReactNode = null,
): ComponentType<Props> {
  let here: ComponentType<Props> | undefined
  const Lazy = lazy(async () => ({ default: (here = await load()) })) as unknown as ComponentType<Props>
  return function LaterPart(props: Props) {
    const [Part] = useState<ComponentType<Props>>(() => here ?? Lazy)
    return (
      <LazyBoundary level="toast">
        <Suspense fallback={fallback}>
          <Part {...props} />
        </Suspense>
      </LazyBoundary>
    )
  }
}
