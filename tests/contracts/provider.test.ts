import { testMachineFaults } from './provider-faults.contract.ts'
import { describeChanges, describeMachines } from './provider-machines.contract.ts'
import { describeProvider } from './provider.contract.ts'
import { providerCases } from './provider-under-test.ts'

for (const one of providerCases) {
  describeProvider(one)
  describeMachines(one, one.machines)
  if (one.name !== 'AWS') describeChanges(one, one.machines)
  testMachineFaults(one, one.machines, 20)
}
