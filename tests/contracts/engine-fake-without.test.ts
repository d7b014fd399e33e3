import { describeEngine } from './engine.contract.ts'
import { startFake } from './fake-under-test.ts'
import { gatedCapabilities, type GatedCapability } from './needs.ts'

const long = process.env['EASYDASH_TEST_LONG'] === '1'

/** A third of them: what two of different thirds have in common is tested with either. */
const third = (part: number): GatedCapability[] => gatedCapabilities.filter((_name, index) => index % 3 === part)

// One at a time shows what a test needs without saying so; that takes a few minutes.
const sets = long ? gatedCapabilities.map((name) => [name]) : [gatedCapabilities, third(0), third(1), third(2)]

/** The contract does not need what an engine says it lacks, and demands that it refuses it. */
for (const names of sets)
  describeEngine(`fake without ${names.length === gatedCapabilities.length ? 'any of them' : names.join(', ')}`, () =>
    startFake(Object.fromEntries(names.map((name) => [name, `This engine has no ${name}.`]))),
  )
