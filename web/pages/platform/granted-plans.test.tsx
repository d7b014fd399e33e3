import { screen, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { apiServer } from '#tests/web/api.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { ToastArea } from '#web/ui/overlay/toast-area.tsx'
import { GrantedPlans } from './granted-plans.tsx'
import { platformMethod } from './methods.ts'

const api = apiServer()

test('a platform admin ends all given plans on a day; one that is refused is named, and the others are done', async () => {
  const row = (organization: string) => ({
    ...{ organization, title: organization, owner: `owner@${organization}.example` },
    ...{ plan: 'Pro', price: 99, currency: 'EUR', ends: null as string | null },
  })
  const rows = [row('acme'), row('globex')]
  api.on(platformMethod('granted_plans'), () => ({ message: { rows: rows.map((one) => ({ ...one })), total: 2 } }))
  api.on(platformMethod('end_granted_plan'), ({ body }) => {
    if (body['organization'] === 'globex') return { status: 409, body: { message: 'globex pays by now.' } }
    const found = rows.find(({ organization }) => organization === body['organization'])
    if (found) found.ends = body['until'] ? `${String(body['until'])} 23:59:59.000000` : null
    return { message: { ...found } }
  })
  const { user } = renderAs(
    { ...owner, platformAdmin: true },
    <>
      <GrantedPlans />
      <ToastArea />
    </>,
  )
  await user.click(await screen.findByRole('button', { name: 'Set an end for all 2 plans' }))
  const dialog = await screen.findByRole('dialog', { name: 'End 2 plans' })
  await user.click(within(dialog).getByRole('button', { name: 'Set the end' }))
  expect(await screen.findByText(/globex: globex pays by now/)).toBeTruthy()
  await user.click(await screen.findByRole('button', { name: /Keep for nothing/ }))
  expect(await screen.findAllByText('No end')).toHaveLength(2)
})
