import { Suspense, type ComponentType, type ReactNode } from 'react'
import { laterComponent, type LaterModule } from './later-module.tsx'
import { LazyBoundary } from './lazy-boundary.tsx'
import { LazyOverlay } from './overlay/lazy-overlay.tsx'

/**
 * A part of a module of dialogs and popovers that are loaded later: what is here already renders at once, so that the focus goes where it
 * belongs. A toast reports that the code failed to load.
 */
export function laterPart<Module, Props extends object>(
  module: LaterModule<Module>,
  partOf: (module: Module) => ComponentType<Props>,
  fallback: ReactNode = null,
): ComponentType<Props> {
  const Part = laterComponent(module, partOf)
  return function LaterPart(props: Props) {
    return (
      <LazyBoundary level="toast">
        <Suspense fallback={fallback}>
          <Part {...props} />
        </Suspense>
      </LazyBoundary>
    )
  }
}

/** The same for what is open or closed: it is loaded when it is first opened, and stays mounted from then on, for its exit animation. */
export function laterOverlay<Module, Props extends { open: boolean }>(
  module: LaterModule<Module>,
  partOf: (module: Module) => ComponentType<Props>,
): ComponentType<Props> {
  const Part = laterPart(module, partOf)
  return function LaterOverlay(props: Props) {
    return (
      <LazyOverlay open={props.open}>
        <Part {...props} />
      </LazyOverlay>
    )
  }
}
