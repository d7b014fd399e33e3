import { startEe } from './ee-under-test.ts'
import { describeEngine } from './engine.contract.ts'

describeEngine('ee', startEe, { part: 'wordpress' })
