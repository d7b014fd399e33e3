import { testMachineFaults } from './provider-faults.contract.ts'
import { providerCases } from './provider-under-test.ts'

for (const one of providerCases) testMachineFaults(one, 300)
