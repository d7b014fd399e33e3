/**
 * Loaded before everything else (`node --import`): puts the changes of all mutants into the modules they are about when these
 * are imported. Each has an effect only while its mutant is on, so that one product serves for all of them.
 */
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { codeMutants } from './all-mutants.ts'
import { switchable, switchName } from './apply-change.ts'

const root = join(import.meta.dirname, '..', '..', '..')
const modules = new Set(codeMutants.flatMap(({ changes }) => changes.map(({ module }) => module)))
const byUrl = new Map([...modules].map((module) => [pathToFileURL(join(root, module)).href, module]))

/** Modules with mutants that nobody has imported yet. */
export const unchanged = new Set(modules)

/** Switches to a mutant, or to the product as it is. */
export function activateMutant(what: string | null): void {
  Reflect.set(globalThis, switchName, what)
}

registerHooks({
  load(specifier, context, next) {
    const loaded = next(specifier, context)
    const module = byUrl.get(specifier)
    if (module === undefined) return loaded
    const { source } = loaded
    const text = typeof source === 'string' ? source : new TextDecoder().decode(source ?? undefined)
    unchanged.delete(module)
    return { ...loaded, source: switchable(module, text, codeMutants) }
  },
})
