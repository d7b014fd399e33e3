import { describeEngine } from './engine.contract.ts'
import { startLocal } from './local-under-test.ts'

describeEngine('local', startLocal, { part: 'tools' })
