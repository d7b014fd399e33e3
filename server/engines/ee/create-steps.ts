import { randomBytes } from 'node:crypto'
import { msg } from '#shared/localized-message.ts'
import { defaultPhpLimits } from '#shared/rules/php-limits.ts'
import { EngineError, type EngineStep, type SiteSpec } from '../engine.ts'
import type { SiteRef } from '../site-ref.ts'
import { starterPage } from '../starter-page.ts'
import { createArguments, type EeSpec } from './arguments.ts'
import type { EeContext } from './ee-context.ts'
import { databaseNameOf } from './inventory.ts'
import { writeMark } from './marks.ts'
import { change, mutate, outputOf } from './remote.ts'
import { requestAsOurselves } from './request.ts'
import { setLimits } from './settings.ts'
import { existingSite, readSite, workdirOf } from './site-of.ts'
import { runWp } from './wp.ts'

/** Names the creation of a site on its server. */
export const creationOf = (id: string): string => `ee-${id}-create`

/** How far a creation is when EasyEngine prints a line. Source: EasyEngine/site-type-wp, src/WordPress.php. */
const milestones: readonly (readonly [start: string, fraction: number])[] = [
  ['Starting site creation', 0.1],
  ['Configuring project', 0.2],
  ['Downloading and configuring WordPress', 0.35],
  ['Checking and verifying site-up status', 0.6],
  ['Installing WordPress site', 0.75],
  ['Site entry created', 0.9],
  ['Creating cron entry', 0.95],
]

/** Steps that create a site. Each looks first at what exists. */
export function createSteps(context: EeContext, spec: SiteSpec): EngineStep[] {
  // Throws now what a job could only fail with.
  createArguments(spec, databaseNameOf(spec.id, '0'))
  const { server, domain } = spec
  return [
    reserveStep(context, spec),
    createStep(context, spec),
    {
      key: 'set_up',
      label: 'Finish the site',
      weight: 2,
      async run({ signal }) {
        const { row, mark } = await existingSite(context, spec, signal)
        // Titles and passwords belong to the site from then on.
        if (mark !== 'new') return
        if (spec.siteType !== 'html') await setLimits(context, spec, defaultPhpLimits('ee'), { signal })
        if (spec.siteType === 'wp') {
          const workdir = workdirOf(row)
          await runWp(context, spec, {
            workdir,
            args: ['user', 'update', spec.adminUser, '--prompt=user_pass', '--skip-email'],
            input: `${spec.adminPassword}\n`,
            signal,
          })
          await runWp(context, spec, { workdir, args: ['option', 'update', 'blogname'], input: spec.title, signal })
          // Until then its files alone say it, which an update of WordPress replaces.
          if (spec.locale !== undefined && spec.locale !== 'en_US')
            await runWp(context, spec, { workdir, args: ['option', 'update', 'WPLANG', spec.locale], signal })
        } else {
          const { name, content } = starterPage(spec)
          if (spec.withDatabase) await writeDatabaseLogin(context, spec, signal)
          const first = { script: 'first-page', args: [domain, name], variables: { content }, signal } as const
          outputOf(await change(context, server, first))
        }
        await writeMark(context, spec, 'live', signal)
      },
    },
    answerStep(context, spec),
  ]
}

/** Reserves the domain of a new site. */
export const reserveStep = (context: EeContext, spec: SiteRef): EngineStep => ({
  key: 'reserve',
  label: 'Reserve the domain',
  async run({ signal }) {
    const found = await readSite(context, spec, signal)
    if (found.clash === spec.domain) throw taken(spec.domain)
    if (found.clash !== null) throw tooAlike(spec.domain, found.clash)
    if (found.row !== null) return
    const reserved = await change(context, spec.server, { script: 'reserve', args: [spec.domain, spec.id], signal })
    // Of two sites at once, the second one finds the mark of the first only now.
    if (reserved.code === 3) throw taken(spec.domain)
    if (reserved.code === 4) throw leftovers(spec.domain)
    if (reserved.code === 5) throw tooAlike(spec.domain, reserved.stdout.trim().slice(0, 253))
    outputOf(reserved)
  },
})

/** Has EasyEngine create a site. */
export const createStep = (context: EeContext, spec: EeSpec): EngineStep => ({
  key: 'create_site',
  label: 'Create the site with EasyEngine',
  weight: 8,
  deadlineSeconds: 600,
  async run({ signal, log, progress }) {
    const attempt = databaseNameOf(spec.id, randomBytes(2).toString('hex'))
    await mutate(context, spec.server, {
      id: creationOf(spec.id),
      script: 'create',
      args: createArguments(spec, attempt),
      variables: { id: spec.id, kind: spec.siteType },
      signal,
      isDone: async () => (await readSite(context, spec, signal)).row !== null,
      onLine(line) {
        log(line)
        const reached = milestones.findLast(([start]) => line.includes(start))
        if (reached) progress(reached[1])
      },
    })
  },
})

/** Tells the code of a PHP site that was just made where its database is. */
export async function writeDatabaseLogin(
  context: EeContext,
  { server, domain }: SiteRef,
  signal: AbortSignal,
): Promise<void> {
  outputOf(await change(context, server, { script: 'database-login', args: [domain], signal }))
}

/** Waits until a new site answers. */
export const answerStep = (context: EeContext, spec: SiteRef): EngineStep => ({
  key: 'answer',
  label: 'Wait for its first page',
  async run({ signal }) {
    const { status } = await requestAsOurselves(context, spec, '/', { signal })
    if (status >= 500)
      throw new EngineError('unavailable', msg`The page answered with status ${status}.`, {
        retryable: true,
        nextAction: msg`Look at the log of the site, then retry.`,
      })
  },
})

const taken = (domain: string): EngineError =>
  new EngineError('conflict', msg`“${domain}” is already a site of this server.`, {
    nextAction: msg`Choose another domain.`,
  })

const leftovers = (domain: string): EngineError =>
  new EngineError('conflict', msg`The server has files or containers of “${domain}” that were not made from here.`, {
    nextAction: msg`Remove them on the server, or choose another domain.`,
  })

/** EasyEngine names volumes by the domain without dots and dashes, so both sites would write into the same. */
const tooAlike = (domain: string, other: string): EngineError =>
  new EngineError(
    'conflict',
    msg`“${domain}” and “${other}” are equal without dots and hyphens. EasyEngine would mix up their files.`,
    { nextAction: msg`Choose another domain, or another server.` },
  )
