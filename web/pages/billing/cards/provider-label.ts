import type { PaymentProvider } from '#shared/responses/billing.ts'

const labels: Readonly<Record<PaymentProvider['name'], string>> = { stripe: 'Stripe' }

/** Name of the payment provider. */
export const providerLabel = ({ name }: Pick<PaymentProvider, 'name'>): string => labels[name]
