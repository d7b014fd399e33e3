import { act, fireEvent, render, screen } from '@testing-library/react'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { doctype } from '#shared/doctype.ts'
import { check, data, datetime, int, link, select, text } from '#shared/fields.ts'
import { errorFromBody } from '#web/lib/api/api-error.ts'
import { doctypeForm, insertNames } from './form-state.ts'
import { FormField } from './form-field.tsx'
import { DocForm } from './form.tsx'
import { columnLabel, defaultColumns, columnsAtBreakpoint, visibleFields } from '../list/list-columns.ts'
import { requestFields } from '../list/list-rows-request.ts'
import { filterFields, listDefaults, readListState } from '../query/list-state.ts'
import { listRequest } from '../query/list-request.ts'
import { useForm } from './use-form.ts'

/** A doctype without a screen of its own. */
const Widget = doctype('Widget', {
  module: 'core',
  tenant: { kind: 'link', field: 'organization' },
  naming: 'random',
  title_field: 'label',
  plural: 'Widgets',
  fields: {
    organization: link('Organization', { reqd: true }),
    label: data({ reqd: true, length: 20, in_list_view: true, search_index: true }),
    contact: data({ format: 'email' }),
    color: select(['red', 'green'], { default: 'green', in_list_view: true, in_standard_filter: true }),
    amount: int({ min: 1, in_list_view: true }),
    notes: text(),
    urgent: check(),
    checked_at: datetime({ read_only: true, server_owned: true }),
  },
  list: { filters: [['color', '!=', 'red']], order_by: 'label asc' },
  permissions: {},
})

describe('list of a new doctype', () => {
  it('gets columns, filters, search and order from the doctype alone', () => {
    const columns = defaultColumns(Widget)
    expect(columns.map((column) => columnLabel(Widget, column))).toEqual(['Label', 'Color', 'Amount', 'Created'])
    expect(columnsAtBreakpoint(columns, visibleFields(columns, null), 'tablet').map((column) => column.field)).toEqual([
      'label',
      'color',
      'amount',
    ])
    expect(visibleFields(columns, ['amount'])).toEqual(['label', 'amount'])
    expect(filterFields(Widget)).toEqual(['color'])
    expect(requestFields(Widget, columns)).toEqual(['name', 'label', 'color', 'amount', 'creation', 'owner'])
    const state = readListState(new URLSearchParams('q=bolt'), Widget, listDefaults(Widget))
    expect(listRequest(Widget, [], state)).toMatchObject({
      filters: [['color', '!=', 'red']],
      or_filters: [['label', 'like', '%bolt%']],
      order_by: 'label asc',
      limit: 20,
      start: 0,
    })
  })
})

describe('form of a new doctype', () => {
  const form = doctypeForm(Widget, insertNames(Widget))
  const save = vi.fn<(payload: Record<string, string | number>) => Promise<void>>()

  function WidgetForm() {
    const control = useForm(form, { save, draftKey: 'widget' })
    return <DocForm control={control} label="Widget" />
  }
  const control = (label: string) => screen.getByLabelText<HTMLInputElement>(label)
  const type = (label: string, value: string) =>
    act(async () => fireEvent.change(control(label), { target: { value } }))
  const submit = () => act(async () => fireEvent.submit(control('Label')))
  const errors = () => screen.queryAllByRole('alert').map((error) => error.textContent)
  const setup = () => render(<WidgetForm />)

  beforeEach(() => {
    sessionStorage.clear()
    save.mockReset().mockResolvedValue()
  })

  it('shows the writable fields with their labels', () => {
    const { container } = setup()
    const labels = [...container.querySelectorAll('label')].map((label) => label.textContent)
    expect(labels).toEqual(['Label', 'Contact', 'Color', 'Amount', 'Notes', 'Urgent'])
    expect(control('Contact').type).toBe('email')
    expect(control('Color').value).toBe('green')
  })

  it('shows every error, focuses the first and sends nothing', async () => {
    setup()
    await type('Amount', '0')
    await submit()
    expect(save).not.toHaveBeenCalled()
    expect(errors()).toEqual(['Label is required.', 'Amount must be at least 1.'])
    expect(document.activeElement).toBe(control('Label'))
    await type('Label', 'Bolt')
    expect(errors()).toEqual(['Amount must be at least 1.'])
  })

  it('focuses the next wrong field if the choices of the first still load', async () => {
    function Loading() {
      const control = useForm(form, { save, draftKey: 'widget' })
      return (
        <DocForm control={control} label="Widget">
          <FormField control={control} name="amount" />
        </DocForm>
      )
    }
    render(<Loading />)
    await type('Amount', '0')
    await act(async () => fireEvent.submit(control('Amount')))
    expect(document.activeElement).toBe(control('Amount'))
  })

  it('sends typed values and removes the draft', async () => {
    setup()
    await type('Label', ' Bolt ')
    await type('Amount', '3')
    expect(sessionStorage.getItem('draft:widget')).toContain('Bolt')
    await submit()
    expect(save.mock.calls[0]?.[0]).toEqual({ label: 'Bolt', color: 'green', amount: 3, urgent: 0 })
    expect(sessionStorage.getItem('draft:widget')).toBeNull()
  })

  it('shows the server’s field errors at their fields and others below the form', async () => {
    setup()
    await type('Label', 'Bolt')
    const messages = [JSON.stringify({ message: 'Already used.' })]
    save.mockRejectedValueOnce(errorFromBody({ field: 'label', _server_messages: JSON.stringify(messages) }, 417))
    await submit()
    expect(errors()).toEqual(['Already used.'])
    expect(control('Label').getAttribute('aria-invalid')).toBe('true')
    await type('Label', 'Nut')
    expect(errors()).toEqual([])
    save.mockRejectedValueOnce(errorFromBody({ message: 'The plan is full.' }, 417))
    await submit()
    expect(errors()).toEqual(['The plan is full.'])
  })

  it('keeps the server’s error of a field while another field changes', async () => {
    setup()
    await type('Label', 'Bolt')
    const messages = [JSON.stringify({ message: 'Already used.' })]
    save.mockRejectedValueOnce(errorFromBody({ field: 'label', _server_messages: JSON.stringify(messages) }, 417))
    await submit()
    expect(document.activeElement).toBe(control('Label'))
    await type('Amount', '0')
    expect(errors()).toEqual(['Already used.', 'Amount must be at least 1.'])
  })

  it('stays empty if it is reset on save', async () => {
    function AddForm() {
      const adding = useForm(form, { save: async () => adding.reset() })
      return <DocForm control={adding} label="Widget" />
    }
    render(<AddForm />)
    await type('Label', 'Bolt')
    await submit()
    expect(control('Label').value).toBe('')
    expect(errors()).toEqual([])
  })
})
