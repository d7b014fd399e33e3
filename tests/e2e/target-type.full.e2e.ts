/** The filter of the activity by the type of what was changed. */
import { asOwner, expect } from './support/harness-test.ts'
import { call } from './support/person.ts'

const invited = 'target-type@fernhill.example'

asOwner('the activity of an organization is filtered by the type of its targets', async ({ page, site }) => {
  expect(site, 'there is a site').toBeTruthy()
  await page.goto('/web/organization#activities')
  const [invitation] = await call<[{ name: string }]>(page, 'easydash.api.organization.invite_members', {
    users: [invited],
  })
  try {
    const rows = page.getByRole('table').getByRole('row')
    const about = (text: string) => rows.filter({ hasText: text })
    await expect(about('Created an invitation').first()).toBeVisible()

    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    const editor = page.getByRole('dialog', { name: 'Add a filter' })
    await editor.getByLabel('Field').selectOption({ label: 'Target type' })
    await expect(editor.getByRole('checkbox', { name: /^Sites \d/ })).toBeVisible()
    await expect(editor.getByRole('checkbox', { name: /^Organizations \d/ })).toBeVisible()
    await editor.getByRole('checkbox', { name: /^Invitations \d/ }).check()
    await editor.getByRole('button', { name: 'Apply' }).click()
    const chip = page.getByRole('button', { name: 'Change filter Target type in Invitations' })
    await expect(chip).toBeVisible()

    // As many as the organization's activities have of it, in whichever order the stories of this product came.
    const entries = await call<{ reference_title: string }[]>(page, 'frappe.client.get_list', {
      doctype: 'Activity',
      fields: ['reference_title'],
      filters: [
        ['reference_doctype', '=', 'Member Invite'],
        ['superseded', '=', 0],
      ],
      limit_page_length: 20,
    })
    expect(entries.map(({ reference_title: title }) => title)).toContain(invited)
    await expect(page.locator('main tbody tr')).toHaveCount(entries.length)
    for (const row of await page.locator('main tbody tr').all()) await expect(row).toContainText(/invitation/i)

    // The address has the filter, and the other type has other rows.
    await page.reload()
    await expect(page.locator('main tbody tr')).toHaveCount(entries.length)
    await chip.click()
    const change = page.getByRole('dialog', { name: /^Change filter/ })
    await change.getByRole('checkbox', { name: /^Sites \d/ }).check()
    await change.getByRole('checkbox', { name: /^Invitations \d/ }).uncheck()
    await change.getByRole('button', { name: 'Apply' }).click()
    await expect(page.getByRole('button', { name: 'Change filter Target type in Sites' })).toBeVisible()
    await expect(about('site').first()).toBeVisible()
    await expect(about('invitation')).toHaveCount(0)
  } finally {
    await call(page, 'run_doc_method', { dt: 'Member Invite', dn: invitation.name, method: 'revoke' })
  }
})
