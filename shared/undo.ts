/** What undoes a call of an action: another call, with the values of before. */
export interface UndoCall {
  readonly action: string
  readonly args?: Readonly<Record<string, unknown>>
  /**
   * Fields of the document that the action changes: the undo is offered as long as they have the values that it gave them. Empty: what it
   * changes is in no field, and the undo is offered until another job changes the document. Absent: the states in which the action can be
   * called decide.
   */
  readonly fields?: readonly string[]
}

/**
 * What undoes a call of an action. `before`: the document before the call, with what the caller knows besides; it may be incomplete.
 * Null: the values before are not known, or can't be had back.
 */
export type UndoRule = (
  before: Readonly<Record<string, unknown>>,
  args: Readonly<Record<string, unknown>>,
) => UndoCall | null
