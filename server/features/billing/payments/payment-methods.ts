import * as z from 'zod/mini'
import { Readable } from 'node:stream'
import { download } from '#server/contracts/files.ts'
import { defineMethod, type Method, type MethodContext } from '#server/contracts/method.ts'
import { readInvoicePdf } from '#server/providers/stripe/invoices.ts'
import { InvoiceDoctype } from '#shared/doctypes/invoice.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'
import { AppError } from '#shared/errors.ts'
import { data, json } from '#shared/fields.ts'
import { msg } from '#shared/localized-message.ts'
import { paymentMethodAdded, setupIntentSecret } from '#shared/responses/billing.ts'
import { binary, described } from '#shared/schema.ts'
import { paidDeps, type BillingDeps } from '../deps.ts'
import { admitOwner, organizationOf } from '../subscription-status.ts'

/** Methods that hand cards over to the provider, with the names in docs/operating.md. The actions check who calls. */
export function cardMethods(): Method[] {
  const act = (context: MethodContext, action: string, args: Record<string, unknown>) =>
    context.documents.runAction(context.session, 'Subscription Organization', organizationOf({}, context), action, args)
  return [
    defineMethod({
      name: 'easydash.api.payment_subscription.create_setup_intent',
      access: 'verified',
      verbs: ['POST'],
      description:
        'Lets the browser hand a card over to the payment provider: the client secret of a new setup intent. For the owner.',
      returns: described(z.string(), 'Only for the script of the provider'),
      run: async (_params, context) => {
        const made = await act(context, 'create_setup_intent', {})
        return z.parse(setupIntentSecret, made).client_secret
      },
    }),
    defineMethod({
      name: 'easydash.api.payment_subscription.add_payment_method',
      access: 'verified',
      verbs: ['POST'],
      description:
        'Takes over the card of a setup intent that succeeded, and pays with it from then on. Only the `id` of the intent is read. For the owner.',
      admit: admitOwner,
      params: {
        setupIntent: json<Record<string, unknown>>({
          refuses_card_numbers: true,
          description: 'Required: the setup intent as the provider answered it.',
        }),
      },
      returns: paymentMethodAdded,
      run: async ({ setupIntent }, context) =>
        z.parse(paymentMethodAdded, await act(context, 'add_payment_method', { setup_intent: setupIntent })),
    }),
  ]
}

/** The PDF of an invoice, which `/private/invoices/NAME.pdf` answers with. */
export function invoiceMethod(deps: BillingDeps): Method {
  return defineMethod({
    name: 'easydash.api.billing.invoice_pdf',
    access: 'verified',
    verbs: ['GET'],
    description: 'The PDF of an invoice of the chosen organization. For the owner.',
    params: { name: data({ length: 140, description: 'Required.' }) },
    returns: binary,
    async run({ name = '' }, { documents, session }) {
      await documents.get(session, InvoiceDoctype, name)
      const invoice = await documents.transaction(session, async (tx) => {
        const found = await tx.get(InvoiceDoctype, name)
        const organization = found && (await tx.get(OrganizationDoctype, found.organization))
        return organization?._owner === session.user ? found : null
      })
      if (!invoice) throw new AppError('forbidden', msg`Invoices are for the owner of the organization.`)
      const { api } = paidDeps(deps).payments
      const pdf = await readInvoicePdf(api, String(invoice.provider_id))
      return download({
        fileName: `invoice-${invoice.number ?? invoice.name}.pdf`,
        contentType: 'application/pdf',
        length: pdf.length,
        tag: null,
        open: (range) => Readable.from([range ? pdf.subarray(range.start, range.end + 1) : pdf]),
      })
    },
  })
}
