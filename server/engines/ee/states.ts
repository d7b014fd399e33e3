import { msg } from '#shared/localized-message.ts'
import { EngineError, type EngineStep } from '../engine.ts'
import type { SiteRef } from '../site-ref.ts'
import type { SiteRestart } from '../site-restart.ts'
import { assertSite } from './arguments.ts'
import type { EeContext } from './ee-context.ts'
import { isEnabled } from './inventory.ts'
import { writeMark } from './marks.ts'
import { look, mutate, outputOf } from './remote.ts'
import { enabledSite, existingSite } from './site-of.ts'

/** Makes EasyEngine serve a site, or stop its containers; volumes stay. */
export async function setEnabled(
  context: EeContext,
  site: SiteRef,
  isWanted: boolean,
  signal?: AbortSignal,
): Promise<void> {
  const verb = isWanted ? 'enable' : 'disable'
  await mutate(context, site.server, {
    id: `ee-${site.id}-${verb}`,
    script: 'change',
    args: ['site', verb, site.domain],
    signal,
    isDone: async () => isEnabled((await existingSite(context, site, signal)).row) === isWanted,
  })
}

/** Steps that take a site offline, with everything kept on its server. */
export const archiveSteps = (context: EeContext, site: SiteRef): EngineStep[] => [
  switchStep(context, site, { key: 'disable', label: 'Stop the site', mark: 'archived' }),
]

/** Steps that bring it back. */
export const restoreArchiveSteps = (context: EeContext, site: SiteRef): EngineStep[] => [
  switchStep(context, site, { key: 'enable', label: 'Start the site', mark: 'live' }),
]

function switchStep(
  context: EeContext,
  site: SiteRef,
  { key, label, mark }: { readonly key: string; readonly label: string; readonly mark: 'archived' | 'live' },
): EngineStep {
  return {
    key,
    label,
    deadlineSeconds: 300,
    async run({ signal }) {
      await setEnabled(context, site, mark === 'live', signal)
      await writeMark(context, site, mark, signal)
    },
  }
}

/** EasyEngine's words for it. */
const verbs = { restart: 'restart', reload: 'reload', rebuild: 'refresh' } as const

/** See `EngineFacets.restart`. */
export async function restartSite(context: EeContext, site: SiteRef, how: SiteRestart): Promise<void> {
  const { kind, operationId, signal, log } = how
  assertSite(site)
  await enabledSite(context, site, signal)
  await mutate(context, site.server, {
    id: `ee-${site.id}-restart`,
    script: 'restart',
    args: [site.domain, site.id, operationId, verbs[kind]],
    signal,
    onLine: log,
    async isDone() {
      const call = { script: 'restarted', args: [site.id], signal, maxBytes: 4_096 } as const
      return outputOf(await look(context, site.server, call)).trim() === operationId
    },
  })
}

/** Changes the PHP version, which EasyEngine refuses for the one that it is. */
export async function setPhp(context: EeContext, site: SiteRef, version: string): Promise<void> {
  const { row } = await existingSite(context, site)
  if (row.site_type === 'html')
    throw new EngineError('unsupported', msg`A plain HTML site runs no PHP.`, { nextAction: msg`Choose another site.` })
  await mutate(context, site.server, {
    id: `ee-${site.id}-php`,
    script: 'change',
    args: ['site', 'update', site.domain, `--php=${version}`],
    assertPossible: () => enabledSite(context, site),
    isDone: async () => (await existingSite(context, site)).row.php_version === version,
  })
}
