import { testMachineFaults } from './provider-faults.contract.ts'
import { describeMachines } from './provider-machines.contract.ts'
import { describeProvider } from './provider.contract.ts'
import { providerCases } from './provider-under-test.ts'

for (const one of providerCases) {
  describeProvider(one)
  describeMachines(one)
  testMachineFaults(one, 20)
}
