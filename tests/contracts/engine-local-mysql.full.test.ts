import { mysqlCapability } from '#server/engines/local/mysql/local-mysql.ts'
import { findMysql } from '#server/platform/mysql/find-mysql.ts'
import { describeEngine } from './engine.contract.ts'
import { startLocal } from './local-under-test.ts'

// Known before the engine starts: suites that are skipped make no sites.
const capability = mysqlCapability(await findMysql(), null)

describeEngine('local', startLocal, { onMysql: true, without: capability.supported ? null : capability.reason })
