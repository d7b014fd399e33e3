import { msg } from '#shared/localized-message.ts'
import { contentSince } from '../content-since.ts'
import { EngineError, type EngineStep, type StepContext } from '../engine.ts'
import { easyengineBackupId } from '../native-backup-id.ts'
import type { NativeBackup, NativeOutcome, NativeRestores } from '../site-backups.ts'
import type { SiteRef } from '../site-ref.ts'
import { assertSite } from './arguments.ts'
import type { EeContext } from './ee-context.ts'
import { look, mutate, outputOf, settle } from './remote.ts'
import { managedSite, runPhp } from './scripts.ts'
import { enabledSite, workdirOf } from './site-of.ts'
import { operationOf } from './swaps.ts'
import { askWp } from './wp.ts'

/** Backups that `ee site backup` made, put back by `ee site restore`. */
export function createEeNativeRestores(context: EeContext): NativeRestores {
  return {
    assertKept: (site, backup, signal) => assertKept(context, site, backup, signal),
    restoreSteps: (site, backup) => restoreSteps(context, site, backup),
    outcome: (site, operation) => outcome(context, site, operation),
  }
}

const workOf = ({ id }: SiteRef): string => `ee-${id}-native-restore`

/** An id becomes a word of a command. */
function assertId({ id }: NativeBackup): string {
  if (easyengineBackupId.test(id)) return id
  throw new TypeError(`Not the id of a backup: ${id}`)
}

async function assertKept(context: EeContext, site: SiteRef, backup: NativeBackup, signal: AbortSignal): Promise<void> {
  const id = assertId(backup)
  await enabledSite(context, site, signal)
  const call = {
    script: 'change',
    args: ['site', 'backup', site.domain, '--list'],
    signal,
    deadlineMs: 120_000,
  } as const
  const ids = outputOf(await look(context, site.server, call)).split('\n')
  if (ids.some((line) => line.trim() === id)) return
  throw new EngineError('conflict', msg`EasyEngine does not have this backup any more.`, {
    nextAction: msg`Delete it here, and restore another one.`,
  })
}

function restoreSteps(context: EeContext, site: SiteRef, backup: NativeBackup): EngineStep[] {
  assertSite(site)
  const id = assertId(backup)
  return [
    {
      key: 'restore',
      label: 'Have EasyEngine restore its backup',
      weight: 4,
      deadlineSeconds: 14_400,
      destructive: true,
      async run(step) {
        const { signal } = step
        const { row } = await enabledSite(context, site, signal)
        const operation = operationOf(step)
        await mutate(context, site.server, {
          id: workOf(site),
          script: 'native-restore',
          args: [site.domain, site.id, operation, id, row.site_type === 'wp' ? workdirOf(row) : '-'],
          signal,
          onLine: step.log,
          isDone: async () => (await stateOf(context, site, operation, signal)) === 'restored',
        })
      },
    },
    {
      key: 'compare',
      label: 'Compare the site with what EasyEngine said of the backup',
      weight: 1,
      deadlineSeconds: 600,
      run: (step) => compare(context, site, backup, step),
    },
  ]
}

/** Of the last operation, what its server noted; null for any other. */
async function stateOf(
  context: EeContext,
  site: SiteRef,
  operation: string,
  signal?: AbortSignal,
): Promise<string | null> {
  const call = { script: 'native-state', args: [site.id], signal, maxBytes: 4_096 } as const
  const [noted, state = null] = outputOf(await look(context, site.server, call))
    .trim()
    .split(' ')
  return noted === operation ? state : null
}

async function outcome(context: EeContext, site: SiteRef, operationId: string): Promise<NativeOutcome> {
  assertSite(site)
  // EasyEngine takes nothing back that it has begun: whoever stops it is left with a mixture.
  await settle({ context, server: site.server, id: workOf(site) })
  const state = await stateOf(context, site, operationOf({ operationId }))
  if (state === null || state === 'untouched') return 'untouched'
  return state === 'restored' ? 'restored' : 'changed'
}

/** What a person counts as lost; what is there besides can be of EasyEngine's making, which merges. */
const kinds = ['posts', 'pages', 'comments', 'users', 'plugins', 'themes'] as const

/**
 * EasyEngine says that it succeeded also where it could not unpack an archive, or load a dump: a site that has less than was counted when
 * it was backed up is not what was backed up.
 */
async function compare(context: EeContext, site: SiteRef, backup: NativeBackup, step: StepContext): Promise<void> {
  const { signal } = step
  const { row } = await enabledSite(context, site, signal)
  if (row.site_type !== 'wp') return
  const managed = await managedSite(context, site, signal)
  const { workdir } = managed
  // As EasyEngine counted them: with must-use plugins.
  const inspect = (input: Readonly<Record<string, unknown>>) => runPhp(managed, 'inspect', input, signal)
  const content = await contentSince(inspect, Date.now(), { onAnyMachine: false, signal })
  if (content === null)
    throw new EngineError('unavailable', msg`WordPress does not run after the restore.`, {
      nextAction: msg`Look at the error log of the site.`,
    })
  const version =
    (await askWp(context, site, { workdir, args: ['core', 'version'], signal })).trim().split('\n').at(-1) ?? ''
  const wanted = backup.wordpressVersion
  if (wanted !== null && /^\d/.test(wanted) && version !== wanted)
    throw new EngineError(
      'conflict',
      msg`The site has WordPress ${version} after the restore, and had ${wanted} in the backup.`,
      {
        nextAction: msg`Look at the log of this job.`,
      },
    )
  const counted = kinds.map((kind) => ({ kind, said: backup.counts?.[kind] ?? 0, now: content.counts[kind] }))
  step.log(counted.map(({ kind, said, now }) => `${kind}: ${now} (${said})`).join(', '))
  const missing = counted.filter(({ said, now }) => now < said)
  if (missing.length === 0) return
  const what = missing.map(({ kind, said, now }) => `${kind}: ${now} / ${said}`).join(', ')
  throw new EngineError('conflict', msg`The site has less than EasyEngine counted in the backup (${what}).`, {
    nextAction: msg`Look at the site: if nothing is missing there, continue without this step.`,
  })
}
