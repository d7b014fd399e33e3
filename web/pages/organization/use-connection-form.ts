import { useRef, useState } from 'react'
import type { AnyDoc } from '#shared/doctype.ts'
import { ConnectionDoctype, type Connection } from '#shared/doctypes/connection.ts'
import { connectionKinds, type ConnectionCheck, type ConnectionName } from '#shared/doctypes/connections.ts'
import { connectionCheck } from '#shared/responses/connections.ts'
import { useEditForm, type EditControl } from '#web/documents/form/use-edit-form.ts'
import { toApiError } from '#web/lib/api/api-error.ts'
import { createDoc, runAction, updateDoc } from '#web/lib/api/api.ts'
import { checkedResult } from '#web/lib/api/checked-response.ts'
import { fullMessage } from '#web/lib/api/full-message.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { tConnection } from './connection-messages.ts'
import { refetchConnections, testedFields } from './connections.ts'

/** What a form is about: a stored connection, or a new one of a service. */
export interface EditedConnection {
  readonly organization: string
  readonly name: ConnectionName
  /** Null for a new one. */
  readonly connection: Connection | null
}

/** A connection's form and its test. */
export interface ConnectionForm {
  /** Its `submit` tests the entered values and saves them if the test succeeds. */
  readonly control: EditControl
  readonly testing: boolean
  /** Result of a failed test of the entered values, which are not saved. */
  readonly rejected: ConnectionCheck | null
  /** Saves despite the failed test. */
  saveAnyway(): Promise<void>
}

/** Tests the stored values of a connection; the server stores the result. Null if the test could not be started. */
export async function testStored(organization: string, connection: string): Promise<ConnectionCheck | null> {
  const check = await orToast(() => tested('Connection', connection, 'test', {}))
  await refetchConnections(organization)
  return check
}

async function tested(...call: Parameters<typeof runAction>): Promise<ConnectionCheck> {
  return checkedResult(connectionCheck, await runAction(...call))
}

async function orToast<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work()
  } catch (error) {
    showToast({ title: tConnection('card.failed'), description: fullMessage(toApiError(error)), variant: 'danger' })
    return null
  }
}

/** State of the form. `fields`: those it shows; `onSaved` is called once everything is stored and tested. */
export function useConnectionForm(
  { organization, name, connection }: EditedConnection,
  fields: readonly string[],
  onSaved: () => void,
): ConnectionForm {
  const [testing, setTesting] = useState(false)
  const [rejected, setRejected] = useState<ConnectionCheck | null>(null)
  const doc: AnyDoc = { ...(connection ?? { name: `new ${name}` }), doctype: 'Connection' } as AnyDoc
  const saved = useRef<Connection | null>(null)
  const control = useEditForm(ConnectionDoctype, doc, fields, {
    async save(changes, current) {
      saved.current = connection
        ? await updateDoc<Connection>('Connection', connection.name, { ...changes, modified: current.modified })
        : await createDoc<Connection>('Connection', { organization, kind: connectionKinds[name], ...changes })
      return connection && (saved.current as AnyDoc)
    },
  })

  async function whileTesting<T>(work: () => Promise<T>): Promise<T> {
    setTesting(true)
    try {
      return await work()
    } finally {
      setTesting(false)
    }
  }

  /** Tests values without storing them, together with the stored ones if there are any. */
  const testTyped = (values: Record<string, unknown>) =>
    orToast(() =>
      connection
        ? tested('Connection', connection.name, 'test', values)
        : tested('Organization', organization, 'test_connection', { connection: name, only_given: 1, ...values }),
    )

  /** Saves the entered values. `isTested`: then tests what is stored, so that the result is kept. */
  async function save(isTested: boolean): Promise<void> {
    saved.current = null
    await control.submit()
    const stored = saved.current as Connection | null
    if (stored === null) return
    setRejected(null)
    const check = isTested ? await whileTesting(() => testStored(organization, stored.name)) : null
    if (!isTested) await refetchConnections(organization)
    showToast({
      title: tConnection(check?.outcome === 'ok' ? 'card.saved_and_works' : 'card.saved', { name: stored.label }),
      variant: 'success',
    })
    onSaved()
  }

  async function submit(): Promise<void> {
    const changed = control.changed.filter((field) => testedFields(name).includes(field))
    const typed = Object.fromEntries(changed.map((field) => [field, control.values[field] ?? '']))
    const empties = Object.values(typed).some((value) => value === '')
    // Cleared values, or ones the test doesn't use, don't need a test.
    if (changed.length === 0 || empties || Object.keys(control.errors).length > 0) return save(false)
    const check = await whileTesting(() => testTyped(typed))
    if (check === null) return
    if (check.outcome === 'ok') return save(true)
    setRejected(check)
  }

  return {
    control: {
      ...control,
      busy: control.busy || testing,
      submit,
      set(field, value) {
        setRejected(null)
        control.set(field, value)
      },
      reset() {
        setRejected(null)
        control.reset()
      },
    },
    testing,
    rejected,
    saveAnyway: () => save(true),
  }
}
