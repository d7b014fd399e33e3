import { useRef, useState } from 'react'
import type { AnyDoc } from '#shared/doctype.ts'
import { connectionFields, type ConnectionCheck, type ConnectionName } from '#shared/doctypes/connections.ts'
import { OrganizationDoctype, type Organization } from '#shared/doctypes/organization.ts'
import { useEditForm, type EditControl } from '#web/documents/form/use-edit-form.ts'
import { toApiError } from '#web/lib/api/api-error.ts'
import { runAction } from '#web/lib/api/api.ts'
import { fullMessage } from '#web/lib/api/full-message.ts'
import { docKey, refetch } from '#web/lib/api/data-client.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { tConnection } from './connection-messages.ts'
import { cardFields } from './connections.ts'

/** A connection's form and its test. */
export interface ConnectionCard {
  /** Its `submit` tests the entered values and saves them if the test succeeds. */
  readonly control: EditControl
  readonly testing: boolean
  /** Result of a failed test of the entered values, which are not saved. */
  readonly rejected: ConnectionCheck | null
  /** Tests the stored values. */
  test(): Promise<void>
  /** Saves despite the failed test. */
  saveAnyway(): Promise<void>
}

/** State of one connection's card. */
export function useConnectionCard(organization: Organization, name: ConnectionName): ConnectionCard {
  const [testing, setTesting] = useState(false)
  const [rejected, setRejected] = useState<ConnectionCheck | null>(null)
  const doc: AnyDoc = { ...organization, doctype: 'Organization' }
  const vendor = tConnection(`name.${name}`)
  const saved = useRef(false)
  const control = useEditForm(OrganizationDoctype, doc, cardFields[name], {
    onSaved: () => {
      saved.current = true
      setRejected(null)
    },
  })
  const tested: readonly string[] = connectionFields[name]

  const ask = (values: Record<string, unknown>) =>
    runAction<ConnectionCheck>('Organization', organization.name, 'test_connection', { connection: name, ...values })

  async function whileTesting<T>(work: () => Promise<T>): Promise<T | null> {
    setTesting(true)
    try {
      return await work()
    } catch (error) {
      showToast({ title: tConnection('card.failed'), description: fullMessage(toApiError(error)), variant: 'danger' })
      return null
    } finally {
      setTesting(false)
    }
  }

  /** The server tests the stored values and stores the result in the document. */
  const testStored = async () => {
    const check = await ask({})
    await refetch(docKey('Organization', organization.name))
    return check
  }

  /** Saves the entered values; true if successful. */
  async function save(): Promise<boolean> {
    saved.current = false
    await control.submit()
    return saved.current
  }

  async function submit(): Promise<void> {
    const changed = control.changed.filter((field) => tested.includes(field))
    const typed = Object.fromEntries(changed.map((field) => [field, control.values[field] ?? '']))
    const empties = Object.values(typed).some((value) => value === '')
    // Cleared values, or ones the test doesn't use, don't need a test.
    if (changed.length === 0 || empties || Object.keys(control.errors).length > 0) {
      if (await save()) showToast({ title: tConnection('card.saved', { name: vendor }), variant: 'success' })
      return
    }
    const check = await whileTesting(() => ask(typed))
    if (check === null) return
    if (check.outcome !== 'ok') {
      setRejected(check)
      return
    }
    if (!(await save())) return
    const again = await whileTesting(testStored)
    if (again?.outcome === 'ok')
      showToast({ title: tConnection('card.saved_and_works', { name: vendor }), variant: 'success' })
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
    async test() {
      await whileTesting(testStored)
    },
    async saveAnyway() {
      if (await save()) await whileTesting(testStored)
    },
  }
}
