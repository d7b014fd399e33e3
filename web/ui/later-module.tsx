import { lazy, useState, type ComponentType } from 'react'
import { once } from '#web/lib/browser/once.ts'

/** A module that is loaded later: `load` in advance (`useLoadLater`), and `here` once that is done. */
export interface LaterModule<Module> {
  readonly load: () => Promise<Module>
  readonly here: () => Module | undefined
}

/** Code that is not part of a first view. */
export function laterModule<Module>(importModule: () => Promise<Module>): LaterModule<Module> {
  let module: Module | undefined
  return { load: once(async () => (module = await importModule())), here: () => module }
}

/**
 * A component of such a module, inside of `Suspense`. Unlike `React.lazy` alone it renders at once what is here already: React keeps
 * what replaces a placeholder back for a third of a second, and draws it in slices.
 */
export function laterComponent<Module, Props extends object>(
  { load, here }: LaterModule<Module>,
  componentOf: (module: Module) => ComponentType<Props>,
): ComponentType<Props> {
  const Lazy = lazy(async () => ({ default: componentOf(await load()) })) as unknown as ComponentType<Props>
  return function LaterComponent(props: Props) {
    // The same one as long as it is mounted.
    const [Component] = useState<ComponentType<Props>>(() => {
      const module = here()
      return module === undefined ? Lazy : componentOf(module)
    })
    return <Component {...props} />
  }
}
