import { defineMethod } from '#server/contracts/method.ts'
import type { MachineType } from '#server/providers/provider.ts'
import { data, select } from '#shared/fields.ts'
import { cloudProviders } from '#shared/doctypes/server.ts'
import { machineTypes } from '#shared/responses/servers.ts'
import { machineName } from '#shared/rules/machine-names.ts'
import { assertCanCreateServers } from './provider-metadata.ts'
import type { ServersContext } from './servers-context.ts'

/** `get_machine_types`: what a provider offers in a region, with the prices of now. */
export const machineTypesMethod = (context: ServersContext) =>
  defineMethod({
    name: 'easydash.easydash.doctype.server.server.get_machine_types',
    access: 'member',
    verbs: ['GET', 'POST'],
    tokens: 'servers:read',
    params: {
      cloud_provider: select(cloudProviders, { reqd: true }),
      region: data({ reqd: true, length: 60 }),
      connection: data({ description: 'Name of a connection; default: that of the provider.' }),
    },
    description: 'Machine types that a provider offers in a region.',
    returns: machineTypes,
    async run({ cloud_provider, region, connection = null }, call) {
      await assertCanCreateServers(call)
      const { organization } = call.session
      const account = { organization: organization ?? '', cloud_provider, connection }
      const provider = await call.documents.transaction(call.session, (tx) => context.deps.providerOf(tx, account))
      const types = await provider.machineTypes(region)
      return types.map((type) => toRow(cloud_provider, type))
    },
  })

const toRow = (
  provider: string,
  { name, architecture, vcpu, ramBytes, diskBytes, price, available, reason }: MachineType,
) => ({
  name,
  label: machineName(provider, name),
  architecture,
  cpu: vcpu,
  ram: ramBytes,
  disk: diskBytes,
  price_monthly: price && Number(price.monthly),
  price_hourly: price && Number(price.hourly),
  currency: price?.currency ?? null,
  available,
  reason: reason?.text ?? null,
})
