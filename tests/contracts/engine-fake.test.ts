import { describeEngine } from './engine.contract.ts'
import { startFake } from './fake-under-test.ts'

describeEngine('fake', () => startFake())
