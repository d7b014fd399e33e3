import { isMovingDatabase } from '../mysql/record-move.ts'
import { isUndoingSql } from '../mysql/record-sql-undo.ts'
import type { SiteRecord } from './site-record.ts'

/** What says that a change of a site goes on, in its record. */
type Changes = Pick<SiteRecord, 'move' | 'push' | 'core' | 'conversion' | 'deletion' | 'databaseMove' | 'sqlUndo'>

/** Whether a change that can be taken back goes on: another one would be lost with it, or take away what it needs. */
export function isChanging(record: Changes): boolean {
  const { move, push, core, conversion, deletion } = record
  const hasBegun = [move, push, core, conversion, deletion].some((change) => change !== undefined)
  return hasBegun || isMovingDatabase(record) || isUndoingSql(record)
}

/** Whether a change can begin: the site is there, is not stopped, and no other change goes on. */
export function canChange(record: Changes & Pick<SiteRecord, 'state' | 'stopped'>): boolean {
  return record.state === 'ready' && record.stopped !== true && !isChanging(record)
}
