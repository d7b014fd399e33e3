/** A WordPress from the form to Live on a simulated server with EasyEngine, and what a server with 200 sites has. */
import { join } from 'node:path'
import type { JobContext } from '#server/contracts/job.ts'
import { importSteps } from '#server/features/servers/easyengine/import-steps.ts'
import { systemClock } from '#server/jobs/clock.ts'
import { systemSession } from '#server/jobs/session.ts'
import { openDatabase } from '#server/providers/simulator/easyengine/database.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { startEeServer, type EeServer } from '#tests/support/ee-server.ts'
import { insertEeServer, startEeSites } from '#tests/support/ee-sites.ts'
import { makeOrganization, untilEnded } from '#tests/support/jobs.ts'
import type { Figure } from '../../scripts/bench-run.ts'
import { median, timed } from './bench-product.ts'
import { openBenchDatabase } from './site-rows.ts'

const sites = 200

/** Milliseconds become seconds. */
export async function bench(): Promise<Figure[]> {
  const database = await openBenchDatabase()
  const t = await startEeServer()
  const running = await startEeSites(database.database, t.place)
  try {
    const { documents } = running
    const owner = await makeOrganization(documents, 'acme')
    const server = await insertEeServer(running, t)
    const creations: number[] = []
    for (const name of ['one', 'two', 'three'])
      creations.push(
        await timed(async () => {
          const site = await documents.insert(owner, 'Site', {
            ...{ server: server.name, domain: `${name}.example.com`, site_type: 'wp', title: `Site ${name}` },
            ...{ admin_user: 'ann', admin_email: 'ann@acme.example' },
          })
          const job = await untilEnded(documents, String(site['job']))
          if (job.status !== 'Done') throw new Error(`${name} is not Live: ${job.error_message}`)
        }),
      )
    addSites(t, sites - creations.length)
    const inventories: number[] = []
    for (let round = 0; round < 3; round += 1)
      inventories.push(
        await timed(async () => {
          const { length } = await running.engine.host.sites(t.server)
          if (length !== sites) throw new Error(`The server has ${length} sites.`)
        }),
      )
    const transaction: JobContext['transaction'] = (work) => documents.transaction(systemSession(), work)
    const [, list] = importSteps({ ssh: t.context.ssh, clock: systemClock })
    const { signal } = new AbortController()
    const job = { referenceName: server.name, signal, transaction, log: () => undefined, keep: () => undefined }
    const importMs = await timed(async () => void (await list?.run(job as unknown as JobContext)))
    const known = await transaction((tx) => tx.count(SiteDoctype, [['server', '=', server.name]]))
    if (known !== sites) throw new Error(`${known} sites were taken over.`)
    return [
      { name: 'WordPress from the form to Live, median of 3', value: median(creations) / 1000, unit: 's (10)' },
      { name: 'inventory of 200 sites, median of 3', value: median(inventories) / 1000, unit: 's (5)' },
      { name: 'the same, with a document for each of them', value: importMs / 1000, unit: 's (5)' },
    ]
  } finally {
    await running.stop()
    await t.end()
    await database.drop()
  }
}

/** Sites that somebody made on the server. */
function addSites({ root }: EeServer, count: number): void {
  const database = openDatabase({ path: (path) => join(root, path) })
  for (let index = 1; index <= count; index += 1)
    database.insert('sites', {
      ...{ site_url: `site-${index}.example.net`, site_type: 'wp', app_sub_type: 'wp', site_enabled: 1 },
      ...{ site_ssl: 'le', php_version: '8.3', db_name: `db${index}`, app_admin_url: `Site ${index}` },
      ...{ app_admin_username: 'admin', site_fs_path: '', site_container_fs_path: '/var/www/htdocs' },
      alias_domains: `site-${index}.example.net,www.site-${index}.example.net`,
    })
  database.close()
}
