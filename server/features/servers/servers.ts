import type { Controller } from '#server/contracts/controller.ts'
import type { Feature } from '#server/contracts/feature.ts'
import type { CredentialsHandle } from '#server/engines/site-ref.ts'
import { repeat, type RepeatingTask } from '#server/jobs/clock.ts'
import { systemSession } from '#server/jobs/session.ts'
import { providerMetadataMethod } from './provider-metadata.ts'
import { organizationController, serverController, siteController } from './server-controllers.ts'
import { openServersContext, type ServersDeps } from './servers-context.ts'
import { refreshMachine } from './this-machine.ts'

/** What the servers feature provides to the composition root. */
export interface Servers extends Feature {
  readonly controllers: readonly Controller[]
  /** Measures this machine at once and then every minute. */
  start(): Promise<void>
  stop(): Promise<void>
  /** Reads the secret a handle names; for engines that connect to servers. Throws if the field is not declared secret. */
  readCredentials(handle: CredentialsHandle): Promise<string | null>
}

const measureMs = 60_000

/** Servers: the machine this program runs on has one row in each organization that may use it. */
export function createServers(deps: ServersDeps): Servers {
  const context = openServersContext(deps)
  const { machine, clock } = context
  let measuring: RepeatingTask | null = null
  return {
    controllers: [organizationController(context), siteController, serverController(context)],
    methods: [providerMetadataMethod],
    readCredentials: ({ doctype, name, field }) =>
      deps.documents().transaction(systemSession('job'), (tx) => tx.secret(doctype, name, field)),
    async start() {
      if (!machine) return
      await refreshMachine(context, machine)
      measuring ??= repeat(clock, measureMs, () =>
        refreshMachine(context, machine).catch((error: unknown) =>
          deps.log.warn('Facts of this machine could not be written', { error }),
        ),
      )
    },
    async stop() {
      await measuring?.stop()
      measuring = null
    },
  }
}
