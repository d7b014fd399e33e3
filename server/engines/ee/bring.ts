import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../engine.ts'
import type { PackageType } from '../wordpress-packages.ts'
import { runPhp, type ManagedSite } from './scripts.ts'

/** What is to be staged, and under which name: an uploaded archive, a package of wordpress.org, or a translation. */
export type Brought = { readonly staged: string } & (
  | { readonly archive: string }
  /** The newest version by default. */
  | { readonly type: PackageType; readonly slug: string; readonly version?: string }
  | { readonly language: string; readonly version: string }
  /** WordPress itself, which comes to where the script `core` finds it. */
  | { readonly core: string }
)

/** Puts what is to be installed beside what the site uses, unpacked. The server downloads it. Throws EngineError with the reason. */
export async function bring(managed: ManagedSite, input: Brought, signal: AbortSignal | undefined): Promise<void> {
  const { refused } = await runPhp(managed, 'bring', { ...input, safe: true }, signal)
  if (refused === undefined) return
  if (refused === 'unknown')
    throw new EngineError('not_found', msg`wordpress.org has nothing named ${'slug' in input ? input.slug : ''}.`, {
      nextAction: msg`Check the name: it is the last part of its address there.`,
    })
  if (refused === 'offline')
    throw new EngineError('unavailable', msg`wordpress.org can’t be reached.`, {
      nextAction: 'slug' in input ? msg`Upload the ZIP file instead, or try again later.` : msg`Try again later.`,
    })
  throw new EngineError('invalid', msg`This is no ZIP file, or it is damaged.`, {
    nextAction: msg`Choose another file.`,
  })
}
