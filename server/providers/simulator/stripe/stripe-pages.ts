/** What browsers get: the script, the question of the customer's bank, a customer, and an invoice as PDF. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ReceivedRequest, SimulatedResponse } from '../simulated-vendor.ts'
import { customerBody } from './stripe-bodies.ts'
import { amountsOf } from './stripe-money.ts'
import type { Invoice, StripeState } from './stripe-state.ts'

const script = readFileSync(join(import.meta.dirname, 'stripe-script.js'), 'utf8')

/** The page of a bank; it tells the window that opened it what came of it. */
const bankPage = `<!doctype html>
<meta charset="utf-8">
<title>3-D Secure</title>
<body style="font: 14px system-ui, sans-serif; padding: 16px">
<p>A simulated bank asks whether it is you.</p>
<button value="complete">Complete authentication</button>
<button value="fail">Fail authentication</button>
<script>
const asked = new URLSearchParams(location.search)
for (const button of document.querySelectorAll('button'))
  button.onclick = async () => {
    const body = new URLSearchParams({ client_secret: asked.get('client_secret'), result: button.value })
    const answer = await fetch('/_simulator/authenticate/' + asked.get('intent'), { method: 'POST', body })
    parent.postMessage(await answer.json(), '*')
  }
</script>
`

/** Null: it is no page. */
export function respondPage(state: StripeState, { method, path }: ReceivedRequest): SimulatedResponse | null {
  const url = new URL(path, 'http://vendor')
  if (method !== 'GET') return null
  if (url.pathname === '/v3/' || url.pathname === '/v3')
    return { status: 200, type: 'text/javascript; charset=utf-8', body: script }
  if (url.pathname === '/v3/authenticate') return { status: 200, type: 'text/html; charset=utf-8', body: bankPage }
  const [, payer = ''] = /^\/test\/customers\/(cus_\w+)$/.exec(url.pathname) ?? []
  const customer = state.customers.get(payer)
  if (customer) return { status: 200, body: customerBody(customer) }
  const [, id = ''] = /^\/invoice\/(in_\w+)\/pdf$/.exec(url.pathname) ?? []
  const invoice = state.invoices.get(id)
  if (!invoice || invoice.secret !== url.searchParams.get('s')) return null
  return { status: 200, type: 'application/pdf', body: pdfOf(invoiceLines(invoice)) }
}

function invoiceLines(invoice: Invoice): string[] {
  const { total, due } = amountsOf(invoice)
  const currency = invoice.subscription.price.currency.toUpperCase()
  const money = (amount: number) => `${(amount / 100).toFixed(2)} ${currency}`
  const day = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 10)
  const { name, email, address, taxIds } = invoice.snapshot
  return [
    `Invoice ${invoice.number ?? ''}`,
    `Date ${day(invoice.finalizedAt ?? invoice.created)}`,
    `${name ?? ''} ${email ?? ''}`,
    ...Object.values(address ?? {}).flatMap((part) => (typeof part === 'string' ? [part] : [])),
    ...taxIds.map(({ type, value }) => `${type} ${value}`),
    '',
    ...invoice.lines.map(
      ({ description, amount, start, end }) => `${description}, ${day(start)} to ${day(end)}: ${money(amount)}`,
    ),
    '',
    ...(invoice.tax === 0 ? [] : [`Tax ${money(invoice.tax)}`]),
    `Total ${money(total)}`,
    `Amount due ${money(invoice.status === 'paid' ? 0 : due)}`,
  ]
}

/** A page of text. */
function pdfOf(lines: readonly string[]): Buffer {
  const shown = lines.map(
    (line) =>
      `(${line
        .replaceAll('×', 'x')
        .replaceAll(/[^ -~]/g, '?')
        .replaceAll(/[\\()]/g, '\\$&')}) '`,
  )
  const content = `BT /F1 11 Tf 14 TL 50 800 Td\n${shown.join('\n')}\nET`
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ]
  const offsets: number[] = []
  let text = '%PDF-1.4\n'
  for (const [at, object] of objects.entries()) {
    offsets.push(text.length)
    text += `${at + 1} 0 obj\n${object}\nendobj\n`
  }
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const trailer = `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`
  return Buffer.from(`${text}xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}${trailer}`, 'latin1')
}
