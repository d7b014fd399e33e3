import type { Controller } from '#server/contracts/controller.ts'
import type { Feature } from '#server/contracts/feature.ts'
import type { ScheduledWork, WorkOnHosts } from '#server/contracts/schedule.ts'
import { hostsWith, type EngineHost } from '#server/engines/hosts.ts'
import type { CredentialsHandle } from '#server/engines/site-ref.ts'
import { measure, refreshHost } from './measure.ts'
import { providerMetadataMethod } from './provider-metadata.ts'
import { organizationController, serverController, siteController } from './server-controllers.ts'
import { hostsOf, openServersContext, readCredentials, type ServersDeps } from './servers-context.ts'
import { checkServerMethod } from './check-server-method.ts'
import { decommissionJob } from './decommission/decommission-job.ts'
import { easyengineMethods } from './easyengine/callbacks.ts'
import { machineTypesMethod } from './machine-types-method.ts'
import { pushKeysJob } from './operations/keys.ts'
import { rebootJob } from './operations/reboot-job.ts'
import { resizeJob } from './operations/resize-job.ts'
import { snapshotJob } from './operations/snapshot-job.ts'
import { resyncJob } from './operations/resync-job.ts'
import { settingsJobs } from './operations/settings-jobs.ts'
import { createServerJob } from './provision/create-job.ts'
import { watchServers } from './remote/watch-servers.ts'
import { sweepAccounts } from './sweep/sweep-accounts.ts'
import { terminalTables } from './terminals/terminal-table.ts'
import { createTerminals } from './terminals/terminals.ts'

/** What the servers feature provides to the composition root. */
export interface Servers extends Feature {
  readonly controllers: readonly Controller[]
  /** Measures machines with engines, then servers by SSH, compares accounts at vendors with servers, and forgets old terminals. */
  readonly schedules: readonly [WorkOnHosts, ScheduledWork, ScheduledWork, ScheduledWork]
  /** Makes the SSH key of the installation if there is none yet, and measures this machine. */
  prepare(): Promise<void>
  /** Ends terminals and the connections to servers. */
  stop(): Promise<void>
  /** Machines that this process works on now. */
  hosts(): Promise<readonly EngineHost[]>
  /** Reads the secret a handle names; for engines that connect to servers. Throws if the field is not declared secret. */
  readCredentials(handle: CredentialsHandle): Promise<string | null>
}

/** Servers: the machine this program runs on has one row in each organization that may use it. */
export function createServers(deps: ServersDeps): Servers {
  const context = openServersContext(deps)
  const hosts = () => hostsOf(deps)
  const terminals = createTerminals(context)
  return {
    tables: terminalTables,
    streams: [terminals.stream],
    controllers: [organizationController(context), siteController, serverController(context)],
    methods: [
      providerMetadataMethod,
      machineTypesMethod(context),
      checkServerMethod(context),
      ...easyengineMethods(context),
    ],
    jobs: [
      createServerJob(context),
      decommissionJob(context),
      rebootJob(context),
      resyncJob(context),
      pushKeysJob(context),
      resizeJob(context),
      snapshotJob(context),
      ...settingsJobs(context),
    ],
    readCredentials: (handle) => readCredentials(deps, handle),
    hosts,
    schedules: [
      {
        name: 'servers.facts',
        everySeconds: 60,
        atStart: true,
        hosts: async () => {
          const measured = hostsWith(await hosts(), 'hostInfo')
          return new Map(measured.map((host) => [host.name, () => refreshHost(context, host)]))
        },
      },
      watchServers(context),
      sweepAccounts(context),
      terminals.schedule,
    ],
    async prepare() {
      // Made now, so that no request that only reads makes it.
      await deps.publicKey()
      if (context.machine) await measure(context, context.machine)
    },
    // Jobs on servers go on; they are followed after the next start.
    async stop() {
      await terminals.stop()
      context.ssh.close()
    },
  }
}
