import { isOneOf } from '#shared/is-one-of.ts'
import { msg } from '#shared/localized-message.ts'
import { aliasModes } from '#shared/rules/site-aliases.ts'
import { EngineError } from '../engine.ts'
import type { EngineAlias } from '../site-domains.ts'
import type { SiteRef } from '../site-ref.ts'
import type { HttpAuth } from '../site-settings.ts'
import { assertSite } from './arguments.ts'
import type { EeContext } from './ee-context.ts'
import { change, look, outputOf, persistent } from './remote.ts'

/** A change of the primary domain, as its server notes it: what has begun is taken back, what is switched is completed. */
export interface Move {
  readonly from: string
  readonly to: string
  /** Scheduled events ran before. */
  readonly hadEvents: boolean
  /** `undoing`: visitors may be back on the site before, so what was copied is stale and never takes its place. */
  readonly state: 'begun' | 'undoing' | 'switched' | 'finished'
  readonly aliases: MoveAliases
}

/** Aliases of a site during a change. */
export interface MoveAliases {
  /** That it has from here before, and after. */
  readonly before: readonly EngineAlias[]
  readonly after: readonly EngineAlias[]
  /** That somebody made on the server, and that it keeps. */
  readonly others: readonly string[]
}

/** The one swap on the new site. */
export const moveOperation = 'move'

/** The last change of a site; null: there was none. */
export async function readMove(context: EeContext, site: SiteRef, signal?: AbortSignal): Promise<Move | null> {
  assertSite(site)
  const call = { script: 'move', args: [site.id, 'state'], signal, maxBytes: 65_536 } as const
  return parseMove(outputOf(await look(context, site.server, call)))
}

/** Reads what `move.sh` printed; null if it is none. */
function parseMove(output: string): Move | null {
  const [, from = '', to = '', events, state] =
    /^([a-z0-9.-]{1,253}) ([a-z0-9.-]{1,253}) (run|paused) (begun|undoing|switched|finished)$/m.exec(output) ?? []
  if (state === undefined) return null
  const lists = { before: [] as EngineAlias[], after: [] as EngineAlias[], others: [] as string[] }
  for (const line of output.split('\n')) {
    const [, which, domain = '', mode = ''] = /^(before|after|others) ([a-z0-9.*-]{1,253}) (\w+)$/.exec(line) ?? []
    if (which === 'others') lists.others.push(domain)
    else if (which !== undefined && isOneOf(aliasModes, mode)) lists[which as 'before' | 'after'].push({ domain, mode })
  }
  return { from, to, hadEvents: events === 'run', state: state as Move['state'], aliases: lists }
}

/** The site of a change under one of its domains. Only that before may be one that was found on the server. */
export function siteAs(site: SiteRef, move: Pick<Move, 'from' | 'to'>, which: 'from' | 'to'): SiteRef {
  if (which === 'from') return { ...site, domain: move.from }
  const { isFound: _isFound, ...own } = site
  return { ...own, domain: move.to }
}

/** Notes how far a change is, or has the server do a quick part of it. Each can be repeated. */
export async function noteMove(
  context: EeContext,
  site: SiteRef,
  [verb, ...args]: readonly ['configure' | 'undo' | 'switch' | 'carry' | 'finish' | 'forget', ...string[]],
  signal: AbortSignal,
): Promise<void> {
  const call = { script: 'move', args: [site.id, verb, ...args], signal } as const
  outputOf(await persistent(context, signal, () => change(context, site.server, call)))
}

/** Begins a change, or goes on with the same one. Throws EngineError `conflict` during another one. */
export async function beginMove(
  context: EeContext,
  site: SiteRef,
  { from, to, hadEvents, aliases }: Omit<Move, 'state'>,
  signal: AbortSignal,
): Promise<void> {
  const line = (which: string) => (alias: EngineAlias) => `${which} ${alias.domain} ${alias.mode}`
  const names = [
    ...aliases.before.map(line('before')),
    ...aliases.after.map(line('after')),
    ...aliases.others.map((domain) => `others ${domain} serve`),
  ].join('\n')
  const args = [site.id, 'begin', from, to, hadEvents ? 'run' : 'paused']
  const call = { script: 'move', args, variables: { names }, signal } as const
  const begun = await persistent(context, signal, () => change(context, site.server, call))
  if (begun.code === 5)
    throw new EngineError('conflict', msg`Another change of the domain of the site is in progress.`, {
      nextAction: msg`Wait until the other job has ended, or retry the one that did not.`,
    })
  outputOf(begun)
}

/** A few files of a site that would be lost with it, beside its folder of files and in its configuration; and whether jobs of EasyEngine's scheduler would. */
export async function lostOf(
  context: EeContext,
  site: SiteRef,
  signal: AbortSignal,
): Promise<{ readonly files: readonly string[]; readonly hasJobs: boolean }> {
  const taken = site.siteType === 'wp' ? 'wp-config.php' : 'htdocs'
  const call = { script: 'move', args: [site.id, 'rest', site.domain, taken], signal, maxBytes: 16_384 } as const
  const lines = outputOf(await look(context, site.server, call)).split('\n')
  const files = lines.filter((line) => line !== '' && line !== 'jobs').map((name) => name.slice(0, 80))
  return { files, hasJobs: lines.includes('jobs') }
}

/** Whether visitors are asked for exactly these. EasyEngine's password is compared on the server. */
export async function hasAuth(
  context: EeContext,
  site: SiteRef,
  auth: HttpAuth | null,
  signal: AbortSignal,
): Promise<boolean> {
  const args = [site.id, 'auth', site.domain, auth?.user ?? '']
  const call = { script: 'move', args, variables: { secret: auth?.password ?? '' }, signal } as const
  const ended = await persistent(context, signal, () => change(context, site.server, call))
  return outputOf(ended).trim() === 'same'
}
