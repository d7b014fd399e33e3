import type { Feature } from '#server/contracts/feature.ts'
import type { Method } from '#server/contracts/method.ts'
import { AppError } from '#shared/errors.ts'
import { data, json } from '#shared/fields.ts'
import { nothing } from '#shared/schema.ts'
import { labelMessage } from '#shared/localized-message.ts'

/** A method that is part of the API but not implemented yet: callers get the reason. */
function plannedMethod(
  name: string,
  reason: string,
  rest: Pick<Method, 'access'> & Partial<Pick<Method, 'params' | 'verbs'>>,
): Method {
  return {
    name,
    verbs: ['POST'],
    description: `Not available yet. ${reason}`,
    returns: nothing,
    ...rest,
    run: () => {
      throw new AppError('unsupported', labelMessage(reason))
    },
  }
}

const payment = (name: string) => `easydash.api.payment_subscription.${name}`
const server = (name: string) => `easydash.easydash.doctype.server.server.${name}`
const site = (name: string) => `easydash.easydash.doctype.site.site.${name}`
const backup = (name: string) => `easydash.easydash.doctype.site_backup.site_backup.${name}`

const noPayments = 'Plans are free to choose on this installation, so no cards are kept. Choose a plan without one.'
const noGithub = 'GitHub is not connected to this installation yet.'
const noEasyEngine = 'Servers with EasyEngine cannot be connected to this installation yet.'

/** Methods that need payments, GitHub or EasyEngine and are not implemented yet; clients already call them. */
export const plannedMethods: readonly Method[] = [
  plannedMethod('easydash.api.site.utils.get_github_org_name', noGithub, {
    access: 'member',
    verbs: ['GET', 'POST'],
    params: { organization: data() },
  }),
  plannedMethod(payment('create_setup_intent'), noPayments, { access: 'member' }),
  plannedMethod(payment('add_payment_method'), noPayments, {
    access: 'member',
    params: { setupIntent: json({ refuses_card_numbers: true }) },
  }),
  // EasyEngine calls these without a session; their token is checked once they are implemented.
  ...[
    server('get_server_list'),
    server('add_server'),
    site('get_site_list'),
    site('add_site'),
    backup('on_ee_backup_success'),
    backup('on_ee_backup_failure'),
  ].map((name) => plannedMethod(name, noEasyEngine, { access: 'guest' })),
]

/** Registers the methods that are not implemented yet. Remove a method here when a feature implements it. */
export function createPlanned(): Feature {
  return { methods: plannedMethods }
}
