import type { JobDefinition } from '#server/contracts/job.ts'
import type { EngineWith } from '#server/engines/facets.ts'
import type { EngineHost } from '#server/engines/hosts.ts'
import type { SiteRef } from '#server/engines/site-ref.ts'
import { formatTimestamp, systemClock } from '#server/jobs/clock.ts'
import { systemSession } from '#server/jobs/session.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { msg } from '#shared/localized-message.ts'
import { isModified, type PackageChecksum } from '#shared/responses/package-checksums.ts'
import { siteReference } from '#shared/rules/display-name.ts'
import type { SitesDeps } from '../deps.ts'
import { translateEngineErrors } from '../engine-of.ts'
import { authorizeSite, siteAndEngine, writeSite, type SiteJobArgs } from '../job-parts.ts'
import { onEachAsleep, type TriedSites } from './each-asleep.ts'
import { onEachRunning, type DailyWork } from './each-running.ts'
import { doneSince, writeChecksum, type Verification } from './facts-table.ts'

/** `site.verify_checksum`: compares the files of WordPress, plugins and themes with the original ones. Changes nothing on the site. */
export function verifyChecksumsJob(deps: SitesDeps): JobDefinition<SiteJobArgs> {
  return {
    type: 'site.verify_checksum',
    label: ({ referenceTitle }) => `Verify the files of WordPress on ${referenceTitle}`,
    deadlineSeconds: 300,
    cancel: { possible: true },
    authorize: authorizeSite('write'),
    nextAction: () => msg`Look at the error log of the site.`,
    async steps(context) {
      const { site, engine } = await siteAndEngine(deps, context, 'checksums')
      return [
        {
          key: 'compare',
          label: 'Compare files with the pristine package',
          async run({ signal, log }) {
            const { report, packages } = await verify(deps, engine, site, signal)
            log(`${report.checked} files of WordPress ${report.version} compared`)
            logFiles(log, '', report)
            for (const one of packages) {
              const { name, version, source, checked } = one
              if (source === null) log(`${name} ${version}: not checked (${one.unchecked ?? ''})`)
              else log(`${name} ${version}: ${checked} files compared (${source})`)
              logFiles(log, `wp-content/${one.type}s/${one.id}/`, one)
            }
          },
        },
      ]
    },
  }
}

type Lists = Pick<PackageChecksum, 'changed' | 'added' | 'missing'>

function logFiles(log: (line: string) => void, folder: string, { changed, added, missing }: Lists): void {
  for (const [kind, paths] of Object.entries({ changed, added, missing }))
    for (const path of paths) log(`${kind}: ${folder}${path}`)
}

/** A machine whose sites can be verified. */
type VerifiableHost = EngineHost<'host' | 'wordpress' | 'originals'>

/** Verifies the sites of a machine that run now and were not verified for a day. */
export function verifyRunning(deps: SitesDeps, host: VerifiableHost): Promise<void> {
  return onEachRunning(deps, host, dailyVerification(deps, host.engine))
}

/** Verifies the sites of a machine that sleep: each night, because they may have run for a moment since, and their files are not sealed. */
export function verifyAsleep(deps: SitesDeps, host: VerifiableHost, tried: TriedSites = new Map()): Promise<void> {
  return onEachAsleep(deps, host, { work: dailyVerification(deps, host.engine), tried })
}

function dailyVerification(deps: SitesDeps, engine: EngineWith<'checksums'>): DailyWork {
  return {
    failure: 'The files of a site could not be verified',
    doneSince: (tx, sites, since) => doneSince(tx, 'checksum_at', sites, since),
    run: (ref) => verify(deps, engine, ref),
  }
}

async function verify(
  deps: SitesDeps,
  engine: EngineWith<'checksums'>,
  site: SiteRef,
  signal?: AbortSignal,
): Promise<Verification> {
  const report = await translateEngineErrors(engine.wordpress.verifyChecksums(site, signal))
  const packages = await translateEngineErrors(engine.originals.verifyPackages(site, signal))
  const at = formatTimestamp((deps.clock ?? systemClock).now())
  const isVerified = !isModified(report) && !packages.some(isModified)
  await deps.documents().transaction(systemSession('schedule'), async (tx) => {
    const before = await tx.get(SiteDoctype, site.id)
    if (!before) return
    await writeChecksum(tx, site.id, { report, packages }, at)
    await writeSite(tx, site.id, { wordpress_checksum: isVerified ? 'Verified' : 'Modified' })
    if (isVerified || before.wordpress_checksum === 'Modified') return
    await tx.activity({
      action: 'Site.files_changed',
      result: 'Failed',
      ...siteReference(before),
    })
  })
  return { report, packages }
}
