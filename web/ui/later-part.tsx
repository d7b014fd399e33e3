import { lazy, Suspense, useState, type ComponentType, type ReactNode } from 'react'
import { once } from '#web/lib/browser/once.ts'
import { LazyBoundary } from './lazy-boundary.tsx'
import { LazyOverlay } from './overlay/lazy-overlay.tsx'

/** A module that is loaded later: `load` in advance (`useLoadLater`), and `here` once that is done. */
export interface LaterModule<Module> {
  readonly load: () => Promise<Module>
  readonly here: () => Module | undefined
}

/** A module of dialogs and popovers that are loaded later. */
export function laterModule<Module>(importModule: () => Promise<Module>): LaterModule<Module> {
  let module: Module | undefined
  return { load: once(async () => (module = await importModule())), here: () => module }
}

/**
 * A part of such a module. Unlike `React.lazy` alone it renders at once what is here already, so that the focus goes where it
 * belongs. A toast reports that the code failed to load.
 */
export function laterPart<Module, Props extends object>(
  { load, here }: LaterModule<Module>,
  partOf: (module: Module) => ComponentType<Props>,
  fallback: ReactNode = null,
): ComponentType<Props> {
  const Lazy = lazy(async () => ({ default: partOf(await load()) })) as unknown as ComponentType<Props>
  return function LaterPart(props: Props) {
    // The same one as long as it is mounted.
    const [Part] = useState<ComponentType<Props>>(() => {
      const module = here()
      return module === undefined ? Lazy : partOf(module)
    })
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
