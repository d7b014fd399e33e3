import type { JobStepDefinition } from '#server/contracts/job.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { serverOfJob, writeServer } from '../job-parts.ts'
import { measureServer, remoteServerFields } from '../remote/measure-server.ts'
import { runScript } from '../remote/run-script.ts'
import { sshTarget } from '../server-target.ts'
import type { ServersContext } from '../servers-context.ts'
import { parseInventory, recordFound } from './found-site.ts'

/** Names of sites that the page of a server shows; all are in the log of the job. */
const maxLeftOut = 100

/** Takes over a server that runs EasyEngine already. It is only read: nothing is changed there. */
export function importSteps({ ssh, clock }: Pick<ServersContext, 'ssh' | 'clock'>): JobStepDefinition[] {
  return [
    {
      key: 'facts',
      label: 'Read its facts',
      deadlineSeconds: 120,
      async run(job) {
        const facts = await measureServer(ssh, sshTarget(await serverOfJob(job)), job.signal)
        if (facts.easyengine === null)
          throw new AppError('invalid', msg`EasyEngine does not run on this machine.`, {
            nextAction: msg`Delete the server, and add it as a machine without EasyEngine.`,
          })
        await job.transaction((tx) => writeServer(tx, job.referenceName, remoteServerFields(facts, clock.now())))
      },
    },
    {
      key: 'inventory',
      label: 'List its sites',
      deadlineSeconds: 120,
      shows: [{ name: 'sites', label: 'Sites' }],
      async run(job) {
        const server = await serverOfJob(job)
        const found = parseInventory(await runScript(ssh, sshTarget(server), 'inventory', { signal: job.signal }))
        if (found === null)
          throw new AppError('unavailable', msg`EasyEngine’s list of sites cannot be read.`, {
            nextAction: msg`Install the program sqlite3 there, then retry.`,
          })
        let count = 0
        const leftOut: string[] = []
        for (const site of found) {
          const isNew = await job.transaction((tx) => recordFound(tx, server, site))
          if (isNew !== null) {
            count += 1
            continue
          }
          const name = site.domain.replaceAll(/\p{C}/gu, '?').slice(0, 100)
          job.log(`${name} was left out: its name or its kind is not known here`)
          if (leftOut.length < maxLeftOut) leftOut.push(name)
        }
        await job.transaction((tx) => writeServer(tx, job.referenceName, { left_out_sites: leftOut }))
        job.keep({ sites: count })
      },
    },
  ]
}
