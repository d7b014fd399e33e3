import { describeMachines } from './provider-machines.contract.ts'
import { describeProvider } from './provider.contract.ts'
import { providerCases } from './provider-under-test.ts'

for (const one of providerCases) {
  describeProvider(one)
  if (one.name === 'Hetzner')
    describeMachines(one, {
      type: 'cx23',
      region: 'fsn1',
      createRequest: 'POST /servers',
      listRequest: 'GET /servers',
      startMs: 10_000,
    })
}
