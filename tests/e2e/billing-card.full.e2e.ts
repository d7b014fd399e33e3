/** Plans that people pay for: a card, the bank's question, invoices, changes of the plan, at a simulated Stripe. */
import type { Page } from '@playwright/test'
import { withFaults } from '#server/providers/simulator/faults.ts'
import { serveVendor } from '#server/providers/simulator/simulated-vendor.ts'
import { simulatedStripe } from '#server/providers/simulator/stripe/simulated-stripe.ts'
import { makePrice } from '#server/providers/stripe/prices.ts'
import { openStripe } from '#server/providers/stripe/stripe-client.ts'
import { ignoreConsoleErrors, watchedTest } from './support/console-watch.ts'
import { expect } from './support/harness-test.ts'
import { startProduct } from './support/harness.ts'
import { expectValidLayout } from './support/looks.ts'
import { createFirstAccount, createOrganization, withoutTours } from './support/person.ts'

const keys = {
  secretKey: 'sk_test_simulated',
  publishableKey: 'pk_test_simulated',
  webhookSecret: 'whsec_simulated',
}
const owner = {
  firstName: 'Ann',
  lastName: 'Owner',
  email: 'ann@paid.example',
  password: 'A-long-Password-for-42-plans',
}
const declined = '4000000000000002'
/** Has to be confirmed at the bank when it is added, and for each payment. */
const asking = '4000002760003184'

/** The product with prices at a Stripe of its own, and a browser of the owner of an organization. */
const test = watchedTest.extend<{ paid: { url: string; state: () => Promise<{ customers: readonly unknown[] }> } }>({
  paid: async ({ page }, use) => {
    const stripe = simulatedStripe({ ...keys, now: () => Date.now() })
    const vendor = await serveVendor(withFaults(stripe, []))
    const api = openStripe({ ...keys, apiBase: vendor.url, automaticTax: false })
    for (const [plan, amount] of [
      ['Starter', 12],
      ['Growth', 39],
    ] as const)
      await makePrice(api, { plan, amount, currency: 'EUR' }, { before: null, productName: `Easydash ${plan}` })
    const product = await startProduct({
      env: {
        STRIPE_API_BASE: vendor.url,
        STRIPE_SECRET_KEY: keys.secretKey,
        STRIPE_PUBLISHABLE_KEY: keys.publishableKey,
        STRIPE_WEBHOOK_SECRET: keys.webhookSecret,
      },
    })
    stripe.webhooks.url = `${product.url}/webhooks/stripe`
    try {
      await createFirstAccount(page, String(product.setupLink), owner)
      await createOrganization(page, 'Paid Studio')
      await withoutTours(page, owner)
      await use({
        url: product.url,
        state: async () =>
          (await (await fetch(`${vendor.url}/_simulator/state`)).json()) as { customers: readonly unknown[] },
      })
      // Its socket would miss the product.
      await page.goto('about:blank')
    } finally {
      stripe.webhooks.url = null
      await stripe.webhooks.settled()
      await product.close()
      await vendor.close()
    }
  },
})

async function fillCard(page: Page, number: string): Promise<void> {
  await page.getByLabel('Credit or debit card number').fill(number)
  await page.getByLabel('Credit or debit card expiration date').fill('1234')
  await page.getByLabel('Credit or debit card CVC/CVV').fill('123')
}

/** Answers what the bank asks in its window. */
const answerBank = async (page: Page, answer: 'Complete' | 'Fail') =>
  await page
    .frameLocator('iframe[title="3-D Secure"]')
    .getByRole('button', { name: `${answer} authentication` })
    .click()

test('the owner adds a card that the bank asks about, and pays, changes, cancels and keeps the plan', async ({
  page,
  paid,
  problems,
}) => {
  test.setTimeout(480_000)
  const main = page.getByRole('main')
  const summary = page.getByRole('region', { name: 'Your plan' })
  const preview = page.getByRole('region', { name: 'Change preview' })

  // A page that was opened elsewhere may not load the provider's script: the dialog opens in a document of its own.
  await page.goto(`${paid.url}/web`)
  await page.getByRole('link', { name: 'Billing' }).click()
  await page.getByRole('tab', { name: 'Plans' }).click()
  await page.getByRole('button', { name: 'Upgrade to Growth' }).click()
  await expect(preview).toContainText('€39 today')
  await preview.getByRole('link', { name: 'Payment methods' }).click()
  await main.getByRole('button', { name: 'Add payment method' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add Payment Method' })
  const submit = dialog.getByRole('button', { name: 'Verify and Add Method' })
  await expect(dialog.getByLabel('Country').locator('option:checked')).toHaveText('Afghanistan')
  await submit.click()
  await expect(dialog.getByText('Postal code is required')).toBeVisible()
  await expect(dialog.getByLabel('Name on Card')).toBeFocused()
  await expectValidLayout(page)

  await dialog.getByLabel('Name on Card').fill('Ann Owner')
  await dialog.getByLabel('Country').selectOption('Germany')
  await dialog.getByLabel('Address', { exact: true }).fill('Lane 1')
  await dialog.getByLabel('City').fill('Bonn')
  await dialog.getByLabel('State').fill('NRW')
  await dialog.getByLabel('Postal Code / ZIP').fill('53111')
  await submit.click()
  await expect(dialog.getByText('Card details are missing.')).toBeVisible()
  await fillCard(page, declined)
  await submit.click()
  await expect(dialog.getByText('Your card was declined.')).toBeVisible()
  await expect(dialog.getByLabel('City')).toHaveValue('Bonn')
  ignoreConsoleErrors(problems, /status of 402/)

  await fillCard(page, asking)
  await submit.click()
  await expect(dialog.getByRole('button', { name: 'Processing...' })).toBeVisible()
  await answerBank(page, 'Fail')
  await expect(dialog.getByText(/unable to authenticate/)).toBeVisible()
  await submit.click()
  await answerBank(page, 'Complete')
  await expect(dialog).toBeHidden()
  await expect(main.getByText('Visa ending 3184')).toBeVisible()
  await expect(main.getByText('Default', { exact: true })).toBeVisible()
  await expectValidLayout(page)

  // The payment, too, is asked about; until it is confirmed, the plan is what it was.
  await page.getByRole('tab', { name: 'Plans' }).click()
  await page.getByRole('button', { name: 'Upgrade to Growth' }).click()
  await expect(preview).toContainText('Charged to Visa ending 3184')
  await preview.getByRole('button', { name: 'Move to Growth' }).click()
  await expect(page.getByTitle('3-D Secure')).toBeVisible()
  // The window is left as it is. Elsewhere a banner leads back, where a document of its own asks again.
  await page.goto(`${paid.url}/web`)
  await expect(page.getByText('Payment not confirmed:')).toBeVisible()
  await page.getByRole('link', { name: 'Confirm payment' }).click()
  await expect(summary).toContainText('Free, €0 per month')
  await expectValidLayout(page)
  await main.getByRole('button', { name: 'Confirm payment' }).click()
  await answerBank(page, 'Complete')
  await expect(summary).toContainText('Growth, €39 per month')
  await expect(summary).toContainText('charged to Visa ending 3184 through Stripe.')
  await expect(page.getByText('Payment not confirmed')).toHaveCount(0)
  expect((await paid.state()).customers).toHaveLength(1)

  await page.getByRole('tab', { name: 'Invoices' }).click()
  const row = main.getByRole('row', { name: /Growth/ })
  await expect(row).toContainText('€39')
  await expect(row).toContainText('Paid')
  const address = await row.getByRole('link', { name: /PDF of invoice/ }).getAttribute('href')
  const pdf = await page.request.get(`${paid.url}${address}`)
  expect([pdf.status(), pdf.headers()['content-type']]).toEqual([200, 'application/pdf'])
  const download = page.waitForEvent('download')
  await main.getByRole('button', { name: 'Download CSV' }).click()
  expect((await download).suggestedFilename()).toBe('invoices.csv')
  await expectValidLayout(page)
  await page.getByRole('tab', { name: 'Purchases' }).click()
  await expect(main.getByRole('row', { name: /Growth plan/ })).toContainText('€39')

  // A downgrade waits for the end of the period and can be taken back until then.
  await page.getByRole('tab', { name: 'Plans' }).click()
  await page.getByRole('button', { name: 'Downgrade to Starter' }).click()
  await expect(preview).toContainText('Nothing to pay')
  await preview.getByRole('button', { name: 'Move to Starter' }).click()
  await expect(summary).toContainText(/Moves to Starter on \w+ \d+, \d{4}/)
  await page.getByRole('button', { name: 'Keep Growth' }).click()
  await expect(summary).toContainText('Active')
  await page.getByRole('button', { name: 'Cancel plan' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel plan' }).click()
  await expect(summary).toContainText(/Canceled, active until/)
  await expect(page.getByText('Plan Expiring Soon:')).toBeVisible()
  await page.getByRole('button', { name: 'Reactivate' }).click()
  await expect(summary).toContainText('Active')

  await page.getByRole('tab', { name: 'Activity' }).click()
  await expect(main.getByText('added a card').first()).toBeVisible()
})
