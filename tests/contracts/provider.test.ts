import { expect } from 'vitest'
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
      deleteRequest: 'DELETE /servers',
      ipv6: expect.stringMatching(/^[0-9a-f:]+::1$/),
      startFailure: 'Action failed',
      startMs: 10_000,
    })
  if (one.name === 'AWS')
    describeMachines(one, {
      type: 't3.small',
      region: 'eu-central-1',
      createRequest: 'POST / Action=RunInstances&',
      listRequest: 'POST / Action=DescribeInstances&',
      deleteRequest: 'POST / Action=TerminateInstances&',
      // Default networks have none.
      ipv6: null,
      startFailure: 'Client.VolumeLimitExceeded: Volume limit exceeded',
      startMs: 10_000,
    })
}
