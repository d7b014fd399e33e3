/** What engines have in common that change the version of WordPress by the script `core`, wherever it runs. */
import * as z from 'zod/mini'
import { msg } from '#shared/localized-message.ts'
import type { WordPressVersions } from '#shared/responses/wordpress-core.ts'
import { compareVersions } from '#shared/rules/wordpress-versions.ts'
import { EngineError } from './engine.ts'
import type { CoreRelease } from './wordpress-catalogue.ts'
import { unreadable, type RunWordPressScript } from './wordpress-scripts.ts'

/** Parts of a change, in order. */
export const coreStages = ['target', 'unpack', 'pause', 'save', 'replace', 'upgrade', 'verify'] as const

/** One of `coreStages`. */
export type CoreStage = (typeof coreStages)[number]

/** How the steps are shown. */
export const coreLabels: Readonly<Record<CoreStage, { label: string; weight: number; deadlineSeconds: number }>> = {
  target: { label: 'Check the version', weight: 3, deadlineSeconds: 300 },
  unpack: { label: 'Put its files beside the site', weight: 3, deadlineSeconds: 300 },
  pause: { label: 'Keep visitors out', weight: 1, deadlineSeconds: 60 },
  save: { label: 'Keep the database', weight: 1, deadlineSeconds: 300 },
  replace: { label: 'Exchange the files', weight: 1, deadlineSeconds: 180 },
  upgrade: { label: 'Update the database', weight: 2, deadlineSeconds: 300 },
  verify: { label: 'Check the version that runs', weight: 1, deadlineSeconds: 120 },
}

const version = z.string().check(z.maxLength(40))

const about = z.object({
  version,
  php: version,
  database: z.int(),
  /** Whether the database of the version that is being replaced has another structure; null: none is. */
  differs: z.nullable(z.boolean()),
  kept: z.nullable(z.object({ version, php: version, at: z.int(), database: z.boolean() })),
})

/** The WordPress of a site as its files say, and the one that is kept. */
export type CoreAbout = z.infer<typeof about>

/** Reads which WordPress a site has, without running it. */
export async function askCore(run: RunWordPressScript, signal?: AbortSignal): Promise<CoreAbout> {
  const { data } = about.safeParse(await run('core', { act: 'about' }, signal))
  if (!data) throw unreadable()
  return data
}

/** Input of `php/core.php`. `mysql`: the database is kept elsewhere. */
export type CoreCall =
  | { readonly act: 'clear' | 'save' | 'undo' | 'finish'; readonly mysql: boolean }
  | {
      readonly act: 'replace'
      readonly mysql: boolean
      readonly operation: string
      readonly from_kept: boolean
      readonly database: boolean
      readonly gone: readonly string[]
    }

/** Runs a part of a change. Throws EngineError `unavailable` if it could not be done. */
export async function callCore(run: RunWordPressScript, call: CoreCall, signal?: AbortSignal): Promise<void> {
  const { problem, done } = await run('core', { ...call }, signal)
  if (done === true) return
  if (problem === 'no room') {
    throw new EngineError('unavailable', msg`The site has no room for the change: the version before is kept.`, {
      nextAction: msg`Make room within the quota of the site, then try again.`,
    })
  }
  const reason = typeof problem === 'string' ? problem.slice(0, 300) : ''
  throw new EngineError('unavailable', msg`The files of WordPress could not be exchanged: ${reason}`, {
    nextAction: msg`Look at the files of the site, then try again.`,
  })
}

/** Throws EngineError `invalid` if a version needs a newer PHP than a site has. */
export function assertCorePhp(version: string, needed: string | null, phpVersion: string): void {
  const [have, need] = [phpVersion, needed ?? '0'].map((text) => text.split('.').map(Number))
  const difference = (have?.[0] ?? 0) - (need?.[0] ?? 0) || (have?.[1] ?? 0) - (need?.[1] ?? 0)
  if (difference >= 0) return
  throw new EngineError('invalid', msg`WordPress ${version} needs PHP ${needed ?? ''}; this site runs ${phpVersion}.`, {
    nextAction: msg`Change the PHP version of the site first.`,
  })
}

/** Throws EngineError `unavailable` if a site has another version after a change. */
export function assertCoreVersion(version: string, wanted: string): void {
  if (version === wanted) return
  throw new EngineError('unavailable', msg`The site has WordPress ${version} after the change.`, {
    nextAction: msg`Try again.`,
  })
}

export const nothingKept = (): EngineError =>
  new EngineError('not_found', msg`No earlier version of WordPress is kept.`, { nextAction: msg`Refresh the page.` })

export const unknownCore = (version: string): EngineError =>
  new EngineError('invalid', msg`${version} is no version of WordPress that runs here.`, {
    nextAction: msg`Choose another version.`,
  })

/** See `WordPressCore.versions`. `releases`: null if wordpress.org did not answer. */
export function offeredVersions(
  installed: string,
  stored: readonly string[],
  releases: readonly CoreRelease[] | null,
): WordPressVersions {
  const states = new Map(releases?.map(({ version: one, state }) => [one, state]))
  const all = [...new Set([...stored, ...states.keys()])].sort((a, b) => compareVersions(b, a))
  return {
    installed,
    reached: releases !== null,
    offers: all.map((one) => ({ version: one, stored: stored.includes(one), state: states.get(one) ?? null })),
  }
}
