import { testMachineFaults } from './provider-faults.contract.ts'
import { providerCases } from './provider-under-test.ts'

for (const one of providerCases) if (one.machines) testMachineFaults(one, one.machines, 300)
